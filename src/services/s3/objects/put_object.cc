// SPDX-License-Identifier: Apache-2.0
#include "services/s3/objects/put_object.h"

#include "base/bytes.h"
#include "services/s3/buckets/lifecycle_rules.h"
#include "services/s3/checksums.h"
#include "services/s3/errors.h"
#include "services/s3/events.h"
#include "services/s3/limits.h"
#include "services/s3/objects/conditions.h"
#include "services/s3/objects/lock_rules.h"
#include "services/s3/objects/object_headers.h"
#include "services/s3/objects/object_tags.h"
#include "services/s3/operations.h"
#include "services/s3/quota.h"
#include "shapes/stoker/pipeline_hooks.h"

namespace services::s3 {
namespace {

// May have changed since it was checked before the body: the bucket, its policy, its owner.
Bucket find_put_bucket(Call& call, const shape::PutObjectRequest& request, const Tags& tags) {
  Bucket bucket = find_object_bucket(call, {request.Bucket, request.Key, kNoVersion, request.ExpectedBucketOwner},
                                     "s3:PutObject", "s3:PutObject", write_context(request, tags));
  check_may_tag(call, bucket, request.Key, tags);
  check_acl(bucket, acl_headers(request));
  return bucket;
}

}  // namespace

PutPlan prepare_put_object(ObjectCall& call, const shape::PutObjectRequest& request) {
  if (request.WriteOffsetBytes) throw header_not_implemented("x-amz-write-offset-bytes");
  PutPlan plan;
  if (request.Tagging) plan.tags = read_tag_header(*request.Tagging);
  const Bucket bucket = find_put_bucket(call, request, plan.tags);
  plan.headers = read_headers(request);
  plan.claim = claim_of(claimed_values(request), request.ChecksumAlgorithm);
  check_md5_text(request.ContentMD5);
  plan.lock = stated_lock(call, bucket, request.Key, lock_headers(request));
  const WriteConditions conditions{request.IfMatch, request.IfNoneMatch};
  check_condition_texts(conditions);
  if (conditions.any()) check_write(conditions, request.Key, load_latest_summary(call.tx, bucket, request.Key));
  call.spool.checksums = {plan.claim ? plan.claim->kind : kDefaultChecksum};
  call.spool.max_bytes = kMaxPutBytes;
  if (bucket.notification) call.spool.keep_bytes = shapes::stoker::kMaxAnnouncedBytes;
  return plan;
}

shape::PutObjectOutput put_object(ObjectCall& call, const shape::PutObjectRequest& request, const PutPlan& plan) {
  CHECK(call.upload) << "PutObject without a body";
  const Bucket bucket = find_put_bucket(call, request, plan.tags);
  BodyChecksum checksum = check_body(*call.upload, request.ContentMD5, plan.claim, kDefaultChecksum);
  auto standing = load_latest_summary(call.tx, bucket, request.Key);
  check_write({request.IfMatch, request.IfNoneMatch}, request.Key, standing);
  check_quota(call, bucket.account, gain_of(bucket, standing, static_cast<std::int64_t>(call.upload->size)));

  Object object;
  object.key = request.Key;
  object.modified_at = call.now;
  object.size = static_cast<std::int64_t>(call.upload->size);
  object.etag = base::to_hex(call.upload->md5);
  object.blob = add_blob(call.tx, *call.upload);
  object.checksum = StoredChecksum{std::string(checksum_name(checksum.kind)), kFullObject, std::move(checksum.value)};
  object.headers = plan.headers;
  object.tags = plan.tags;
  object.lock = with_default_retention(bucket, plan.lock, call.now);
  check_lock_digest(object.lock, request.ContentMD5 || checksum.claimed);
  put_version(call, bucket, standing, object);
  publish_event(call, bucket, "ObjectCreated:Put", object, call.upload);

  shape::PutObjectOutput output;
  output.ETag = object.quoted_etag();
  output.Expiration = expiration_header(call, bucket, object);
  output.ServerSideEncryption = kEncryption;
  output.VersionId = new_version(object);
  show_checksum(output, *object.checksum);
  return output;
}

std::vector<ObjectOperation> put_object_operations() {
  return {
      with_body<&prepare_put_object>(
          object_operation<&put_object>("PutObject", Access::Write, shape::kPutObjectHttp), Body::Spooled),
  };
}

}  // namespace services::s3
