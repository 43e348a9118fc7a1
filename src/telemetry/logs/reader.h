// SPDX-License-Identifier: Apache-2.0
// Reads the events of a group in order, from chunks and from batches that are not sealed yet:
//
//   LogRange range{.group = id, .first_ms = start, .last_ms = end};
//   const LogPage page = read_log(tx, call.local<telemetry::ChunkFiles>(), range, kBudget, [&](const LogEvent& event) {
//     rows.push_back(parse(event.message));
//     return rows.size() < kLimit;
//   });
//   if (page.next) ...  // the next call begins there: range.from = *page.next
//
// Only for read handlers and looks: it decompresses megabytes, which the writer has no time for.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"
#include "telemetry/logs/chunk.h"
#include "telemetry/logs/chunk_files.h"
#include "telemetry/logs/event.h"

namespace telemetry {

// Valid only inside the function that receives it.
struct LogEvent {
  EventKey key;  // event_id(key) is its id
  std::int64_t ingested_ms = 0;
  std::int64_t stream = 0;  // its number; the stream may have been deleted
  std::string_view message = {};
};

struct LogRange {
  std::int64_t group = 0;
  std::int64_t first_ms = 0, last_ms = INT64_MAX;  // both inclusive
  bool backward = false;                           // the newest first
  // Where to begin: the first key that may be returned, or the last one for `backward`.
  std::optional<EventKey> from = {};
  std::vector<std::int64_t> streams = {};  // sorted; only these, unless it is empty
  // Chunks that can't contain these are not decompressed, and events without them are not passed on.
  TextHint hint = {};
};

struct LogPage {
  // Where the next call continues. Absent: there is nothing more.
  std::optional<EventKey> next = {};
  std::uint64_t read_bytes = 0;  // decompressed
};

// At most this many chunks and batches may overlap at one time. Beyond that a read throws TooManyOverlaps.
inline constexpr std::size_t kMaxOverlap = 4096;
inline constexpr std::uint64_t kMaxOverlapBytes = 256u << 20;

class TooManyOverlaps : public std::runtime_error {
 public:
  TooManyOverlaps();
};

// Calls `fn` for each event, in order of keys, until it returns false (that event was taken), about `budget` bytes
// were decompressed, or the range ends.
using EachEvent = std::function<bool(const LogEvent&)>;
LogPage read_log(store::Tx& tx, const ChunkFiles& files, const LogRange& range, std::uint64_t budget,
                 const EachEvent& fn);

}  // namespace telemetry
