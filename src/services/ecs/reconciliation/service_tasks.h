// SPDX-License-Identifier: Apache-2.0
// What a change of a task means to its service. Tasks without a service cost one lookup, and none where the cluster
// has no services.
#pragma once

#include "model/task_status.h"
#include "services/call.h"
#include "state/task.h"

namespace services::ecs {

// Its status, health or desired status has changed: its service is looked at.
void mark_service_of(Call& call, const state::TaskState& task);

// How a task has stopped.
struct TaskEnd {
  bool expected = false;     // its desired status was STOPPED
  bool was_running = false;  // it had been reported as RUNNING
  model::StopCode code = model::StopCode::EssentialContainerExited;
};
// The same for a task that has stopped, whose resources are free; a failure to start counts for its deployment.
void mark_service_of_stopped(Call& call, const state::TaskState& task, const TaskEnd& end);

}  // namespace services::ecs
