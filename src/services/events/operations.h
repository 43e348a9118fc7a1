// SPDX-License-Identifier: Apache-2.0
// The rows of EventBridge's operations, one function for each noun.
#pragma once

#include <vector>

#include "services/operation.h"
#include "shapes/events/event.h"
#include "shapes/events/event_bus.h"
#include "shapes/events/rule.h"
#include "shapes/events/tag.h"
#include "shapes/events/target.h"

namespace services::events {

std::vector<Operation> rule_operations();
std::vector<Operation> rule_list_operations();
std::vector<Operation> target_operations();
std::vector<Operation> event_operations();
std::vector<Operation> event_bus_operations();
std::vector<Operation> permission_operations();
std::vector<Operation> tag_operations();
std::vector<Operation> unsupported_operations();

// "ListOneEnabledRule", for services that publish events: without a rule they need not make any.
std::vector<Operation> internal_operations();

}  // namespace services::events
