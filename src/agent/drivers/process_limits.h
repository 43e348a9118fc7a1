// SPDX-License-Identifier: Apache-2.0
// What a process may use, as ECS's agent and Docker turn a task's numbers into limits; and what a
// machine with the process driver can do.
#pragma once

#include "agent/drivers/cgroup.h"
#include "agent/drivers/driver.h"
#include "agent/drivers/process_spec.h"

namespace agent::drivers {

CgroupLimits task_limits(const shapes::agent::Task& task);
CgroupLimits container_limits(const shapes::agent::Container& container, const ProcessPlan& plan);

Abilities abilities_with(const Cgroups& cgroups);

}  // namespace agent::drivers
