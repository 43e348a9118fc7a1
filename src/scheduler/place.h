// SPDX-License-Identifier: Apache-2.0
// Placement by a full scan of the machines. A Fleet decides the same, faster.
#pragma once

#include <span>

#include "scheduler/machine.h"
#include "scheduler/outlook.h"
#include "scheduler/request.h"

namespace scheduler {

// The outlook matters only to a request without a strategy.
Decision place(std::span<const Machine* const> machines, const Request& request, const Outlook& outlook);

// The failure of each candidate, ordered by id.
Refusal refuse(std::span<const Machine* const> machines, const Request& request);

}  // namespace scheduler
