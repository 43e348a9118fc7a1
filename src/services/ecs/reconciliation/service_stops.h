// SPDX-License-Identifier: Apache-2.0
// Stopping tasks of a service.
#pragma once

#include <vector>

#include "services/ecs/reconciliation/service_snapshot.h"

namespace services::ecs {

// Their desired status is STOPPED from now on, and their machines are notified. With events.
void stop_tasks_of_service(Call& call, ServiceRows& rows, const std::vector<scheduler::ServiceStop>& stops);

}  // namespace services::ecs
