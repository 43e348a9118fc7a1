// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/reconciliation/service_tasks.h"

#include "scheduler/reconcile.h"
#include "services/ecs/reconciliation/service_queue.h"
#include "state/launch.h"

namespace services::ecs {
namespace {

// The launch of a task that belongs to a service.
std::optional<state::Launch> launch_of_service(Call& call, const state::TaskState& task) {
  if (!call.local<ServiceQueue>().has_services(task.cluster)) return std::nullopt;
  auto launch = state::find_launch(call.tx, task.launch());
  return launch && launch->service ? std::move(launch) : std::nullopt;
}

// Amazon counts tasks that end before they are RUNNING. A container that exits at once has been RUNNING, and counts
// here as well: nothing else would slow down the restarts of a task that always crashes. The loss of a machine is not
// the deployment's fault.
bool failed_to_start(const state::TaskState& task, const TaskEnd& end, base::Time now) {
  if (end.expected || end.code == model::StopCode::TerminationNotice) return false;
  if (!end.was_running || !task.started_at) return true;
  return now - *task.started_at < scheduler::kProvenAfter;
}

}  // namespace

void mark_service_of(Call& call, const state::TaskState& task) {
  if (const auto launch = launch_of_service(call, task)) mark_service(call, *launch->service);
}

void mark_service_of_stopped(Call& call, const state::TaskState& task, const TaskEnd& end) {
  mark_room(call, task.cluster);
  const auto launch = launch_of_service(call, task);
  if (!launch) return;
  mark_service(call, *launch->service);
  if (!failed_to_start(task, end, call.now)) return;
  auto deployment = state::find_deployment(call.tx, *launch->deployment);
  if (!deployment) return;
  ++deployment->failed_tasks;
  deployment->last_failure = call.now;
  deployment->updated_at = call.now;
  state::update_deployment(call.tx, *deployment);
}

}  // namespace services::ecs
