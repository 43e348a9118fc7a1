// SPDX-License-Identifier: Apache-2.0
#include "services/s3/objects/put_object.h"

#include "base/bytes.h"
#include "services/s3/buckets/lifecycle_rules.h"
#include "services/s3/checksums.h"
#include "services/s3/errors.h"
#include "services/s3/events.h"
#include "services/s3/limits.h"
#include "services/s3/objects/conditions.h"
#include "services/s3/objects/object_headers.h"
#include "services/s3/objects/object_tags.h"
#include "services/s3/operations.h"

namespace services::s3 {
namespace {

// All that can be known without the body.
struct PutPlan {
  Bucket bucket;
  Headers headers;
  Tags tags;
  std::optional<Claim> claim;
};

PutPlan plan_of(Call& call, const shape::PutObjectRequest& request) {
  if (request.WriteOffsetBytes) throw header_not_implemented("x-amz-write-offset-bytes");
  PutPlan plan;
  if (request.Tagging) plan.tags = read_tag_header(*request.Tagging);
  plan.bucket = find_object_bucket(call, {request.Bucket, request.Key, kNoVersion, request.ExpectedBucketOwner},
                                   "s3:PutObject", "s3:PutObject", write_context(request, plan.tags));
  check_may_tag(call, plan.bucket, request.Key, plan.tags);
  check_acl(plan.bucket, acl_wish(request));
  plan.headers = read_headers(request);
  plan.claim = claim_of(claimed_values(request), request.ChecksumAlgorithm);
  check_md5_text(request.ContentMD5);
  check_condition_texts({request.IfMatch, request.IfNoneMatch});
  return plan;
}

}  // namespace

void before_put_object(Call& call, const shape::PutObjectRequest& request) {
  const PutPlan plan = plan_of(call, request);
  const WriteConditions conditions{request.IfMatch, request.IfNoneMatch};
  if (conditions.any()) check_write(conditions, request.Key, load_standing(call.tx, plan.bucket, request.Key));
  call.spool.checksums = {plan.claim ? plan.claim->kind : kDefaultChecksum};
  call.spool.max_bytes = kMaxPutBytes;
}

shape::PutObjectOutput put_object(Call& call, const shape::PutObjectRequest& request) {
  CHECK(call.upload) << "PutObject without a body";
  PutPlan plan = plan_of(call, request);
  BodyChecksum checksum = check_body(*call.upload, request.ContentMD5, plan.claim, kDefaultChecksum);
  auto standing = load_standing(call.tx, plan.bucket, request.Key);
  check_write({request.IfMatch, request.IfNoneMatch}, request.Key, standing);

  Object object;
  object.key = request.Key;
  object.modified_at = call.now;
  object.size = static_cast<std::int64_t>(call.upload->size);
  object.etag = base::to_hex(call.upload->md5);
  object.blob = add_blob(call.tx, *call.upload);
  object.checksum = StoredChecksum{std::string(checksum_name(checksum.kind)), kFullObject, std::move(checksum.value)};
  object.headers = std::move(plan.headers);
  object.tags = std::move(plan.tags);
  put_version(call, plan.bucket, standing, object);
  tell(call, plan.bucket, "ObjectCreated:Put", object);

  shape::PutObjectOutput output;
  output.ETag = object.quoted_etag();
  output.Expiration = expiration_header(call, plan.bucket, object);
  output.ServerSideEncryption = kEncryption;
  output.VersionId = new_version(object);
  show_checksum(output, *object.checksum);
  return output;
}

std::vector<Operation> put_object_operations() {
  return {
      with_body<&before_put_object>(
          operation<&put_object>("PutObject", Access::Write, shape::kPutObjectHttp), Body::Spooled),
  };
}

}  // namespace services::s3
