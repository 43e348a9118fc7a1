// SPDX-License-Identifier: Apache-2.0
// Launches of a plan, and their failures.
#pragma once

#include "autoscaler/group_plan.h"
#include "services/autoscaling/groups/group.h"
#include "services/autoscaling/groups/group_instances.h"
#include "services/call.h"

namespace services::autoscaling {

// Launches what the plan has, each with an activity. Stops at the first that EC2 refuses: its activity fails with the
// reason, and the group launches nothing before its next try. The caller saves the group.
void launch_planned(Call& call, Group& group, const autoscaler::GroupPlan& plan);

// The machine of an instance that was launched could not be started, or was lost before it was in service. The instance
// leaves the group. The caller saves the group.
void fail_launched(Call& call, Group& group, const GroupInstance& instance);

}  // namespace services::autoscaling
