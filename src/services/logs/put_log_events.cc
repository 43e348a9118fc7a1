// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "services/logs/errors.h"
#include "services/logs/filters/filter_matches.h"
#include "services/logs/group.h"
#include "services/logs/ingest.h"
#include "services/logs/operations.h"
#include "services/logs/resource_policies.h"
#include "services/logs/sequence_token.h"
#include "services/logs/writer_cursor.h"
#include "services/usage.h"
#include "shapes/logs/log_event.h"
#include "telemetry/logs/batch.h"
#include "telemetry/logs/seal.h"

namespace services::logs {
using namespace shapes::logs;
namespace {

constexpr std::size_t kMaxEventBytes = 1048576;  // with the overhead
constexpr base::Duration kMaxAhead = std::chrono::hours(2), kMaxAge = std::chrono::hours(24 * 14),
                         kMaxSpan = std::chrono::hours(24);

void check_sizes(const std::vector<InputLogEvent>& events) {
  std::size_t total = 0;
  for (const InputLogEvent& event : events) {
    const std::size_t size = event.message.size() + telemetry::kEventOverheadBytes;
    if (size > kMaxEventBytes) {
      throw invalid_parameter("Log event too large: " + std::to_string(size) + " bytes exceeds limit of " +
                              std::to_string(kMaxEventBytes));
    }
    total += size;
  }
  if (total > telemetry::kMaxBatchBytes) {
    throw invalid_parameter("Upload too large: " + std::to_string(total) + " bytes exceeds limit of " +
                            std::to_string(telemetry::kMaxBatchBytes));
  }
}

void check_order(const std::vector<InputLogEvent>& events) {
  const auto earlier = [](const InputLogEvent& a, const InputLogEvent& b) { return a.timestamp < b.timestamp; };
  if (!std::is_sorted(events.begin(), events.end(), earlier)) {
    throw invalid_parameter("Log events in a single PutLogEvents request must be in chronological order.");
  }
}

// The events that are stored: [begin, end) of the request.
struct Accepted {
  std::size_t begin = 0, end = 0;
  std::optional<RejectedLogEventsInfo> rejected = {};
};

// `events` is in order of time, so that those of an unacceptable age are at its ends.
Accepted accept(const std::vector<InputLogEvent>& events, const Group& group, base::Time now) {
  const auto count_before = [&](std::int64_t time_ms) {
    const auto earlier = [](const InputLogEvent& event, std::int64_t time) { return event.timestamp < time; };
    return static_cast<std::size_t>(
        std::lower_bound(events.begin(), events.end(), time_ms, earlier) - events.begin());
  };
  const std::size_t too_old = count_before(base::to_millis(now - kMaxAge));
  const std::size_t expired = count_before(group.expired_before_ms(now));
  const std::size_t too_new = count_before(base::to_millis(now + kMaxAhead) + 1);
  Accepted accepted{std::max(too_old, expired), too_new};
  RejectedLogEventsInfo info;
  if (too_old > 0) info.tooOldLogEventEndIndex = static_cast<std::int32_t>(too_old);
  if (expired > too_old) info.expiredLogEventEndIndex = static_cast<std::int32_t>(expired);
  if (too_new < events.size()) info.tooNewLogEventStartIndex = static_cast<std::int32_t>(too_new);
  if (accepted.end - accepted.begin < events.size()) accepted.rejected = info;
  return accepted;
}

void check_span(const std::vector<InputLogEvent>& events, const Accepted& accepted) {
  if (accepted.begin >= accepted.end) return;
  if (events[accepted.end - 1].timestamp - events[accepted.begin].timestamp > kMaxSpan.count()) {
    throw invalid_parameter("The batch of log events in a single PutLogEvents request cannot span more than 24 hours.");
  }
}

std::vector<telemetry::NewEvent> events_of(const std::vector<InputLogEvent>& events, const Accepted& accepted) {
  std::vector<telemetry::NewEvent> stored;
  for (std::size_t i = accepted.begin; i < accepted.end; ++i) stored.push_back({events[i].timestamp, events[i].message});
  return stored;
}

// What is found on a snapshot, before the request's turn to write.
struct Preparation {
  base::Time now;  // at which the ages of the events were judged
  Accepted accepted;
  FilterMatches matches;
};

// Below that, filters take too little time for a visit to another thread.
constexpr std::size_t kFewEvents = 10, kFewBytes = 4096;

bool has_much_to_match(const void* input) {
  std::size_t bytes = 0;
  const auto& events = static_cast<const PutLogEventsRequest*>(input)->logEvents;
  for (const InputLogEvent& event : events) bytes += event.message.size();
  return events.size() > kFewEvents || bytes > kFewBytes;
}

// Null for a request that fails: the handler throws why.
std::shared_ptr<const void> match_filters(Call& call, const void* input) {
  const auto& request = *static_cast<const PutLogEventsRequest*>(input);
  const auto group = find_group(call, request.logGroupName);
  if (!group || group->log_class != kStandard) return {};
  try {
    check_sizes(request.logEvents);
    check_order(request.logEvents);
  } catch (const wire::ApiError&) {
    return {};
  }
  const Accepted accepted = accept(request.logEvents, *group, call.now);
  auto filters = call.local<FilterCache>().peek(call.tx, group->id);
  auto matches = match_all(std::move(filters), events_of(request.logEvents, accepted));
  return std::make_shared<Preparation>(call.now, accepted, std::move(matches));
}

// Throws Outdated where the group's filters, or which events it accepts, have changed meanwhile.
void check_preparation(Call& call, const Group& group, const Accepted& accepted, const Preparation& prepared) {
  const bool same_events = accepted.begin == prepared.accepted.begin && accepted.end == prepared.accepted.end;
  const auto filters = call.local<FilterCache>().get(call.tx, group.id);
  if (!same_events || !same_filters(*filters, *prepared.matches.filters)) throw Outdated();
}

void check_quota(Call& call, const Group& group, std::span<const telemetry::NewEvent> events) {
  const auto problem = quota_problem(call, group.account, {.bytes = telemetry::counted_bytes(events)});
  if (problem) throw wire::ApiError("LimitExceededException", *problem);
}

// An entity has no use here, so only what is wrong with it is reported. "" for nothing.
std::string entity_problem(const Entity& entity) {
  constexpr std::string_view kKeys[] = {"Type", "ResourceType", "Identifier", "Name", "Environment"};
  if (!entity.keyAttributes) return "MissingRequiredFields";
  for (const auto& [key, value] : *entity.keyAttributes) {
    if (std::find(std::begin(kKeys), std::end(kKeys), key) == std::end(kKeys)) return "InvalidKeyAttributes";
  }
  const auto type = entity.keyAttributes->find("Type");
  if (type == entity.keyAttributes->end()) return "MissingRequiredFields";
  constexpr std::string_view kTypes[] = {"Service", "RemoteService", "AWS::Service", "Resource", "AWS::Resource"};
  if (std::find(std::begin(kTypes), std::end(kTypes), type->second) == std::end(kTypes)) return "InvalidTypeValue";
  return "";
}

void store_events(Call& call, const Group& group, const Stream& stream, std::span<const telemetry::NewEvent> events,
                  const Preparation* prepared, PutLogEventsResponse& response) {
  const telemetry::Appended appended =
      telemetry::append_batch(call.tx, group.id, stream.number, call.now, events);
  add_usage(call.tx, group.account, {.bytes = appended.bytes});
  if (appended.wake_sealer) call.wake(telemetry::kSealTopic);
  const std::int64_t first = events.front().timestamp_ms, last = events.back().timestamp_ms;
  call.tx.exec("UPDATE logs_streams SET first_event_at = $3, last_event_at = $4, last_ingested_at = $5, last_batch = $6,"
               " order_at = $4"
               " WHERE group_id = $1 AND number = $2",
               group.id, stream.number, std::min(first, stream.first_event_ms.value_or(first)),
               std::max(last, stream.last_event_ms.value_or(last)), call.now, appended.number);
  response.nextSequenceToken = sequence_token(appended.number);
  after_put(call, {group, stream.name, appended.number, events, prepared ? &prepared->matches : nullptr});
}

PutLogEventsResponse put_log_events(Call& call, const PutLogEventsRequest& request) {
  check_group_name(request.logGroupName);
  check_stream_name(request.logStreamName);
  check_sizes(request.logEvents);
  const Group group = require_group(call, request.logGroupName);
  check_service(call, group, request.logStreamName, "logs:PutLogEvents");
  const Stream stream = require_stream(call, group, request.logStreamName);
  check_order(request.logEvents);
  const auto* prepared = static_cast<const Preparation*>(call.prepared);
  const Accepted accepted = accept(request.logEvents, group, prepared ? prepared->now : call.now);
  check_span(request.logEvents, accepted);
  if (prepared) check_preparation(call, group, accepted, *prepared);
  const std::vector<telemetry::NewEvent> events = events_of(request.logEvents, accepted);
  check_quota(call, group, events);
  if (const auto token = parse_writer_token(request.sequenceToken)) move_writer_cursor(call, group, stream, *token);
  PutLogEventsResponse response;
  response.rejectedLogEventsInfo = accepted.rejected;
  if (request.entity) {
    if (std::string problem = entity_problem(*request.entity); !problem.empty()) {
      response.rejectedEntityInfo = RejectedEntityInfo{std::move(problem)};
    }
  }
  if (events.empty()) {
    response.nextSequenceToken = sequence_token(stream.last_batch.value_or(0));
  } else {
    store_events(call, group, stream, events, prepared, response);
  }
  return response;
}

}  // namespace

std::vector<Operation> put_operations() {
  Operation put = operation<&put_log_events>("PutLogEvents", Access::Write);
  put.prepare = &match_filters;
  put.needs_preparation = &has_much_to_match;
  return {std::move(put)};
}

}  // namespace services::logs
