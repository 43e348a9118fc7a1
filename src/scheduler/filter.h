// SPDX-License-Identifier: Apache-2.0
// Whether a machine can take a task, and if not, why not.
#pragma once

#include <optional>

#include "scheduler/gpu_choice.h"
#include "scheduler/machine.h"
#include "scheduler/request.h"

namespace scheduler {

// The first filter that the machine does not pass: ACTIVE, connected, required attributes, then
// resources, then constraints. Amazon's guide has resources before constraints; among
// resources the order is that of its agent (CPU, MEMORY, PORTS, GPU).
std::optional<Reason> misfit(const Machine& machine, const Request& request, const GpuNeed& need);

// The same for a person. nullopt when the task would fit.
std::optional<Failure> explain(const Machine& machine, const Request& request);

// The task's hold on a machine on which it fits.
Plan make_plan(const Machine& machine, const Request& request);

}  // namespace scheduler
