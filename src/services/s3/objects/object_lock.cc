// SPDX-License-Identifier: Apache-2.0
// Retention and legal holds of versions.
#include "services/s3/objects/object_lock.h"

#include "services/s3/errors.h"
#include "services/s3/objects/lock_rules.h"
#include "services/s3/objects/object_access.h"
#include "services/s3/operations.h"

namespace services::s3 {
namespace {

struct Lockable {
  Bucket bucket;
  Object object;
};

template <class Request>
Lockable find_lockable(Call& call, const Request& request, std::string_view action) {
  const Target target{request.Bucket, request.Key, request.VersionId, request.ExpectedBucketOwner};
  Bucket bucket = find_object_bucket(call, target, action, action);
  if (!bucket.object_lock) throw invalid_request("Bucket is missing Object Lock Configuration");
  Object object = find_live_object(call, bucket, request.Key, request.VersionId);
  return {std::move(bucket), std::move(object)};
}

wire::ApiError no_lock() {
  return wire::ApiError("NoSuchObjectLockConfiguration",
                        "The specified object does not have a ObjectLock configuration");
}

// A retention may be extended by everybody who may set one. All else that weakens it needs the mode GOVERNANCE and a
// bypass; so does a change of the mode.
bool weakens(const VersionLock& present, const shape::ObjectLockRetention& wish, base::Time now) {
  if (!present.retained(now)) return false;
  return wish.Mode != present.Mode || *wish.RetainUntilDate < *present.RetainUntilDate;
}

}  // namespace

shape::GetObjectLegalHoldOutput get_object_legal_hold(Call& call, const shape::GetObjectLegalHoldRequest& request) {
  const Lockable found = find_lockable(call, request, "s3:GetObjectLegalHold");
  if (!found.object.lock.LegalHold) throw no_lock();
  return {shape::ObjectLockLegalHold{found.object.lock.LegalHold}};
}

shape::PutObjectLegalHoldOutput put_object_legal_hold(Call& call, const shape::PutObjectLegalHoldRequest& request) {
  Lockable found = find_lockable(call, request, "s3:PutObjectLegalHold");
  if (!request.LegalHold || !request.LegalHold->Status) throw malformed_xml();
  found.object.lock.LegalHold = request.LegalHold->Status;
  set_lock(call.tx, found.object);
  return {};
}

shape::GetObjectRetentionOutput get_object_retention(Call& call, const shape::GetObjectRetentionRequest& request) {
  const Lockable found = find_lockable(call, request, "s3:GetObjectRetention");
  const VersionLock& lock = found.object.lock;
  if (!lock.Mode) throw no_lock();
  return {shape::ObjectLockRetention{lock.Mode, lock.RetainUntilDate}};
}

shape::PutObjectRetentionOutput put_object_retention(Call& call, const shape::PutObjectRetentionRequest& request) {
  Lockable found = find_lockable(call, request, "s3:PutObjectRetention");
  if (!request.Retention) throw malformed_xml();
  const shape::ObjectLockRetention& wish = *request.Retention;
  if (wish.Mode.has_value() != wish.RetainUntilDate.has_value()) throw malformed_xml();
  if (wish.RetainUntilDate) check_future(*wish.RetainUntilDate, call.now, "RetainUntilDate");
  VersionLock& lock = found.object.lock;
  const bool bypass = may_bypass(call, found.bucket, request.Key, request.BypassGovernanceRetention);
  if (weakens(lock, wish, call.now) && !(bypass && lock.Mode == "GOVERNANCE")) throw protected_error();
  lock.Mode = wish.Mode;
  lock.RetainUntilDate = wish.RetainUntilDate;
  set_lock(call.tx, found.object);
  return {};
}

std::vector<ObjectOperation> object_lock_operations() {
  return {
      operation<&get_object_legal_hold>("GetObjectLegalHold", Access::Read, shape::kGetObjectLegalHoldHttp),
      with_digest(
          operation<&put_object_legal_hold>("PutObjectLegalHold", Access::Write, shape::kPutObjectLegalHoldHttp)),
      operation<&get_object_retention>("GetObjectRetention", Access::Read, shape::kGetObjectRetentionHttp),
      with_digest(
          operation<&put_object_retention>("PutObjectRetention", Access::Write, shape::kPutObjectRetentionHttp)),
  };
}

}  // namespace services::s3
