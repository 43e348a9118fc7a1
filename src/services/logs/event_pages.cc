// SPDX-License-Identifier: Apache-2.0
#include "services/logs/event_pages.h"

#include "wire/error.h"

namespace services::logs {

const std::string* StreamNames::find(std::int64_t number) {
  auto found = names_.find(number);
  if (found == names_.end()) {
    auto name = tx_.query("SELECT name FROM logs_streams WHERE group_id = $1 AND number = $2", group_, number)
                    .one([](const store::Row& row) { return row.str(0); });
    found = names_.emplace(number, std::move(name)).first;
  }
  return found->second ? &*found->second : nullptr;
}

EventPage read_event_page(Call& call, const telemetry::LogRange& range, std::int64_t limit,
                          const std::function<bool(const telemetry::LogEvent&, const std::string& stream)>& wanted) {
  EventPage page;
  StreamNames names(call.tx, range.group);
  std::size_t bytes = 0;
  std::optional<telemetry::EventKey> does_not_fit;
  const auto take = [&](const telemetry::LogEvent& event) {
    const std::string* stream = names.find(event.stream);
    if (!stream || !wanted(event, *stream)) return true;
    bytes += event.message.size() + telemetry::kEventOverheadBytes;
    if (bytes > kMaxPageBytes && !page.events.empty()) {
      does_not_fit = event.key;
      return false;
    }
    page.events.push_back({event.key, event.ingested_ms, *stream, std::string(event.message)});
    return std::ssize(page.events) < limit;
  };
  try {
    page.next = telemetry::read_log(call.tx, call.local<telemetry::ChunkFiles>(), range, kReadBudget, take).next;
  } catch (const telemetry::TooManyOverlaps& error) {
    throw wire::ApiError("LimitExceededException", error.what());
  }
  if (does_not_fit) page.next = does_not_fit;
  return page;
}

telemetry::LogRange range_of(Call& call, const Group& group, const std::optional<std::int64_t>& first_ms,
                             const std::optional<std::int64_t>& last_ms) {
  telemetry::LogRange range;
  range.group = group.id;
  range.first_ms = std::max(first_ms.value_or(0), group.expired_before_ms(call.now));
  range.last_ms = last_ms.value_or(INT64_MAX);
  return range;
}

}  // namespace services::logs
