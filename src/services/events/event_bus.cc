// SPDX-License-Identifier: Apache-2.0
// DescribeEventBus and ListEventBuses, of the one bus that there is.
#include "services/arn.h"
#include "services/events/errors.h"
#include "services/events/operations.h"
#include "services/events/rule.h"

namespace services::events {
using namespace shapes::events;
namespace {

constexpr std::string_view kDefaultBus = "default";

std::string default_bus_arn(const Caller& caller) {
  return Arn{"events", caller.region, caller.account, "event-bus/" + std::string(kDefaultBus)}.str();
}

DescribeEventBusResponse describe_event_bus(Call& call, const DescribeEventBusRequest& request) {
  check_bus(call.caller, request.Name);
  DescribeEventBusResponse response;
  response.Name = kDefaultBus;
  response.Arn = default_bus_arn(call.caller);
  return response;
}

ListEventBusesResponse list_event_buses(Call& call, const ListEventBusesRequest& request) {
  if (request.NextToken) throw invalid_token();  // there is never a second page
  ListEventBusesResponse response;
  response.EventBuses.emplace();
  if (!kDefaultBus.starts_with(request.NamePrefix.value_or(""))) return response;
  EventBus& bus = response.EventBuses->emplace_back();
  bus.Name = kDefaultBus;
  bus.Arn = default_bus_arn(call.caller);
  return response;
}

}  // namespace

std::vector<Operation> event_bus_operations() {
  return {
      operation<&describe_event_bus>("DescribeEventBus", Access::Read),
      operation<&list_event_buses>("ListEventBuses", Access::Read),
  };
}

}  // namespace services::events
