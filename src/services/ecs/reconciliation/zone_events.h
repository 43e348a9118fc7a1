// SPDX-License-Identifier: Apache-2.0
// What a service's events say about its balance over availability zones.
#pragma once

#include "services/ecs/reconciliation/service_snapshot.h"

namespace services::ecs {

// Before a task starts to balance the zones.
void announce_unbalanced(Call& call, const ServiceRows& rows);
// After one was stopped for that, where the zones are balanced now.
void announce_balanced(Call& call, const ServiceRows& rows);

// Where the task runs.
std::string zone_of_task(Call& call, const state::Task& task);

}  // namespace services::ecs
