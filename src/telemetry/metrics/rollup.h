// SPDX-License-Identifier: Apache-2.0
// Ages blocks: seconds become minutes after 3 hours, five minutes after 15 days, hours after 63 days, and nothing after
// 455 days. Some at a time.
#pragma once

#include "telemetry/metrics/seal.h"

namespace telemetry {

struct Tier {
  std::int64_t resolution_s;
  std::int64_t kept_s;
  // Blocks wait for each other for so long: then their successor is larger.
  std::int64_t slack_s;
};
inline constexpr Tier kTiers[] = {
    {1, 3 * 3600, 2 * 3600},
    {60, 15 * 86400, 86400},
    {300, 63 * 86400, 7 * 86400},
    {3600, 455 * 86400, 0},
};

// Decides on a slice, on a snapshot: new blocks are computed here, and written by `apply`.
SealStep look_for_rollup(MetricStore& metrics, store::Tx& tx, base::Time now);

}  // namespace telemetry
