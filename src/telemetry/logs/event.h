// SPDX-License-Identifier: Apache-2.0
// A log event, and its place in its group.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace telemetry {

// Events of a group are ordered by time, then by ingestion, then by their place in the request.
struct EventKey {
  std::int64_t timestamp_ms = 0;
  std::int64_t batch = 0;  // the number of the PutLogEvents request in its group
  std::int64_t index = 0;  // among the stored events of the request

  auto operator<=>(const EventKey&) const = default;
};

// Beyond any event's index, and with room for one more in an id.
inline constexpr std::int64_t kMaxEventIndex = 100000000000000000;

// 56 digits whose order is that of the keys. It stays the same when the event moves into a chunk.
std::string event_id(const EventKey& key);
// nullopt for other text.
std::optional<EventKey> parse_event_id(std::string_view text);

// An event of a request.
struct NewEvent {
  std::int64_t timestamp_ms = 0;
  std::string_view message = {};
};

// Amazon counts this much per event beside its message.
inline constexpr std::size_t kEventOverheadBytes = 26;

// Events in memory: their messages stand one after another in `text`.
struct EventTable {
  struct Row {
    EventKey key;
    std::int64_t ingested_ms = 0;
    std::int64_t stream = 0;  // the number of the stream in its group
    std::uint32_t offset = 0, size = 0;
  };

  std::vector<Row> rows;
  std::string text;

  std::string_view message(const Row& row) const { return std::string_view(text).substr(row.offset, row.size); }
};

}  // namespace telemetry
