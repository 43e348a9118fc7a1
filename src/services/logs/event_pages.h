// SPDX-License-Identifier: Apache-2.0
// What reads of events share: Amazon's page, names of streams, and errors.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "services/logs/group.h"
#include "telemetry/logs/reader.h"

namespace services::logs {

// Amazon's page: whichever comes first.
inline constexpr std::int64_t kMaxPageEvents = 10000;
inline constexpr std::size_t kMaxPageBytes = 1048576;
// What a call decompresses before it answers with a token.
inline constexpr std::uint64_t kReadBudget = 64u << 20;

// The names of a group's streams by their numbers, looked up when they are first needed.
class StreamNames {
 public:
  StreamNames(store::Tx& tx, std::int64_t group) : tx_(tx), group_(group) {}

  // nullptr for a deleted stream.
  const std::string* find(std::int64_t number);

 private:
  store::Tx& tx_;
  std::int64_t group_;
  std::unordered_map<std::int64_t, std::optional<std::string>> names_;
};

struct PageEvent {
  telemetry::EventKey key;
  std::int64_t ingested_ms = 0;
  std::string stream, message;
};

struct EventPage {
  std::vector<PageEvent> events;                  // in the order of the range
  std::optional<telemetry::EventKey> next = {};   // where to continue; absent: at the end of the range
};

// Up to `limit` events of existing streams that are wanted. Throws ApiError.
EventPage read_event_page(Call& call, const telemetry::LogRange& range, std::int64_t limit,
                          const std::function<bool(const telemetry::LogEvent&, const std::string& stream)>& wanted);

// Hides events that have expired.
telemetry::LogRange range_of(Call& call, const Group& group, const std::optional<std::int64_t>& first_ms,
                             const std::optional<std::int64_t>& last_ms);

}  // namespace services::logs
