// SPDX-License-Identifier: Apache-2.0
// When batches become a chunk.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/time.h"

namespace telemetry {

// A group is sealed when it has this much, or when its oldest batch is this old: large chunks are small on disk and
// fast to search, and a read looks at all unsealed batches.
inline constexpr std::int64_t kSealBytes = 8 << 20;
inline constexpr std::int64_t kSealBatches = 2000;
inline constexpr base::Duration kSealAfter = std::chrono::hours(24);

// The sealer waits for this.
inline constexpr char kSealTopic[] = "logs/seal";

}  // namespace telemetry
