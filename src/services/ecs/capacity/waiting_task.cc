// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/capacity/waiting_task.h"

#include <algorithm>
#include <functional>

#include "services/ecs/capacity/capacity_index.h"
#include "services/ecs/tasks/launch.h"
#include "services/ecs/tasks/stop.h"
#include "wire/error.h"

namespace services::ecs {
namespace {

using shapes::ecs::PlacementConstraint;
using shapes::ecs::PlacementStrategy;

std::optional<scheduler::Request> read_request(store::Tx& tx, state::LaunchNumber number) {
  const auto launch = load_launch(tx, number);
  const auto definition = launch ? load_task_definition(tx, launch->definition) : std::nullopt;
  if (!definition) return std::nullopt;
  try {
    scheduler::Request request = scheduler_request(*definition, *launch);
    add_constraints(request, launch->body.placementConstraints.value_or(std::vector<PlacementConstraint>()));
    add_strategies(request, launch->body.placementStrategy.value_or(std::vector<PlacementStrategy>()));
    return request;
  } catch (const wire::ApiError&) {
    return std::nullopt;
  }
}

}  // namespace

std::int64_t waiting_room(Call& call, state::ClusterNumber cluster) {
  return std::max<std::int64_t>(kMaxWaiting - state::count_waiting(call.tx, cluster), 0);
}

state::Task to_waiting_task(const StoredLaunch& launch, const state::TaskName& name,
                            const scheduler::Request& request) {
  state::Task task;
  task.name = name;
  task.id = request.task;
  task.cluster = launch.cluster;
  task.known = model::TaskStatus::Provisioning;
  if (!request.capacity_provider.empty()) task.provider = request.capacity_provider;
  task.hold.task = request.task;
  task.hold.cpu = request.demand.cpu;
  task.hold.memory_mib = request.demand.memory_mib;
  task.created_at = launch.created_at;
  return task;
}

void stop_waiting(Call& call, state::TaskState& task, model::StopCode code, const std::string& reason) {
  // Only a task that nobody stopped has failed.
  if (code != model::StopCode::TaskFailedToStart) task.desired = model::DesiredStatus::Stopped;
  stop_now(call, task, code, reason);
  mark_capacity(call, task.cluster);  // the next in the queue may fit
}

scheduler::Request* WaitingRequests::of(const state::Task& task) {
  auto [known, added] = requests_.try_emplace(task.launch());
  if (added) known->second = read_request(tx_, task.launch());
  if (!known->second) return nullptr;
  scheduler::Request& request = *known->second;
  request.task = task.id;
  request.seed = std::hash<std::string>{}(task.id.str());
  request.capacity_provider = task.provider.value_or("");
  return &request;
}

}  // namespace services::ecs
