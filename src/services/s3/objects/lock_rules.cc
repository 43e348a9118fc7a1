// SPDX-License-Identifier: Apache-2.0
#include "services/s3/objects/lock_rules.h"

#include "services/s3/errors.h"
#include "services/shape_json.h"
#include "shapes/s3/object_lock.h"
#include "wire/timestamp.h"

namespace services::s3 {
namespace {

constexpr int kDaysOfYear = 365;

void check_may(const Call& call, const Bucket& bucket, const std::string& key, std::string_view action) {
  if (!allowed(call, bucket, {.action = action, .key = key})) throw access_denied();
}

}  // namespace

VersionLock stated_lock(const Call& call, const Bucket& bucket, const std::string& key, const LockHeaders& wish) {
  if (!wish.mode && !wish.until && !wish.hold) return {};
  // Observed at Amazon: operations on existing objects write the last two words apart.
  if (!bucket.object_lock) throw invalid_request("Bucket is missing ObjectLockConfiguration");
  if (wish.mode.has_value() != wish.until.has_value()) {
    throw invalid_argument("x-amz-object-lock-retain-until-date and x-amz-object-lock-mode must both be supplied",
                           wish.mode ? "x-amz-object-lock-retain-until-date" : "x-amz-object-lock-mode");
  }
  if (wish.until) {
    check_future(*wish.until, call.now, "x-amz-object-lock-retain-until-date");
    check_may(call, bucket, key, "s3:PutObjectRetention");
  }
  if (wish.hold) check_may(call, bucket, key, "s3:PutObjectLegalHold");
  return {wish.mode, wish.until, wish.hold};
}

VersionLock with_default_retention(const Bucket& bucket, VersionLock lock, base::Time now) {
  if (!bucket.object_lock || lock.Mode) return lock;
  const auto configuration = from_json<shapes::s3::ObjectLockConfiguration>(*bucket.object_lock);
  if (!configuration.Rule) return lock;
  const shapes::s3::DefaultRetention& retention = *configuration.Rule->DefaultRetention;
  const int days = retention.Days ? *retention.Days : *retention.Years * kDaysOfYear;
  lock.Mode = retention.Mode;
  lock.RetainUntilDate = now + std::chrono::days(days);
  return lock;
}

void check_lock_digest(const VersionLock& lock, bool has_digest) {
  if (lock.empty() || has_digest) return;
  throw invalid_request("Content-MD5 OR x-amz-checksum- HTTP header is required for Put Object requests with Object "
                        "Lock parameters");
}

void check_future(base::Time until, base::Time now, std::string_view argument) {
  if (until > now) return;
  throw invalid_argument("The retain until date must be in the future!", argument, wire::to_iso8601(until));
}

bool may_bypass(const Call& call, const Bucket& bucket, const std::string& key, const std::optional<bool>& bypass) {
  if (!bypass.value_or(false)) return false;
  check_may(call, bucket, key, "s3:BypassGovernanceRetention");
  return true;
}

wire::ApiError protected_error() {
  return wire::ApiError("AccessDenied", "Access Denied because object protected by object lock.");
}

}  // namespace services::s3
