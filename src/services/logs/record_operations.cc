// SPDX-License-Identifier: Apache-2.0
// GetLogRecord and GetLogGroupFields: single events and what they consist of.
#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>

#include "base/bytes.h"
#include "services/logs/errors.h"
#include "services/logs/event_pages.h"
#include "services/logs/event_pointer.h"
#include "services/logs/operations.h"
#include "shapes/logs/log_event.h"

namespace services::logs {

std::string to_text(const EventPointer& pointer) {
  return base::to_base64(std::to_string(pointer.group) + "." + telemetry::event_id(pointer.key));
}

std::optional<EventPointer> parse_event_pointer(std::string_view text) {
  const auto plain = base::from_base64(text);
  if (!plain) return std::nullopt;
  EventPointer pointer;
  const char* const end = plain->data() + plain->size();
  const auto [rest, error] = std::from_chars(plain->data(), end, pointer.group);
  if (error != std::errc() || rest == end || *rest != '.') return std::nullopt;
  const auto key = telemetry::parse_event_id(std::string_view(rest + 1, static_cast<std::size_t>(end - rest - 1)));
  if (!key) return std::nullopt;
  pointer.key = *key;
  return pointer;
}

namespace {
using namespace shapes::logs;
namespace json = boost::json;

// Amazon's limit.
constexpr std::size_t kMaxFields = 200;
constexpr std::int64_t kFieldSample = 10000;                                // events
constexpr std::int64_t kBefore = 8 * 60 * 1000, kRecent = 15 * 60 * 1000;  // milliseconds

using Fields = std::map<std::string, std::string>;

void add_fields(const std::string& path, const json::value& value, Fields& fields) {
  if (fields.size() >= kMaxFields) return;
  if (const json::object* object = value.if_object(); object && !object->empty()) {
    for (const auto& [key, member] : *object) {
      add_fields(path.empty() ? std::string(key) : path + "." + std::string(key), member, fields);
    }
  } else if (const json::array* array = value.if_array(); array && !array->empty()) {
    for (std::size_t i = 0; i < array->size(); ++i) add_fields(path + "." + std::to_string(i), (*array)[i], fields);
  } else if (const json::string* text = value.if_string()) {
    fields[path] = std::string(text->data(), text->size());
  } else {
    fields[path] = json::serialize(value);
  }
}

// The members of a JSON event, as Insights discovers them.
Fields discovered_fields(std::string_view message) {
  Fields fields;
  if (!base::trim(message).starts_with('{')) return fields;
  json::error_code error;
  const json::value value = json::parse({message.data(), message.size()}, error);
  if (!error && value.is_object()) add_fields("", value, fields);
  return fields;
}

GetLogRecordResponse get_log_record(Call& call, const GetLogRecordRequest& request) {
  const auto pointer = parse_event_pointer(request.logRecordPointer);
  if (!pointer) throw invalid_parameter("The specified log record pointer is invalid.");
  const auto group = load_group(call.tx, pointer->group);
  const wire::ApiError not_found("ResourceNotFoundException", "The specified log record does not exist.");
  if (!group || group->account != call.caller.account || group->region != call.caller.region) throw not_found;
  telemetry::LogRange range = range_of(call, *group, pointer->key.timestamp_ms, pointer->key.timestamp_ms);
  range.from = pointer->key;
  const EventPage page = read_event_page(call, range, 1, [](const auto&, const auto&) { return true; });
  if (page.events.empty() || page.events[0].key != pointer->key) throw not_found;
  const PageEvent& event = page.events[0];
  Fields record = discovered_fields(event.message);
  record["@message"] = event.message;
  record["@timestamp"] = std::to_string(event.key.timestamp_ms);
  record["@ingestionTime"] = std::to_string(event.ingested_ms);
  record["@logStream"] = event.stream;
  record["@log"] = group->account + ":" + group->name;
  record["@ptr"] = request.logRecordPointer;
  return {.logRecord = std::move(record)};
}

GetLogGroupFieldsResponse get_log_group_fields(Call& call, const GetLogGroupFieldsRequest& request) {
  const Group group = require_group(call, request.logGroupName, request.logGroupIdentifier);
  const std::int64_t now_ms = base::to_millis(call.now);
  const std::int64_t first = request.time ? *request.time - kBefore : now_ms - kRecent;
  const auto last = request.time ? std::optional(std::min(*request.time, INT64_MAX - kBefore) + kBefore) : std::nullopt;
  const telemetry::LogRange range = range_of(call, group, first, last);
  std::map<std::string, std::int64_t> counts;
  std::int64_t events = 0;
  read_event_page(call, range, 1, [&](const auto& event, const auto&) {
    ++events;
    for (const char* name : {"@timestamp", "@message", "@logStream", "@ingestionTime", "@log"}) ++counts[name];
    for (const auto& [name, value] : discovered_fields(event.message)) ++counts[name];
    return events == kFieldSample;  // one event ends the sample
  });
  GetLogGroupFieldsResponse response;
  response.logGroupFields.emplace();
  for (const auto& [name, count] : counts) {
    response.logGroupFields->push_back({name, static_cast<std::int32_t>((count * 100 + events / 2) / events)});
  }
  std::stable_sort(response.logGroupFields->begin(), response.logGroupFields->end(),
                   [](const LogGroupField& a, const LogGroupField& b) { return *a.percent > *b.percent; });
  return response;
}

}  // namespace

std::vector<Operation> record_operations() {
  return {
      operation<&get_log_record>("GetLogRecord", Access::Read),
      operation<&get_log_group_fields>("GetLogGroupFields", Access::Read),
  };
}

}  // namespace services::logs
