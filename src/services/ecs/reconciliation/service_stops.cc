// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/reconciliation/service_stops.h"

#include <fmt/format.h>

#include <map>

#include "services/ecs/arn.h"
#include "services/ecs/capacity/waiting_task.h"
#include "services/ecs/machines/fleets.h"
#include "services/ecs/reconciliation/service_events.h"
#include "services/ecs/reconciliation/zone_events.h"
#include "services/ecs/state_events.h"
#include "state/machine.h"

namespace services::ecs {
namespace {

std::string stopped_reason(const ServiceRows& rows, scheduler::StopCause cause) {
  const std::string deployment = deployment_name(rows.primary());
  if (cause == scheduler::StopCause::Unhealthy) return "Task failed container health checks";
  if (cause == scheduler::StopCause::Rebalancing) {
    return fmt::format("Availability-zone rebalancing initiated by (deployment {})", deployment);
  }
  return fmt::format("Scaling activity initiated by (deployment {})", deployment);
}

void stop_one(Call& call, const state::Cluster& cluster, state::Task& task, const std::string& reason) {
  if (task.is_waiting()) return stop_waiting(call, task, model::StopCode::ServiceSchedulerInitiated, reason);
  task.desired = model::DesiredStatus::Stopped;
  task.stopping_at = call.now;
  task.stop_code = model::text(model::StopCode::ServiceSchedulerInitiated);
  task.stopped_reason = reason;
  state::update_task(call.tx, task);
  mark_in_fleet(call, task.cluster, task.id, task.known == model::TaskStatus::Running, true);
  call.wake(state::instance_topic(task.machine));
  call.wake(state::task_topic(task.id));
  publish_task_change(call, cluster, task.id);
}

// A task that failed its health checks counts as one that failed to start, as at Amazon.
void count_unhealthy(Call& call, ServiceRows& rows, state::DeploymentNumber number) {
  for (state::Deployment& deployment : rows.deployments) {
    if (deployment.number != number) continue;
    ++deployment.failed_tasks;
    deployment.last_failure = call.now;
    deployment.updated_at = call.now;
    state::update_deployment(call.tx, deployment);
  }
}

struct Stopped {
  std::vector<model::TaskId> running, excluded;
  std::map<std::string, std::vector<model::TaskId>> rebalanced;  // by zone
  std::size_t pending = 0;
};

void announce_stops(Call& call, const ServiceRows& rows, const Stopped& stopped) {
  const auto announce = [&](std::string_view where, const std::vector<model::TaskId>& tasks) {
    if (tasks.empty()) return;
    write_event(
        call, rows,
        service_event(rows, fmt::format("has stopped {} running tasks{}:{}.", tasks.size(), where, task_list(tasks))));
  };
  announce("", stopped.running);
  for (const auto& [zone, tasks] : stopped.rebalanced) announce(" in " + zone + " due to AZ rebalancing", tasks);
  if (stopped.pending > 0) {
    write_event(call, rows, service_event(rows, fmt::format("stopped {} pending tasks.", stopped.pending)));
  }
}

}  // namespace

void stop_tasks_of_service(Call& call, ServiceRows& rows, const std::vector<scheduler::ServiceStop>& stops) {
  std::map<model::TaskId, state::ServiceTask*> tasks;
  for (state::ServiceTask& task : rows.tasks) tasks[task.id] = &task;
  Stopped stopped;
  ServiceAction action{.type = "INFO", .name = "TASKS_STOPPED"};
  for (const scheduler::ServiceStop& stop : stops) {
    const auto found = tasks.find(stop.task);
    if (found == tasks.end() || found->second->desired == model::DesiredStatus::Stopped) continue;
    state::ServiceTask& task = *found->second;
    const bool unhealthy = stop.cause == scheduler::StopCause::Unhealthy;
    if (unhealthy) {
      write_event(call, rows,
                  service_event(rows, fmt::format("(task {}) failed container health checks.", task.id.str())));
      count_unhealthy(call, rows, task.deployment);
    }
    stop_one(call, rows.cluster, task, stopped_reason(rows, stop.cause));
    action.tasks.push_back(task_arn(rows.cluster, task.id));
    if (task.known != model::TaskStatus::Running) {
      ++stopped.pending;
    } else if (stop.cause == scheduler::StopCause::Rebalancing) {
      stopped.rebalanced[zone_of_task(call, task)].push_back(task.id);
    } else {
      stopped.running.push_back(task.id);
    }
    if (stop.cause == scheduler::StopCause::Unsuitable) stopped.excluded.push_back(task.id);
  }
  if (action.tasks.empty()) return;
  announce_stops(call, rows, stopped);
  if (!stopped.rebalanced.empty()) announce_balanced(call, rows);
  publish_action(call, rows, action);
  if (!stopped.excluded.empty()) {
    publish_action(call, rows, {.type = "ERROR", .name = "SERVICE_DAEMON_PLACEMENT_CONSTRAINT_VIOLATED"});
  }
}

}  // namespace services::ecs
