// SPDX-License-Identifier: Apache-2.0
#include "services/s3/quota.h"

#include "wire/error.h"

namespace services::s3 {

// Amazon has no such quota, and no code for it. Ceph's clients know this one, with its status.
void check_quota(const Call& call, const std::string& account, const Usage& gain) {
  if (auto problem = quota_problem(call, account, gain)) throw wire::ApiError("QuotaExceeded", std::move(*problem));
}

Usage gain_of(const Bucket& bucket, const std::optional<LatestSummary>& standing, std::int64_t size) {
  const bool replaces = standing && standing->null && !bucket.versioned();
  return replaces ? Usage{.bytes = size - standing->size} : Usage{.bytes = size, .objects = 1};
}

}  // namespace services::s3
