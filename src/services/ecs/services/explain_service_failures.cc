// SPDX-License-Identifier: Apache-2.0
// Failing tasks of a service: how many, the last reason, the back-off and the circuit breaker.
#include <fmt/format.h>

#include "base/duration.h"
#include "services/ecs/machines/instance.h"
#include "services/ecs/services/explain_service.h"
#include "services/ecs/tasks/task_view.h"
#include "wire/timestamp.h"

namespace services::ecs {
namespace {

// "Task x on box-a STOPPED 20 s ago: Task failed to start. Container c: CannotPullContainerError: ..."
std::string last_failure(Call& call, const ServiceSnapshot& snapshot, const state::Task& task) {
  const auto machine = load_instance(call.tx, task.machine);
  std::string text = fmt::format("The last of them, task {} on {}, STOPPED {} ago: {}.", task.id.str(),
                                 machine ? machine->name : task.machine.str(),
                                 base::duration_text(call.now - task.stopped_at.value_or(call.now)),
                                 task.stopped_reason.value_or("no reason given"));
  const shapes::ecs::Task shown = TaskView(call, snapshot.cluster).show(task, false);
  for (const shapes::ecs::Container& container : shown.containers.value_or(std::vector<shapes::ecs::Container>())) {
    if (container.exitCode) text += fmt::format(" Container {} exited with {}.", *container.name, *container.exitCode);
    if (container.reason) text += fmt::format(" Container {}: {}.", *container.name, *container.reason);
  }
  return text;
}

std::string breaker_text(const ServiceSnapshot& snapshot) {
  const scheduler::ServiceRules& rules = snapshot.view.rules;
  const std::int32_t threshold = scheduler::breaker_threshold(rules.desired, rules.breaker_at);
  if (!rules.breaker) return "There is no circuit breaker: starts are tried again without end.";
  std::string then = "and nothing more is started";
  if (rules.breaker_rollback) {
    then = snapshot.view.can_roll_back ? "and the service returns to the last completed deployment"
                                       : "and nothing more is started: there is no completed deployment to return to";
  }
  if (rules.breaker_sums) {
    const scheduler::ServiceDeployment& primary = snapshot.view.deployments.front();
    return fmt::format("The circuit breaker opens at {} failures, of which there were {}, {}.", threshold,
                       primary.failed_tasks + primary.earlier_failures, then);
  }
  return fmt::format("The circuit breaker opens at {} failures in a row, {}.", threshold, then);
}

}  // namespace

void explain_failures(Call& call, const ServiceSnapshot& snapshot, const scheduler::ServicePlan& plan,
                      std::vector<std::string>& out) {
  if (snapshot.deployments.empty() || snapshot.primary().failed_tasks == 0) return;
  const state::Deployment& primary = snapshot.primary();
  out.push_back(fmt::format("{} of {} failed in a row.", count_tasks(primary.failed_tasks),
                            revision_name(snapshot, primary.number)));
  if (const auto task = state::find_last_stopped(call.tx, primary.number)) {
    out.push_back(last_failure(call, snapshot, *task));
  }
  if (primary.rollout == state::Rollout::Failed) return;
  const auto ends = scheduler::back_off_ends(snapshot.view.deployments.front());
  if (plan.throttled && ends && *ends > call.now) {
    out.push_back(
        fmt::format("The next start is tried in {}, at {}: the back-off doubles with each failure, up to {}. "
                    "An update of the service ends it.",
                    base::duration_text(*ends - call.now), wire::to_iso8601(*ends),
                    base::duration_text(scheduler::kLongestBackOff)));
  }
  if (primary.rollout == state::Rollout::InProgress) out.push_back(breaker_text(snapshot));
}

}  // namespace services::ecs
