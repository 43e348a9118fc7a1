// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/tasks/stop.h"

#include "services/ecs/machines/fleets.h"
#include "services/ecs/reconciliation/service_tasks.h"
#include "services/ecs/state_events.h"
#include "state/keys.h"

namespace services::ecs {

void stop_now(Call& call, state::TaskState& task, model::StopCode code, const std::string& reason) {
  const TaskEnd end{.expected = task.desired == model::DesiredStatus::Stopped,
                    .was_running = task.known == model::TaskStatus::Running,
                    .code = code};
  task.known = model::TaskStatus::Stopped;
  task.desired = model::DesiredStatus::Stopped;
  if (!task.stopping_at) task.stopping_at = call.now;
  task.stopped_at = call.now;
  if (!task.stop_code) task.stop_code = model::text(code);
  if (!task.stopped_reason) task.stopped_reason = reason;
  state::move_to_stopped(call.tx, task);
  if (task.credentials) {
    for (const std::string& id : state::delete_key(call.tx, *task.credentials)) call.wake(state::key_topic(id));
  }
  release_in_fleet(call, task.cluster, task.id);
  mark_service_of_stopped(call, task, end);
  call.wake(state::task_topic(task.id));
  publish_task_change(call, task);
}

}  // namespace services::ecs
