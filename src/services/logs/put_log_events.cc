// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "services/logs/errors.h"
#include "services/logs/group.h"
#include "services/logs/ingest.h"
#include "services/logs/operations.h"
#include "services/logs/resource_policies.h"
#include "services/logs/sequence_token.h"
#include "services/logs/writer_cursor.h"
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
                  PutLogEventsResponse& response) {
  const telemetry::Appended appended =
      telemetry::append_batch(call.tx, group.id, stream.number, call.now, events);
  if (appended.wake_sealer) call.wake(telemetry::kSealTopic);
  const std::int64_t first = events.front().timestamp_ms, last = events.back().timestamp_ms;
  call.tx.exec("UPDATE logs_streams SET first_event_at = $3, last_event_at = $4, last_ingested_at = $5, last_batch = $6,"
               " order_at = $4"
               " WHERE group_id = $1 AND number = $2",
               group.id, stream.number, std::min(first, stream.first_event_ms.value_or(first)),
               std::max(last, stream.last_event_ms.value_or(last)), call.now, appended.number);
  response.nextSequenceToken = sequence_token(appended.number);
  after_put(call, {group, stream.name, appended.number, events});
}

PutLogEventsResponse put_log_events(Call& call, const PutLogEventsRequest& request) {
  check_group_name(request.logGroupName);
  check_stream_name(request.logStreamName);
  check_sizes(request.logEvents);
  const Group group = require_group(call, request.logGroupName);
  check_service(call, group, request.logStreamName, "logs:PutLogEvents");
  const Stream stream = require_stream(call, group, request.logStreamName);
  check_order(request.logEvents);
  const Accepted accepted = accept(request.logEvents, group, call.now);
  check_span(request.logEvents, accepted);
  if (const auto token = parse_writer_token(request.sequenceToken)) move_writer_cursor(call, group, stream, *token);
  PutLogEventsResponse response;
  response.rejectedLogEventsInfo = accepted.rejected;
  if (request.entity) {
    if (std::string problem = entity_problem(*request.entity); !problem.empty()) {
      response.rejectedEntityInfo = RejectedEntityInfo{std::move(problem)};
    }
  }
  std::vector<telemetry::NewEvent> events;
  for (std::size_t i = accepted.begin; i < accepted.end; ++i) {
    events.push_back({request.logEvents[i].timestamp, request.logEvents[i].message});
  }
  if (events.empty()) {
    response.nextSequenceToken = sequence_token(stream.last_batch.value_or(0));
  } else {
    store_events(call, group, stream, events, response);
  }
  return response;
}

}  // namespace

std::vector<Operation> put_operations() {
  return {operation<&put_log_events>("PutLogEvents", Access::Write)};
}

}  // namespace services::logs
