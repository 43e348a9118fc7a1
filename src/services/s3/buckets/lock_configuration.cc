// SPDX-License-Identifier: Apache-2.0
#include "services/s3/buckets/lock_configuration.h"

#include "services/s3/buckets/setting_column.h"
#include "services/s3/errors.h"
#include "services/s3/operations.h"

namespace services::s3 {
namespace {

constexpr std::int32_t kMaxDays = 36500, kMaxYears = 100;

void check_period(std::int32_t period, std::int32_t most, std::string_view unit) {
  if (period <= 0) throw invalid_argument("Default retention period must be a positive integer value.", unit);
  if (period > most) {
    throw invalid_argument("Default retention period is too long: " + std::string(unit) + " can be at most " +
                               std::to_string(most) + ".",
                           unit);
  }
}

void check_rule(const shape::ObjectLockRule& rule) {
  if (!rule.DefaultRetention || !rule.DefaultRetention->Mode) throw malformed_xml();
  const shape::DefaultRetention& retention = *rule.DefaultRetention;
  if (retention.Days.has_value() == retention.Years.has_value()) throw malformed_xml();
  if (retention.Days) check_period(*retention.Days, kMaxDays, "Days");
  if (retention.Years) check_period(*retention.Years, kMaxYears, "Years");
}

}  // namespace

shape::GetObjectLockConfigurationOutput get_object_lock_configuration(
    Call& call, const shape::GetObjectLockConfigurationRequest& request) {
  const Bucket bucket =
      find_bucket(call, request.Bucket, {.action = "s3:GetBucketObjectLockConfiguration"}, request.ExpectedBucketOwner);
  if (!bucket.object_lock) {
    throw not_set("ObjectLockConfigurationNotFoundError", "Object Lock configuration does not exist for this bucket",
                  bucket);
  }
  return {from_json<shape::ObjectLockConfiguration>(*bucket.object_lock)};
}

// Object Lock can be enabled at any time, and never disabled. The token, which Amazon's support once had to issue for an
// existing bucket, means nothing anymore.
shape::PutObjectLockConfigurationOutput put_object_lock_configuration(
    Call& call, const shape::PutObjectLockConfigurationRequest& request) {
  const Bucket bucket =
      find_bucket(call, request.Bucket, {.action = "s3:PutBucketObjectLockConfiguration"}, request.ExpectedBucketOwner);
  const auto& configuration = request.ObjectLockConfiguration;
  if (!configuration || !configuration->ObjectLockEnabled) throw malformed_xml();
  if (configuration->Rule) check_rule(*configuration->Rule);
  if (!bucket.versioned()) {
    throw wire::ApiError("InvalidBucketState",
                         "Versioning must be 'Enabled' on the bucket to apply a Object Lock configuration");
  }
  write_setting(call.tx, bucket, "object_lock", to_json(*configuration));
  return {};
}

std::vector<ObjectOperation> lock_configuration_operations() {
  return {
      operation<&get_object_lock_configuration>("GetObjectLockConfiguration", Access::Read,
                                                shape::kGetObjectLockConfigurationHttp),
      operation<&put_object_lock_configuration>("PutObjectLockConfiguration", Access::Write,
                                                shape::kPutObjectLockConfigurationHttp),
  };
}

}  // namespace services::s3
