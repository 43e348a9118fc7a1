// SPDX-License-Identifier: Apache-2.0
// CopyObject. A copy shares the bytes of its source, unless that was uploaded in parts: then the copy gets an ETag of
// its own, for which the bytes are read.
#include "services/s3/objects/copy_object.h"

#include "base/bytes.h"
#include "services/s3/buckets/lifecycle_rules.h"
#include "services/s3/checksums.h"
#include "services/s3/errors.h"
#include "services/s3/events.h"
#include "services/s3/limits.h"
#include "services/s3/objects/copy_source.h"
#include "services/s3/objects/lock_rules.h"
#include "services/s3/objects/object_headers.h"
#include "services/s3/objects/object_tags.h"
#include "services/s3/operations.h"
#include "services/s3/quota.h"
#include "services/s3/whole_seconds.h"

namespace services::s3 {
namespace {

struct CopyPlan {
  FoundSource source;
  Bucket bucket;
  Headers headers;
  Tags tags;
  VersionLock lock;  // as stated: the source's is not copied
  base::Checksum checksum = kDefaultChecksum;
  bool needs_bytes = false;

  Range range() const { return {0, static_cast<std::uint64_t>(source.object.size)}; }
};

// A copy of an object onto itself must state a change. Amazon does not compare it with the present state, and accepts
// the bucket's encryption as one.
bool changes_something(const shape::CopyObjectRequest& request, const Bucket& bucket) {
  return request.MetadataDirective == "REPLACE" || request.ServerSideEncryption || request.WebsiteRedirectLocation ||
         request.ChecksumAlgorithm || request.StorageClass || bucket.encryption;
}

Headers headers_of(const shape::CopyObjectRequest& request, const Object& source) {
  Headers stated = read_headers(request);
  if (request.MetadataDirective == "REPLACE") return stated;
  Headers headers = source.headers;
  // These two are not copied.
  headers.StorageClass = stated.StorageClass;
  headers.WebsiteRedirectLocation = stated.WebsiteRedirectLocation;
  return headers;
}

Tags tags_of(const Call& call, const shape::CopyObjectRequest& request, const FoundSource& source) {
  if (request.TaggingDirective == "REPLACE") return request.Tagging ? read_tag_header(*request.Tagging) : Tags();
  const Tags& tags = source.object.tags;
  if (!tags.empty() && !allowed(call, source.bucket, {.action = "s3:GetObjectTagging", .key = source.object.key})) {
    throw access_denied();
  }
  return tags;
}

PolicyContext context_of(const shape::CopyObjectRequest& request, const Tags& tags) {
  PolicyContext context = write_context(request, tags);
  context["s3:x-amz-copy-source"] = request.CopySource;
  if (request.MetadataDirective) context["s3:x-amz-metadata-directive"] = *request.MetadataDirective;
  return context;
}

CopyPlan plan_copy(Call& call, const shape::CopyObjectRequest& request) {
  check_customer_key(request.CopySourceSSECustomerAlgorithm, request.CopySourceSSECustomerKey);
  check_condition_texts({request.IfMatch, request.IfNoneMatch});
  const CopySource named = parse_copy_source(request.CopySource);
  CopyPlan plan{.source = find_source(call, named, request.ExpectedSourceBucketOwner, source_conditions(request))};
  const Object& source = plan.source.object;
  plan.tags = tags_of(call, request, plan.source);
  plan.bucket = find_object_bucket(call, {request.Bucket, request.Key, kNoVersion, request.ExpectedBucketOwner},
                                   "s3:PutObject", "s3:PutObject", context_of(request, plan.tags));
  check_may_tag(call, plan.bucket, request.Key, plan.tags);
  check_acl(plan.bucket, acl_headers(request));
  plan.headers = headers_of(request, source);
  plan.lock = stated_lock(call, plan.bucket, request.Key, lock_headers(request));
  if (static_cast<std::uint64_t>(source.size) > kMaxPutBytes) {
    throw invalid_request("The specified copy source is larger than the maximum allowable size for a copy source: " +
                          std::to_string(kMaxPutBytes));
  }
  if (named.bucket == request.Bucket && named.key == request.Key && !named.version &&
      !changes_something(request, plan.bucket)) {
    throw invalid_request("This copy request is illegal because it is trying to copy an object to itself without "
                          "changing the object's metadata, storage class, website redirect location or encryption "
                          "attributes.");
  }
  if (request.ChecksumAlgorithm) {
    plan.checksum = checksum_kind(*request.ChecksumAlgorithm);
  } else if (source.checksum) {
    plan.checksum = checksum_kind(source.checksum->kind);
  }
  plan.needs_bytes = source.parts > 0 || !source.checksum || source.checksum->kind != checksum_name(plan.checksum);
  return plan;
}

// Shares the source's bytes, or takes the spooled ones.
void take_bytes(ObjectCall& call, const CopyPlan& plan, Object& object) {
  const Object& source = plan.source.object;
  object.size = source.size;
  if (!plan.needs_bytes) {
    add_reference(call.tx, *source.blob);
    object.blob = source.blob;
    object.etag = source.etag;
    object.checksum = source.checksum;
    return;
  }
  check_spooled(call, source, plan.range());
  object.blob = add_blob(call.tx, *call.upload);
  object.etag = base::to_hex(call.upload->md5);
  object.checksum = StoredChecksum{std::string(checksum_name(plan.checksum)), kFullObject,
                                   base::to_base64(body_checksum(*call.upload, plan.checksum))};
}

}  // namespace

void prepare_copy_object(ObjectCall& call, const shape::CopyObjectRequest& request) {
  const CopyPlan plan = plan_copy(call, request);
  const WriteConditions conditions{request.IfMatch, request.IfNoneMatch};
  if (conditions.any()) check_write(conditions, request.Key, load_latest_summary(call.tx, plan.bucket, request.Key));
  if (!plan.needs_bytes) return;
  call.spool.checksums = {plan.checksum};
  spool_source(call, plan.source.object, plan.range());
}

shape::CopyObjectOutput copy_object(ObjectCall& call, const shape::CopyObjectRequest& request) {
  CopyPlan plan = plan_copy(call, request);
  auto standing = load_latest_summary(call.tx, plan.bucket, request.Key);
  check_write({request.IfMatch, request.IfNoneMatch}, request.Key, standing);
  // The source changed meanwhile, so that the spooled file has no use.
  if (!plan.needs_bytes && call.upload && !call.upload->file.empty()) {
    throw wire::ApiError("SlowDown", "Please reduce your request rate.");
  }
  check_quota(call, plan.bucket.account, gain_of(plan.bucket, standing, plan.source.object.size));
  Object object;
  object.key = request.Key;
  object.modified_at = call.now;
  take_bytes(call, plan, object);
  object.headers = std::move(plan.headers);
  object.tags = std::move(plan.tags);
  object.lock = with_default_retention(plan.bucket, plan.lock, call.now);
  put_version(call, plan.bucket, standing, object);
  publish_event(call, plan.bucket, "ObjectCreated:Copy", object);

  shape::CopyObjectResult result{.ETag = object.quoted_etag(), .LastModified = whole_seconds(object.modified_at)};
  show_checksum(result, *object.checksum);
  shape::CopyObjectOutput output{.CopyObjectResult = std::move(result)};
  output.Expiration = expiration_header(call, plan.bucket, object);
  output.CopySourceVersionId = new_version(plan.source.object);  // absent for the version "null"
  output.VersionId = shown_version(plan.bucket, object);
  output.ServerSideEncryption = kEncryption;
  return output;
}

std::vector<ObjectOperation> copy_object_operations() {
  return {
      with_body<&prepare_copy_object>(
          object_operation<&copy_object>("CopyObject", Access::Write, shape::kCopyObjectHttp), Body::Whole),
  };
}

}  // namespace services::s3
