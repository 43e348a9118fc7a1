// SPDX-License-Identifier: Apache-2.0
// What objects add to the use of their bucket's account.
#pragma once

#include "services/s3/objects/object_row.h"
#include "services/usage.h"

namespace services::s3 {

// Throws QuotaExceeded where the account would have more than its quota. Before the handler writes.
void check_quota(const Call& call, const std::string& account, const Usage& gain);

// Of a new latest version of this size, which may replace the present one.
Usage gain_of(const Bucket& bucket, const std::optional<LatestSummary>& standing, std::int64_t size);

}  // namespace services::s3
