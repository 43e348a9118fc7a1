// SPDX-License-Identifier: Apache-2.0
// The machines on which a daemon must run a task.
#pragma once

#include <vector>

#include "scheduler/reconcile.h"
#include "services/ecs/reconciliation/service_snapshot.h"

namespace services::ecs {

// By id.
std::vector<scheduler::DaemonMachine> daemon_machines(Call& call, const ServiceSnapshot& snapshot);

}  // namespace services::ecs
