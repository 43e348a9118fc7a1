// SPDX-License-Identifier: Apache-2.0
// The rows of each noun, for module.cc.
#pragma once

#include <vector>

#include "services/measurement.h"
#include "services/module.h"
#include "services/operation.h"

namespace services::application_autoscaling {

std::vector<Operation> target_operations();
std::vector<Operation> policy_operations();
std::vector<Operation> schedule_operations();
std::vector<Operation> activity_operations();
std::vector<Operation> tag_operations();
std::vector<Operation> unsupported_operations();
// ExecuteAlarmAction.
std::vector<Operation> alarm_action_operations();

// Runs scheduled actions.
Loop schedule_loop();
// Completes activities whose tasks run.
Loop activity_loop();

// RunningTaskCount of services whose backlog per task is tracked.
Measured measure_tasks(Call& call, const Due& due);

}  // namespace services::application_autoscaling
