// SPDX-License-Identifier: Apache-2.0
// Stopping a task without waiting for its agent.
#pragma once

#include <string>

#include "model/task_status.h"
#include "services/call.h"
#include "state/task.h"

namespace services::ecs {

// STOPPED from now on: its resources are free, its access key is deleted. A reason that it has stays.
void stop_now(Call& call, state::TaskState& task, model::StopCode code, const std::string& reason);

}  // namespace services::ecs
