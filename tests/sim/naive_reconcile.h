// SPDX-License-Identifier: Apache-2.0
// The reconciler's reference: it decides one action at a time, by looking at everything again after each, and picks
// tasks without any preference. Only its starts and stops are filled in.
#pragma once

#include "scheduler/reconcile.h"

namespace scheduler::sim {

ServicePlan naive_reconcile(const ServiceView& view, base::Time now);

}  // namespace scheduler::sim
