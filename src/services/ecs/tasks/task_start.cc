// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/tasks/task_start.h"

#include <functional>
#include <set>

#include "services/ecs/capacity/capacity_index.h"
#include "services/ecs/errors.h"
#include "services/ecs/reconciliation/service_queue.h"
#include "services/ecs/state_events.h"

namespace services::ecs {
namespace {

void end_taking(Fleets& fleets, state::ClusterNumber cluster, const std::vector<model::TaskId>& tasks, bool committed) {
  if (tasks.empty()) return;
  fleets.with(cluster, [&](scheduler::Fleet& fleet) {
    for (const model::TaskId& task : tasks) committed ? fleet.commit(task) : fleet.unhold(task);
  });
}

}  // namespace

Taking::~Taking() { end_taking(fleets_, cluster_, tasks_, false); }

scheduler::Decision Taking::decide(const scheduler::Request& request,
                                   const std::optional<model::InstanceId>& instance) {
  const bool first = tasks_.empty();
  auto decision = fleets_.with(cluster_, [&](scheduler::Fleet& fleet) {
    auto found = instance ? fleet.place_on(*instance, request) : fleet.place(request);
    if (const auto* plan = std::get_if<scheduler::Plan>(&found)) {
      CHECK(fleet.hold(*plan)) << "a plan just made does not hold";
      tasks_.push_back(plan->hold.task);
    }
    return found;
  });
  // A service that looks for room before this call fails finds it taken.
  if (first && !tasks_.empty()) mark_room_if_failed(call_, cluster_);
  return decision;
}

void Taking::leave_to_transaction() {
  call_.tx.on_end([&fleets = fleets_, cluster = cluster_, tasks = std::exchange(tasks_, {})](bool committed) {
    end_taking(fleets, cluster, tasks, committed);
  });
}

state::TaskName name_next_task(const StoredLaunch& launch, std::size_t place, scheduler::Request& request) {
  const state::TaskName name = state::new_task_name(launch.number, static_cast<std::int64_t>(place));
  request.task = model::TaskId(state::to_text(name));
  request.seed = std::hash<std::string>{}(request.task.str());
  return name;
}

state::Task to_task(const StoredLaunch& launch, const state::TaskName& name, scheduler::Plan plan) {
  state::Task task;
  task.name = name;
  task.id = plan.hold.task;
  task.cluster = launch.cluster;
  task.machine = std::move(plan.instance);
  task.machine_number = plan.instance_number;
  task.hold = std::move(plan.hold);
  task.created_at = launch.created_at;
  return task;
}

void write_tasks(Call& call, const state::Cluster& cluster, const std::vector<state::Task>& tasks) {
  state::insert_tasks(call.tx, tasks);
  for (const state::Task& task : tasks) {
    if (!task.is_waiting()) call.wake(state::instance_topic(task.machine));
  }
  if (tasks.empty()) return;
  mark_capacity(call, cluster.number);
  if (!has_event_rules(call)) return;
  std::set<model::InstanceId> machines;
  for (const state::Task& task : tasks) {
    publish_task_change(call, cluster, task.id);
    if (!task.is_waiting()) machines.insert(task.machine);
  }
  for (const model::InstanceId& machine : machines) publish_resource_change(call, machine);
}

}  // namespace services::ecs
