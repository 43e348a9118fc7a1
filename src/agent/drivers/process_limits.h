// SPDX-License-Identifier: Apache-2.0
// Converts a task's cpu and memory into cgroup limits, as ECS's agent and Docker do. Also the
// abilities of a machine with the process driver.
#pragma once

#include "agent/drivers/cgroup.h"
#include "agent/drivers/driver.h"
#include "agent/drivers/process_spec.h"

namespace agent::drivers {

CgroupLimits task_limits(const shapes::agent::Task& task);
CgroupLimits container_limits(const shapes::agent::Container& container, const ProcessPlan& plan);

Abilities process_abilities(const Cgroups& cgroups, const WorkerPrograms& programs);

}  // namespace agent::drivers
