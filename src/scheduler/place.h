// SPDX-License-Identifier: Apache-2.0
// Placement, plainly: look at every machine. A Fleet answers the same, and faster.
#pragma once

#include <span>

#include "scheduler/machine.h"
#include "scheduler/request.h"

namespace scheduler {

Decision place(std::span<const Machine* const> machines, const Request& request);

// Why not, for each machine that is a candidate, by id.
Refusal refuse(std::span<const Machine* const> machines, const Request& request);

}  // namespace scheduler
