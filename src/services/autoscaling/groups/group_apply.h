// SPDX-License-Identifier: Apache-2.0
// Carries out a plan: launches and terminates with EC2's operations, moves instances through their states, and writes
// the activities.
#pragma once

#include "autoscaler/group_plan.h"
#include "services/autoscaling/groups/group.h"
#include "services/call.h"

namespace services::autoscaling {

// In a transaction in which the group has the version of the plan. Saves or deletes the group. All of it is one
// transaction with EC2's rows, so a crash neither launches twice nor forgets an instance.
void apply_plan(Call& call, Group group, const autoscaler::GroupPlan& plan);

}  // namespace services::autoscaling
