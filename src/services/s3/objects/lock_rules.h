// SPDX-License-Identifier: Apache-2.0
// What Object Lock demands of requests: which lock a new version gets, and who may delete or change a locked one.
#pragma once

#include "services/s3/objects/object_row.h"
#include "wire/error.h"

namespace services::s3 {

struct LockHeaders {
  const std::optional<std::string>& mode;
  const std::optional<base::Time>& until;
  const std::optional<std::string>& hold;
};

template <class Request>
LockHeaders lock_headers(const Request& r) {
  return {r.ObjectLockMode, r.ObjectLockRetainUntilDate, r.ObjectLockLegalHoldStatus};
}

// The lock that a request states for a new version. Throws where the bucket has no Object Lock, the headers are invalid
// or the caller may not lock.
VersionLock stated_lock(const Call& call, const Bucket& bucket, const std::string& key, const LockHeaders& wish);
// Adds the bucket's default retention, where the request has stated none.
VersionLock with_default_retention(const Bucket& bucket, VersionLock lock, base::Time now);
// A body that gets a lock must be verified: throws InvalidRequest where the request states no digest of it.
void check_lock_digest(const VersionLock& lock, bool has_digest);

// Throws InvalidArgument for a date that has passed.
void check_future(base::Time until, base::Time now, std::string_view argument);

// Whether the request may ignore the mode GOVERNANCE. Throws where it asks for that and the caller may not.
bool may_bypass(const Call& call, const Bucket& bucket, const std::string& key, const std::optional<bool>& bypass);
wire::ApiError protected_error();

// Shows the lock to callers who may read it.
template <class Output>
void show_lock(const Call& call, const Bucket& bucket, const Object& object, Output& output) {
  const VersionLock& lock = object.lock;
  if (lock.Mode && allowed(call, bucket, {.action = "s3:GetObjectRetention", .key = object.key})) {
    output.ObjectLockMode = lock.Mode;
    output.ObjectLockRetainUntilDate = lock.RetainUntilDate;
  }
  if (lock.LegalHold && allowed(call, bucket, {.action = "s3:GetObjectLegalHold", .key = object.key})) {
    output.ObjectLockLegalHoldStatus = lock.LegalHold;
  }
}

}  // namespace services::s3
