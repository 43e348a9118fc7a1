// SPDX-License-Identifier: Apache-2.0
// Starting tasks of a service.
#pragma once

#include <vector>

#include "services/ecs/reconciliation/service_snapshot.h"

namespace services::ecs {

// As many as still have room; the next look sees to the others. With events. Returns whether any was started.
bool start_tasks_of_service(Call& call, const ServiceRows& rows, const std::vector<scheduler::ServiceStart>& starts);

}  // namespace services::ecs
