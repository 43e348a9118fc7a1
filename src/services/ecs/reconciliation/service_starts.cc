// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/reconciliation/service_starts.h"

#include <fmt/format.h>

#include <algorithm>

#include "services/ecs/arn.h"
#include "services/ecs/capacity/strategy.h"
#include "services/ecs/capacity/waiting_task.h"
#include "services/ecs/reconciliation/service_events.h"
#include "services/ecs/reconciliation/service_placement.h"
#include "services/ecs/reconciliation/zone_events.h"
#include "services/ecs/tasks/task_start.h"

namespace services::ecs {
namespace {

// One launch, of as many tasks as one may have.
std::vector<state::Task> launch_some(Call& call, const ServiceRows& rows, StoredLaunch launch,
                                     scheduler::Request& request, const scheduler::ServiceStart& start,
                                     ProviderChoice& providers, std::int32_t count) {
  insert_launch(call.tx, launch);
  Taking taking(call, rows.service.cluster);
  std::vector<state::Task> tasks;
  std::int64_t waiting = 0;
  while (std::ssize(tasks) < std::min(count, kMaxTasksOfALaunch)) {
    const Provider* provider = providers.next();
    request.capacity_provider = provider ? provider->name : "";
    const state::TaskName name = name_next_task(launch, tasks.size(), request);
    auto decision = taking.decide(request, start.machine);
    if (auto* plan = std::get_if<scheduler::Plan>(&decision)) {
      tasks.push_back(to_task(launch, name, std::move(*plan)));
    } else if (provider && provider->scales() && !start.zone && waiting_room(call, launch.cluster) > waiting) {
      tasks.push_back(to_waiting_task(launch, name, request));
      ++waiting;
    } else {
      break;
    }
    if (!provider) continue;
    tasks.back().provider = provider->name;
    providers.assign();
  }
  taking.leave_to_transaction();
  if (tasks.empty()) state::delete_launch(call.tx, launch.number);
  write_tasks(call, rows.cluster, tasks);
  return tasks;
}

std::vector<model::TaskId> start_some(Call& call, const ServiceRows& rows, const scheduler::ServiceStart& start) {
  std::vector<model::TaskId> started;
  const state::Deployment* deployment = rows.find(state::DeploymentNumber(start.deployment));
  const auto definition = deployment ? load_task_definition(call.tx, deployment->definition) : std::nullopt;
  if (!definition) return started;
  const StoredLaunch launch = service_launch(rows, *deployment, *definition, call.now);
  scheduler::Request request = service_request(rows, *definition, launch, start.zone);
  ProviderChoice providers = providers_of(call, rows, *deployment);
  while (std::ssize(started) < start.count) {
    const auto left = start.count - static_cast<std::int32_t>(started.size());
    const auto tasks = launch_some(call, rows, launch, request, start, providers, left);
    for (const state::Task& task : tasks) started.push_back(task.id);
    if (std::ssize(tasks) < std::min(left, kMaxTasksOfALaunch)) break;
  }
  return started;
}

std::string started_event(const std::vector<model::TaskId>& tasks, std::int32_t replaced_unhealthy) {
  std::string text = fmt::format("has started {} tasks:{}.", tasks.size(), task_list(tasks));
  if (replaced_unhealthy > 0) {
    text += fmt::format(" Amazon ECS replaced {} tasks due to an unhealthy status.", replaced_unhealthy);
  }
  return text;
}

}  // namespace

bool start_tasks_of_service(Call& call, const ServiceRows& rows, const std::vector<scheduler::ServiceStart>& starts) {
  std::vector<model::TaskId> all;
  std::int32_t replaced_unhealthy = 0;
  ServiceAction action{.type = "INFO", .name = "TASKS_STARTED"};
  for (const scheduler::ServiceStart& start : starts) {
    const auto started = start_some(call, rows, start);
    for (const model::TaskId& task : started) action.tasks.push_back(task_arn(rows.cluster, task));
    if (start.zone && !started.empty()) {
      announce_unbalanced(call, rows);
      write_event(call, rows,
                  service_event(rows, fmt::format("has started {} tasks in {} to AZ Rebalance:{}.", started.size(),
                                                  *start.zone, task_list(started))));
      continue;
    }
    all.insert(all.end(), started.begin(), started.end());
    replaced_unhealthy += std::min(start.replaced_unhealthy, static_cast<std::int32_t>(started.size()));
  }
  if (!all.empty()) write_event(call, rows, service_event(rows, started_event(all, replaced_unhealthy)));
  if (!action.tasks.empty()) publish_action(call, rows, action);
  return !action.tasks.empty();
}

}  // namespace services::ecs
