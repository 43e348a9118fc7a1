// SPDX-License-Identifier: Apache-2.0
// CreateEventBus and the other operations on one bus, and ListEventBuses.
#include <set>

#include "services/events/errors.h"
#include "services/events/event_bus.h"
#include "services/events/operations.h"
#include "services/events/rule_tags.h"

namespace services::events {
using namespace shapes::events;
namespace {

// What belongs to keys, partners and the logs of a bus.
template <class Request>
void reject_settings(const Request& request) {
  if (request.KmsKeyIdentifier) throw unsupported("KmsKeyIdentifier of an event bus");
  if (request.DeadLetterConfig) throw unsupported("DeadLetterConfig of an event bus");
  if (request.LogConfig) throw unsupported("LogConfig of an event bus");
}

std::int64_t count_buses(Call& call) {
  return call.tx
      .query("SELECT count(*) FROM events_buses WHERE account = $1 AND region = $2", call.caller.account,
             call.caller.region)
      .integer();
}

CreateEventBusResponse create_event_bus(Call& call, const CreateEventBusRequest& request) {
  if (request.EventSourceName) throw unsupported("event buses of partners (EventSourceName)");
  reject_settings(request);
  if (request.Name.find('/') != request.Name.npos) throw validation_error("Event bus name must not contain '/'.");
  check_name("name", request.Name);
  check_text("Description", request.Description.value_or(""));
  StoredBus bus{.id = {call.caller.account, call.caller.region, request.Name}};
  if (load_bus(call, bus.id)) {
    throw wire::ApiError("ResourceAlreadyExistsException", "Event bus " + request.Name + " already exists.");
  }
  if (count_buses(call) >= kMaxBuses) throw limit_exceeded();
  bus.description = request.Description;
  bus.tags = add_tags({}, request.Tags.value_or(std::vector<Tag>()));
  CreateEventBusResponse response;
  response.EventBusArn = bus.id.arn();
  response.Description = bus.description;
  save_bus(call, std::move(bus));
  return response;
}

UpdateEventBusResponse update_event_bus(Call& call, const UpdateEventBusRequest& request) {
  reject_settings(request);
  check_text("Description", request.Description.value_or(""));
  StoredBus bus = find_bus(call, request.Name);
  bus.description = request.Description;
  bus.modified_at = call.now;
  UpdateEventBusResponse response;
  response.Arn = bus.id.arn();
  response.Name = bus.id.name;
  response.Description = bus.description;
  save_bus(call, std::move(bus));
  return response;
}

// A bus that does not exist is deleted already.
void delete_event_bus(Call& call, const DeleteEventBusRequest& request) {
  const auto name = read_bus_name(call.caller, request.Name);
  if (!name || name->account != call.caller.account || name->region != call.caller.region) return;
  if (name->name == kDefaultBus) throw validation_error("Cannot delete event bus default.");
  check_text("Name", name->name);
  const auto rules = call.tx
                         .query("SELECT count(*) FROM events_rules WHERE account = $1 AND region = $2 AND bus = $3",
                                name->account, name->region, name->name)
                         .integer();
  if (rules > 0) throw validation_error("EventBus can't be deleted since it has rules.");
  call.tx.exec("DELETE FROM events_buses WHERE account = $1 AND region = $2 AND name = $3", name->account,
               name->region, name->name);
}

template <class Shape>
Shape shown(const StoredBus& bus) {
  Shape shape;
  shape.Name = bus.id.name;
  shape.Arn = bus.id.arn();
  shape.Description = bus.description;
  shape.Policy = bus.policy;
  shape.CreationTime = bus.created_at;
  shape.LastModifiedTime = bus.modified_at;
  return shape;
}

DescribeEventBusResponse describe_event_bus(Call& call, const DescribeEventBusRequest& request) {
  return shown<DescribeEventBusResponse>(find_bus(call, request.Name));
}

ListEventBusesResponse list_event_buses(Call& call, const ListEventBusesRequest& request) {
  const Page page = read_page(request.Limit, request.NextToken, page_rules());
  const std::string prefix = request.NamePrefix.value_or("");
  check_text("NamePrefix", prefix);
  // With the default bus, which may have no row; kMaxBuses bounds the list.
  std::set<std::string> all = {kDefaultBus};
  call.tx.query("SELECT name FROM events_buses WHERE account = $1 AND region = $2", call.caller.account,
                call.caller.region)
      .each([&](const store::Row& row) { all.insert(row.str(0)); });
  std::vector<std::string> names;
  for (const std::string& name : all) {
    if (name > page.after && name.starts_with(prefix)) names.push_back(name);
  }
  ListEventBusesResponse response;
  response.NextToken = cut_page(names, page);
  response.EventBuses.emplace();
  for (const std::string& name : names) response.EventBuses->push_back(shown<EventBus>(find_bus(call, name)));
  return response;
}

}  // namespace

std::vector<Operation> event_bus_operations() {
  return {
      operation<&create_event_bus>("CreateEventBus", Access::Write),
      operation<&delete_event_bus>("DeleteEventBus", Access::Write),
      operation<&describe_event_bus>("DescribeEventBus", Access::Read),
      operation<&list_event_buses>("ListEventBuses", Access::Read),
      operation<&update_event_bus>("UpdateEventBus", Access::Write),
  };
}

}  // namespace services::events
