// SPDX-License-Identifier: Apache-2.0
#include "services/s3/objects/object_tagging.h"

#include "services/s3/errors.h"
#include "services/s3/events.h"
#include "services/s3/objects/object_access.h"
#include "services/s3/objects/object_tags.h"
#include "services/s3/operations.h"
#include "services/shape_json.h"

namespace services::s3 {
namespace {

void store_tags(Call& call, Object& object, Tags tags) {
  call.tx.exec("UPDATE s3_objects SET tags = $2 WHERE id = $1", object.id, tags.empty() ? "" : to_json(tags));
  object.tags = std::move(tags);
}

// Here alone Amazon names the missing key with its bucket.
Object find_read(Call& call, const Bucket& bucket, const shape::GetObjectTaggingRequest& request) {
  if (!request.VersionId && !load_latest(call.tx, bucket, request.Key)) {
    throw missing_key(call, bucket, bucket.name + "/" + request.Key);
  }
  return find_live_object(call, bucket, request.Key, request.VersionId);
}

}  // namespace

shape::GetObjectTaggingOutput get_object_tagging(Call& call, const shape::GetObjectTaggingRequest& request) {
  const Bucket bucket =
      find_object_bucket(call, {request.Bucket, request.Key, request.VersionId, request.ExpectedBucketOwner},
                         "s3:GetObjectTagging", "s3:GetObjectVersionTagging");
  const Object object = find_read(call, bucket, request);
  shape::GetObjectTaggingOutput output{.VersionId = shown_version(bucket, object)};
  for (const auto& [key, value] : object.tags) output.TagSet.push_back({key, value});
  return output;
}

shape::PutObjectTaggingOutput put_object_tagging(Call& call, const shape::PutObjectTaggingRequest& request) {
  Tags tags = read_tags(request.Tagging.TagSet);
  PolicyContext context;
  for (const auto& [key, value] : tags) context["s3:RequestObjectTag/" + key] = value;
  const Bucket bucket =
      find_object_bucket(call, {request.Bucket, request.Key, request.VersionId, request.ExpectedBucketOwner},
                         "s3:PutObjectTagging", "s3:PutObjectVersionTagging", std::move(context));
  Object object = find_live_object(call, bucket, request.Key, request.VersionId);
  store_tags(call, object, std::move(tags));
  tell(call, bucket, "ObjectTagging:Put", object);
  return {.VersionId = shown_version(bucket, object)};
}

shape::DeleteObjectTaggingOutput delete_object_tagging(Call& call, const shape::DeleteObjectTaggingRequest& request) {
  const Bucket bucket =
      find_object_bucket(call, {request.Bucket, request.Key, request.VersionId, request.ExpectedBucketOwner},
                         "s3:DeleteObjectTagging", "s3:DeleteObjectVersionTagging");
  Object object = find_live_object(call, bucket, request.Key, request.VersionId);
  store_tags(call, object, {});
  tell(call, bucket, "ObjectTagging:Delete", object);
  return {.VersionId = shown_version(bucket, object)};
}

std::vector<ObjectOperation> object_tagging_operations() {
  return {
      operation<&get_object_tagging>("GetObjectTagging", Access::Read, shape::kGetObjectTaggingHttp),
      operation<&put_object_tagging>("PutObjectTagging", Access::Write, shape::kPutObjectTaggingHttp),
      operation<&delete_object_tagging>("DeleteObjectTagging", Access::Write, shape::kDeleteObjectTaggingHttp),
  };
}

}  // namespace services::s3
