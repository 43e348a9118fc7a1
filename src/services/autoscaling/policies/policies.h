// SPDX-License-Identifier: Apache-2.0
// What decides about the capacity of groups, for Auto Scaling's module: policies, scheduled actions, refreshes; and
// notifications.
#pragma once

#include <string>
#include <vector>

#include "services/autoscaling/groups/observers.h"
#include "services/autoscaling/policies/policy_row.h"
#include "services/module.h"

namespace services::autoscaling {

std::vector<Operation> policy_operations();
std::vector<Operation> schedule_operations();

// All of the folder, for the module.
std::vector<Operation> policies_operations();
std::vector<Operation> policies_internal_operations();  // ExecuteAlarmAction
std::vector<Loop> policies_loops();
std::vector<std::string> policies_migration_steps();
// Sends notifications, and deletes what belongs to a deleted group.
void observe_groups(GroupObservers& observers);

Loop schedule_loop();

// A target tracking policy's alarms are deleted; a step or simple policy is removed from the actions of alarms.
void delete_policy_with_alarms(Call& call, PolicyRow policy);

}  // namespace services::autoscaling
