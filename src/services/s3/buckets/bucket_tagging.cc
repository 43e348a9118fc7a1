// SPDX-License-Identifier: Apache-2.0
#include "services/s3/buckets/bucket_tagging.h"

#include "services/s3/buckets/setting_column.h"
#include "services/s3/operations.h"
#include "services/s3/tag_rules.h"
#include "services/tags.h"

namespace services::s3 {

void set_bucket_tags(store::Tx& tx, const Bucket& bucket, const std::vector<shape::Tag>& tags) {
  if (tags.size() > kMaxTags) throw wire::ApiError("BadRequest", "Bucket tags cannot be greater than 50");
  check_tags(tags);
  for (const shape::Tag& tag : tags) {
    if (!tag.Key.starts_with("aws:")) continue;
    throw wire::ApiError("InvalidTag", "System tags cannot be added/updated by requester").with("TagKey", tag.Key);
  }
  std::optional<std::string> text;
  if (!tags.empty()) text = to_json(shape::Tagging{tags});
  write_setting(tx, bucket, "tagging", text);
}

void put_bucket_tagging(Call& call, const shape::PutBucketTaggingRequest& request) {
  const Bucket bucket =
      find_bucket(call, request.Bucket, {.action = "s3:PutBucketTagging"}, request.ExpectedBucketOwner);
  set_bucket_tags(call.tx, bucket, request.Tagging.TagSet);
}

shape::GetBucketTaggingOutput get_bucket_tagging(Call& call, const shape::GetBucketTaggingRequest& request) {
  const Bucket bucket =
      find_bucket(call, request.Bucket, {.action = "s3:GetBucketTagging"}, request.ExpectedBucketOwner);
  auto tagging = load_setting<shape::Tagging>(call.tx, bucket, "tagging");
  if (!tagging) throw not_set("NoSuchTagSet", "The TagSet does not exist", bucket);
  return {std::move(tagging->TagSet)};
}

void delete_bucket_tagging(Call& call, const shape::DeleteBucketTaggingRequest& request) {
  const Bucket bucket =
      find_bucket(call, request.Bucket, {.action = "s3:PutBucketTagging"}, request.ExpectedBucketOwner);
  write_setting(call.tx, bucket, "tagging", std::nullopt);
}

std::vector<ObjectOperation> bucket_tagging_operations() {
  return {
      with_digest(operation<&put_bucket_tagging>("PutBucketTagging", Access::Write,
                                                 with_status(shape::kPutBucketTaggingHttp, 204))),
      operation<&get_bucket_tagging>("GetBucketTagging", Access::Read, shape::kGetBucketTaggingHttp),
      operation<&delete_bucket_tagging>("DeleteBucketTagging", Access::Write, shape::kDeleteBucketTaggingHttp),
  };
}

}  // namespace services::s3
