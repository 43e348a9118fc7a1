// SPDX-License-Identifier: Apache-2.0
// Deletes events: whole chunks and batches, a bounded number at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "store/store.h"

namespace telemetry {

// Whether the group has a chunk or a batch whose last event is older.
bool has_expired(store::Tx& tx, std::int64_t group, std::int64_t before_ms);
// Deletes up to `most` chunks and as many batches whose last event is older. Returns their stored bytes.
std::int64_t delete_expired(store::Tx& tx, std::int64_t group, std::int64_t before_ms, std::int64_t most, base::Time now);
// Deletes up to `most` chunks and as many batches of a group.
struct LogSlice {
  bool closed = false;     // none are left, and the group's log is closed
  std::int64_t bytes = 0;  // stored bytes of what it deleted
};
LogSlice delete_log_slice(store::Tx& tx, std::int64_t group, std::int64_t most, base::Time now);

// The files of chunks that were deleted before this time. A snapshot of a reader names a file for a while longer.
inline constexpr base::Duration kDeadFileAge = std::chrono::minutes(2);
std::vector<std::string> dead_files(store::Tx& tx, base::Time deleted_before, std::int64_t most);
std::optional<base::Time> oldest_dead_file(store::Tx& tx);
void forget_dead_file(store::Tx& tx, const std::string& file);

}  // namespace telemetry
