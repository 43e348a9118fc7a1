// SPDX-License-Identifier: Apache-2.0
// Sends events to the targets of rules, in the transaction of the caller. A target that does not accept an event does
// not fail the call: the event goes to the target's dead-letter queue, or a warning to the log.
#pragma once

#include "services/call.h"
#include "services/events/rule.h"
#include "services/events/target_input.h"

namespace services::events {

// How many buses an event has passed on its way from a target to another bus.
inline constexpr int kMaxHops = 1;

// To the targets of all rules of the bus that match the event.
void deliver(Call& call, const BusName& bus, const Event& event, int hops = 0);

// The event of a rule's schedule, to its own targets only.
void deliver_scheduled(Call& call, const StoredRule& rule);

// Compact JSON, with the members that Amazon's events have.
struct EventParts {
  std::string id, detail_type, source, account, region;
  base::Time time;
  std::vector<std::string> resources;
  std::string detail;  // compact JSON
};
Event make_event(const EventParts& parts);

}  // namespace services::events
