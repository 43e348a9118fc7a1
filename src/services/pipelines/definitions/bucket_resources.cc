// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "services/invoke.h"
#include "services/pipelines/definitions/reconciliation.h"
#include "services/shape_json.h"
#include "shapes/s3/bucket.h"
#include "shapes/s3/bucket_settings.h"
#include "shapes/s3/object_delete.h"
#include "shapes/s3/object_list.h"
#include "wire/error.h"

namespace services::pipelines {
namespace {

namespace s3 = shapes::s3;

constexpr char kBucketKind[] = "bucket";
constexpr char kFirstRegion[] = "us-east-1";  // S3 has no location constraint for it
constexpr std::int32_t kMaxDeletedObjects = 1000;  // per turn, and per call of DeleteObjects

bool bucket_exists(Call& call, const std::string& name) {
  try {
    invoke<s3::HeadBucketOutput>(call, call.caller, "s3", "HeadBucket", s3::HeadBucketRequest{.Bucket = name});
    return true;
  } catch (const wire::ApiError& error) {
    if (error.code() == "NoSuchBucket") return false;
    if (error.code() != "AccessDenied") throw;
    throw wire::ApiError("ConflictException", "The bucket '" + name + "' belongs to another account. Nothing was "
                                              "changed. Set another bucket in the pipeline's spec.");
  }
}

std::vector<s3::Tag> bucket_tags(Call& call, const std::string& name) {
  try {
    return invoke<s3::GetBucketTaggingOutput>(call, call.caller, "s3", "GetBucketTagging",
                                          s3::GetBucketTaggingRequest{.Bucket = name})
        .TagSet;
  } catch (const wire::ApiError& error) {
    if (error.code() != "NoSuchTagSet") throw;
    return {};
  }
}

std::string pipeline_tag(const std::vector<s3::Tag>& tags) {
  for (const auto& tag : tags) {
    if (tag.Key == kPipelineTag) return tag.Value;
  }
  return "";
}

void create_pipeline_bucket(Reconciliation& work, const std::string& name) {
  s3::CreateBucketRequest request;
  request.Bucket = name;
  s3::CreateBucketConfiguration configuration;
  if (work.call.caller.region != kFirstRegion) configuration.LocationConstraint = work.call.caller.region;
  configuration.Tags = {{{.Key = kPipelineTag, .Value = work.pipeline}}};
  request.CreateBucketConfiguration = std::move(configuration);
  invoke<s3::CreateBucketOutput>(work.call, work.call.caller, "s3", "CreateBucket", request);
}

void reconcile_tag(Reconciliation& work, const std::string& bucket) {
  auto tags = bucket_tags(work.call, bucket);
  Comparison comparison(work, kBucketKind, bucket);
  if (!comparison.tag(pipeline_tag(tags)) || work.dry_run) return;
  std::erase_if(tags, [](const auto& tag) { return tag.Key == kPipelineTag; });
  tags.push_back({.Key = kPipelineTag, .Value = work.pipeline});
  s3::PutBucketTaggingRequest request;
  request.Bucket = bucket;
  request.Tagging.TagSet = std::move(tags);
  invoke(work.call, work.call.caller, "s3", "PutBucketTagging", request);
}

// The configurations of others, and the pipeline's own.
struct Notifications {
  std::vector<s3::QueueConfiguration> others;
  std::optional<s3::QueueConfiguration> own;
};

Notifications read_notifications(Call& call, const std::string& bucket) {
  const auto configuration = invoke<s3::NotificationConfiguration>(
      call, call.caller, "s3", "GetBucketNotificationConfiguration",
      s3::GetBucketNotificationConfigurationRequest{.Bucket = bucket});
  Notifications all;
  for (const s3::QueueConfiguration& queue : configuration.QueueConfigurations.value_or(std::vector<s3::QueueConfiguration>())) {
    if (queue.Id == kNotificationId) {
      all.own = queue;
    } else {
      all.others.push_back(queue);
    }
  }
  return all;
}

void put_notifications(Call& call, const std::string& bucket, std::vector<s3::QueueConfiguration> queues) {
  s3::PutBucketNotificationConfigurationRequest request;
  request.Bucket = bucket;
  if (!queues.empty()) request.NotificationConfiguration.QueueConfigurations = std::move(queues);
  // Else S3 sends a test event, which would start a worker.
  request.SkipDestinationValidation = true;
  invoke(call, call.caller, "s3", "PutBucketNotificationConfiguration", request);
}

void reconcile_notification(Reconciliation& work, const Desired& desired) {
  const std::string& bucket = desired.names.bucket;
  Notifications notifications = read_notifications(work.call, bucket);
  Comparison comparison(work, kBucketKind, bucket);
  comparison.text("notification", notifications.own ? to_json(*notifications.own) : "", to_json(desired.notification));
  if (!comparison.differs() || work.dry_run) return;
  notifications.others.push_back(desired.notification);
  put_notifications(work.call, bucket, std::move(notifications.others));
}

std::vector<s3::LifecycleRule> read_lifecycle(Call& call, const std::string& bucket) {
  try {
    return invoke<s3::GetBucketLifecycleConfigurationOutput>(call, call.caller, "s3", "GetBucketLifecycleConfiguration",
                                                         s3::GetBucketLifecycleConfigurationRequest{.Bucket = bucket})
        .Rules.value_or(std::vector<s3::LifecycleRule>());
  } catch (const wire::ApiError& error) {
    if (error.code() != "NoSuchLifecycleConfiguration") throw;
    return {};
  }
}

std::string rules_text(const std::vector<s3::LifecycleRule>& rules) {
  std::string text;
  for (const s3::LifecycleRule& rule : rules) text += (text.empty() ? "[" : ",") + to_json(rule);
  return text.empty() ? "" : text + "]";
}

void reconcile_lifecycle(Reconciliation& work, const Desired& desired) {
  const std::string& bucket = desired.names.bucket;
  std::vector<s3::LifecycleRule> rules = read_lifecycle(work.call, bucket), own;
  const auto is_own = [](const s3::LifecycleRule& rule) { return rule.ID.value_or("").starts_with(kLifecycleIds); };
  std::ranges::copy_if(rules, std::back_inserter(own), is_own);
  Comparison comparison(work, kBucketKind, bucket);
  comparison.text("lifecycle", rules_text(own), rules_text(desired.lifecycle));
  if (!comparison.differs() || work.dry_run) return;
  std::erase_if(rules, is_own);
  rules.insert(rules.end(), desired.lifecycle.begin(), desired.lifecycle.end());
  if (rules.empty()) {
    invoke(work.call, work.call.caller, "s3", "DeleteBucketLifecycle", s3::DeleteBucketLifecycleRequest{.Bucket = bucket});
    return;
  }
  s3::PutBucketLifecycleConfigurationRequest request;
  request.Bucket = bucket;
  request.LifecycleConfiguration = s3::BucketLifecycleConfiguration{std::move(rules)};
  invoke<s3::PutBucketLifecycleConfigurationOutput>(work.call, work.call.caller, "s3", "PutBucketLifecycleConfiguration",
                                                request);
}

}  // namespace

void reconcile_bucket(Reconciliation& work, const Desired& desired) {
  const std::string& bucket = desired.names.bucket;
  const bool exists = bucket_exists(work.call, bucket);
  // A deleted pipeline of this name has left it, with its data.
  const bool returns = exists && pipeline_tag(bucket_tags(work.call, bucket)) == work.pipeline;
  claim(work, kBucketKind, bucket, exists && !returns);
  if (!exists) {
    work.created(kBucketKind, bucket);
    if (work.dry_run) return;
    create_pipeline_bucket(work, bucket);
    put_notifications(work.call, bucket, {desired.notification});
    Reconciliation unreported{.call = work.call, .pipeline = work.pipeline};
    reconcile_lifecycle(unreported, desired);
    return;
  }
  reconcile_tag(work, bucket);
  reconcile_notification(work, desired);
  reconcile_lifecycle(work, desired);
}

bool release_bucket(Reconciliation& work, const Desired& desired) {
  const std::string& bucket = desired.names.bucket;
  if (!bucket_exists(work.call, bucket)) return true;
  s3::ListObjectVersionsRequest any{.Bucket = bucket};
  any.MaxKeys = 1;
  const auto listed =
      invoke<s3::ListObjectVersionsOutput>(work.call, work.call.caller, "s3", "ListObjectVersions", any);
  if (!listed.Versions && !listed.DeleteMarkers) {
    work.deleted(kBucketKind, bucket);
    invoke(work.call, work.call.caller, "s3", "DeleteBucket", s3::DeleteBucketRequest{.Bucket = bucket});
    return true;
  }
  // Its queue is about to go.
  put_notifications(work.call, bucket, read_notifications(work.call, bucket).others);
  return false;
}

bool empty_bucket(Call& call, const std::string& bucket) {
  if (!bucket_exists(call, bucket)) return true;
  s3::ListObjectVersionsRequest list{.Bucket = bucket};
  list.MaxKeys = kMaxDeletedObjects;
  const auto listed = invoke<s3::ListObjectVersionsOutput>(call, call.caller, "s3", "ListObjectVersions", list);
  // One by one: DeleteObjects is for clients, whose long requests give way to others.
  const auto remove = [&](const std::string& key, const std::optional<std::string>& version) {
    s3::DeleteObjectRequest request{.Bucket = bucket, .Key = key};
    request.VersionId = version;
    invoke<s3::DeleteObjectOutput>(call, call.caller, "s3", "DeleteObject", request);
  };
  for (const auto& version : listed.Versions.value_or(std::vector<s3::ObjectVersion>())) {
    remove(*version.Key, version.VersionId);
  }
  for (const auto& marker : listed.DeleteMarkers.value_or(std::vector<s3::DeleteMarkerEntry>())) {
    remove(*marker.Key, marker.VersionId);
  }
  if (listed.IsTruncated.value_or(false)) return false;
  invoke(call, call.caller, "s3", "DeleteBucket", s3::DeleteBucketRequest{.Bucket = bucket});
  return true;
}

}  // namespace services::pipelines
