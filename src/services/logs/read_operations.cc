// SPDX-License-Identifier: Apache-2.0
// GetLogEvents and FilterLogEvents.
#include <algorithm>

#include "services/logs/errors.h"
#include "services/logs/event_pages.h"
#include "services/logs/operations.h"
#include "services/logs/patterns/pattern.h"
#include "shapes/logs/log_event.h"

namespace services::logs {
using namespace shapes::logs;
using telemetry::EventKey;
namespace {

constexpr std::size_t kMaxPrefixStreams = 10000;  // more are checked event by event

// "f/<56 digits>/s": the first event that comes next; "b/...": the last one that comes before.
struct Position {
  bool backward = false;
  EventKey key;
};

std::string to_token(const Position& position) {
  return (position.backward ? "b/" : "f/") + telemetry::event_id(position.key) + "/s";
}

// Older tokens end without "/s".
Position parse_position(std::string_view token) {
  Position position{token.starts_with("b/"), {}};
  if (!position.backward && !token.starts_with("f/")) throw invalid_token();
  token.remove_prefix(2);
  if (token.ends_with("/s")) token.remove_suffix(2);
  const auto key = telemetry::parse_event_id(token);
  if (!key) throw invalid_token();
  position.key = *key;
  return position;
}

EventKey next_key(const EventKey& key) {
  if (key.index < telemetry::kMaxEventIndex) return {key.timestamp_ms, key.batch, key.index + 1};
  if (key.batch < INT64_MAX) return {key.timestamp_ms, key.batch + 1, 0};
  return {key.timestamp_ms < INT64_MAX ? key.timestamp_ms + 1 : INT64_MAX, 0, 0};
}
EventKey previous_key(const EventKey& key) {
  if (key.index > 0) return {key.timestamp_ms, key.batch, key.index - 1};
  if (key.batch > 0) return {key.timestamp_ms, key.batch - 1, telemetry::kMaxEventIndex};
  // Before the first batch of a millisecond is the end of the one before.
  return {std::max<std::int64_t>(key.timestamp_ms - 1, 0), INT64_MAX, telemetry::kMaxEventIndex};
}

// The tokens on either side of a page. At an end, the one that the client passed comes back: that is how it stops.
void set_tokens(const std::optional<Position>& from, const telemetry::LogRange& range, const EventPage& page,
                GetLogEventsResponse& response) {
  Position forward{false, {range.first_ms, 0, 0}}, backward{true, {}};
  if (!page.events.empty()) {
    forward.key = next_key((range.backward ? page.events.front() : page.events.back()).key);
    backward.key = previous_key((range.backward ? page.events.back() : page.events.front()).key);
  } else {
    if (from) forward.key = from->backward ? next_key(from->key) : from->key;
    backward.key = from && from->backward ? from->key : previous_key(forward.key);
  }
  // A page that ended early, with or without events, leads on from where it ended.
  if (page.next) (range.backward ? backward : forward).key = *page.next;
  response.nextForwardToken = to_token(forward);
  response.nextBackwardToken = to_token(backward);
}

// The part of the range in which the streams have events: a stream of ten minutes is not looked for in a year of chunks.
telemetry::LogRange within(telemetry::LogRange range, const Stream& first, const Stream& last) {
  range.first_ms = std::max(range.first_ms, first.first_event_ms.value_or(INT64_MAX));
  range.last_ms = std::min(range.last_ms, last.last_event_ms.value_or(0));
  return range;
}

GetLogEventsResponse get_log_events(Call& call, const GetLogEventsRequest& request) {
  const Group group = require_group(call, request.logGroupName, request.logGroupIdentifier);
  const Stream stream = require_stream(call, group, request.logStreamName);
  std::optional<Position> from;
  if (request.nextToken) from = parse_position(*request.nextToken);
  const auto last = request.endTime ? std::optional(*request.endTime - 1) : std::nullopt;
  telemetry::LogRange range = range_of(call, group, request.startTime, last);
  range.streams = {stream.number};
  range.backward = from ? from->backward : !request.startFromHead.value_or(false);
  if (from) range.from = from->key;
  EventPage page =
      read_event_page(call, within(range, stream, stream), request.limit.value_or(kMaxPageEvents), [](const auto&, const auto&) { return true; });
  GetLogEventsResponse response;
  set_tokens(from, range, page, response);
  if (range.backward) std::reverse(page.events.begin(), page.events.end());
  response.events.emplace();
  for (PageEvent& event : page.events) {
    response.events->push_back({event.key.timestamp_ms, std::move(event.message), event.ingested_ms});
  }
  return response;
}

// The numbers of streams, sorted; nullopt where their names have to be checked instead.
using Numbers = std::optional<std::vector<std::int64_t>>;

Numbers numbers_of(Call& call, const Group& group, const FilterLogEventsRequest& request) {
  std::vector<std::int64_t> numbers;
  if (request.logStreamNames) {
    for (const std::string& name : *request.logStreamNames) numbers.push_back(require_stream(call, group, name).number);
  } else {
    const std::string& prefix = *request.logStreamNamePrefix;
    check_stream_name(prefix);
    bool past = false;
    call.tx.query("SELECT number, name FROM logs_streams WHERE group_id = $1 AND name >= $2 ORDER BY name LIMIT $3",
                  group.id, prefix, kMaxPrefixStreams + 1)
        .each([&](const store::Row& row) {
          past = past || !row.text(1).starts_with(prefix);
          if (!past) numbers.push_back(row.integer(0));
        });
    if (numbers.size() > kMaxPrefixStreams) return std::nullopt;
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::optional<Pattern> parse_pattern(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  auto pattern = Pattern::parse(*text);
  if (!pattern) throw invalid_parameter(pattern.error());
  if (pattern->matches_everything()) return std::nullopt;
  return std::move(*pattern);
}

FilterLogEventsResponse filter_log_events(Call& call, const FilterLogEventsRequest& request) {
  const Group group = require_group(call, request.logGroupName, request.logGroupIdentifier);
  if (request.logStreamNames && request.logStreamNamePrefix) {
    throw invalid_parameter("logStreamNames and logStreamNamePrefix are mutually exclusive parameters.");
  }
  const auto pattern = parse_pattern(request.filterPattern);
  telemetry::LogRange range = range_of(call, group, request.startTime, request.endTime);
  if (request.nextToken) {
    range.from = telemetry::parse_event_id(*request.nextToken);
    if (!range.from) throw invalid_token();
  }
  if (pattern) range.hint = {pattern->literals().all, pattern->literals().any};
  FilterLogEventsResponse response;
  response.events.emplace();
  response.searchedLogStreams.emplace();
  if (request.logStreamNames || request.logStreamNamePrefix) {
    const Numbers numbers = numbers_of(call, group, request);
    if (numbers && numbers->empty()) return response;
    if (numbers) range.streams = *numbers;
  }
  const auto wanted = [&](const telemetry::LogEvent& event, const std::string& stream) {
    if (request.logStreamNamePrefix && !stream.starts_with(*request.logStreamNamePrefix)) return false;
    return !pattern || pattern->matches(event.message);
  };
  EventPage page = read_event_page(call, range, request.limit.value_or(kMaxPageEvents), wanted);
  for (PageEvent& event : page.events) {
    response.events->push_back({std::move(event.stream), event.key.timestamp_ms, std::move(event.message),
                                event.ingested_ms, telemetry::event_id(event.key)});
  }
  if (page.next) response.nextToken = telemetry::event_id(*page.next);
  return response;
}

}  // namespace

std::vector<Operation> read_operations() {
  return {
      operation<&get_log_events>("GetLogEvents", Access::Read),
      operation<&filter_log_events>("FilterLogEvents", Access::Read),
  };
}

}  // namespace services::logs
