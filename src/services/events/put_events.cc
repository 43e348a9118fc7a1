// SPDX-License-Identifier: Apache-2.0
// PutEvents, of clients and of our own services, and TestEventPattern.
#include <boost/json/parse.hpp>

#include "base/random.h"
#include "services/events/delivery.h"
#include "services/events/errors.h"
#include "services/events/event_bus.h"
#include "services/events/operations.h"
#include "services/events/pattern.h"

namespace services::events {
using namespace shapes::events;
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxEntriesBytes = 256u << 10;  // Amazon's, of all entries of a request
constexpr std::size_t kTimeBytes = 14;                // what Amazon counts for an entry's Time

std::size_t size_of(const PutEventsRequestEntry& entry) {
  std::size_t size = entry.Time ? kTimeBytes : 0;
  size += entry.Source.value_or("").size() + entry.DetailType.value_or("").size() + entry.Detail.value_or("").size();
  for (const std::string& resource : entry.Resources.value_or(std::vector<std::string>())) size += resource.size();
  return size;
}

// Valid JSON without the blanks between its tokens. Numbers and escapes stay as they are written.
std::string compact(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!in_string && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) continue;
    if (c == '"') in_string = !in_string;
    out += c;
    if (in_string && c == '\\' && i + 1 < text.size()) out += text[++i];
  }
  return out;
}

PutEventsResultEntry failed(std::string code, std::string message) {
  return {.EventId = std::nullopt, .ErrorCode = std::move(code), .ErrorMessage = std::move(message)};
}

PutEventsResultEntry missing(const std::string& member) {
  return failed("InvalidArgument",
                "Parameter " + member + " is not valid. Reason: " + member + " is a required argument.");
}

// One level less than the parser's limit: the event around it must be valid, too.
bool is_object(const std::string& text) {
  boost::system::error_code error;
  json::parse_options options;
  options.max_depth -= 1;
  const json::value parsed = json::parse(text, error, {}, options);
  return !error && parsed.is_object();
}

// Why the entry is invalid; nullopt for a valid one.
std::optional<PutEventsResultEntry> entry_problem(const Caller& caller, const PutEventsRequestEntry& entry) {
  if (entry.Source.value_or("").empty()) return missing("Source");
  if (entry.DetailType.value_or("").empty()) return missing("DetailType");
  if (entry.Detail.value_or("").empty()) return missing("Detail");
  if (!is_object(*entry.Detail)) return failed("MalformedDetail", "Detail is malformed.");
  // Amazon's own sources are for its services, and here for ours.
  if (caller.service.empty() && entry.Source->starts_with("aws.")) {
    return failed("NotAuthorizedForSourceException", "Not authorized for the source.");
  }
  return std::nullopt;
}

Event to_event(const Call& call, const PutEventsRequestEntry& entry, const std::string& id) {
  return make_event({.id = id,
                     .detail_type = *entry.DetailType,
                     .source = *entry.Source,
                     .account = call.caller.account,
                     .region = call.caller.region,
                     .time = entry.Time.value_or(call.now),
                     .resources = entry.Resources.value_or(std::vector<std::string>()),
                     .detail = compact(*entry.Detail)});
}

// Of an entry; nullopt for a bus that does not exist, whose events Amazon accepts and drops. Throws where the bus is
// another account's that does not admit the caller.
std::optional<BusName> receiving_bus(Call& call, const PutEventsRequestEntry& entry) {
  const auto name = read_bus_name(call.caller, entry.EventBusName);
  const auto bus = name ? load_bus(call, *name) : std::nullopt;
  if (!bus) return std::nullopt;
  if (admits(call, *bus, call.caller.account)) return name;
  throw wire::ApiError("AccessDeniedException",
                       "User: " + call.caller.arn() + " is not authorized to perform: events:PutEvents on resource: " +
                           name->arn() + " because no resource-based policy allows the events:PutEvents action");
}

PutEventsResponse put_events(Call& call, const PutEventsRequest& request) {
  if (request.EndpointId) throw unsupported("global endpoints (EndpointId)");
  std::size_t size = 0;
  for (const PutEventsRequestEntry& entry : request.Entries) size += size_of(entry);
  if (size > kMaxEntriesBytes) {
    throw validation_error("Total size of the entries in the request is over the limit.");
  }
  PutEventsResponse response{.FailedEntryCount = 0, .Entries = std::vector<PutEventsResultEntry>()};
  for (const PutEventsRequestEntry& entry : request.Entries) {
    if (auto problem = entry_problem(call.caller, entry)) {
      ++*response.FailedEntryCount;
      response.Entries->push_back(std::move(*problem));
      continue;
    }
    const std::string id = base::random_uuid();
    if (const auto bus = receiving_bus(call, entry)) deliver(call, *bus, to_event(call, entry, id));
    response.Entries->push_back({.EventId = id, .ErrorCode = std::nullopt, .ErrorMessage = std::nullopt});
  }
  return response;
}

TestEventPatternResponse test_event_pattern(Call&, const TestEventPatternRequest& request) {
  const auto pattern = parse_pattern(request.EventPattern);
  if (!pattern) {
    throw wire::ApiError("InvalidEventPatternException", "Event pattern is not valid. Reason: " + pattern.error());
  }
  boost::system::error_code error;
  const json::value event = json::parse(request.Event, error);
  if (error || !event.is_object()) throw validation_error("Parameter Event is not valid. Reason: invalid JSON object.");
  for (const char* member : {"id", "account", "source", "time", "region", "resources", "detail-type"}) {
    if (!event.get_object().contains(member)) {
      throw validation_error("Parameter Event is not valid. Reason: " + std::string(member) +
                             " is a required argument.");
    }
  }
  return {.Result = matches(*pattern, event)};
}

}  // namespace

std::vector<Operation> event_operations() {
  return {
      operation<&put_events>("PutEvents", Access::Write),
      operation<&test_event_pattern>("TestEventPattern", Access::Read),
  };
}

}  // namespace services::events
