// SPDX-License-Identifier: Apache-2.0
// Whether a machine can take a task, and if not, why not.
#pragma once

#include <optional>

#include "scheduler/gpu_choice.h"
#include "scheduler/machine.h"
#include "scheduler/request.h"

namespace scheduler {

// Whether the machine belongs to the capacity provider that the request names, if it names one. Others are no
// candidates at all.
bool is_of_provider(const Machine& machine, const Request& request);

// The first filter that rejects the machine: ACTIVE, connected, required attributes, resources, constraints. Amazon's
// guide checks resources before constraints; the order of the resources is that of Amazon's agent (CPU, MEMORY,
// PORTS, GPU).
std::optional<Reason> misfit(const Machine& machine, const Request& request, const GpuNeed& need);

// The same with a text for people. nullopt if the task fits.
std::optional<Failure> explain(const Machine& machine, const Request& request);

// The plan for a machine that fits.
Plan make_plan(const Machine& machine, const Request& request);

}  // namespace scheduler
