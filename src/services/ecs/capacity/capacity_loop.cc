// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/capacity/capacity_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "services/ecs/capacity/capacity_index.h"
#include "services/ecs/capacity/drain.h"
#include "services/ecs/capacity/protection.h"
#include "services/ecs/capacity/run_queue.h"
#include "services/ecs/capacity/waiting_task.h"
#include "services/ecs/errors.h"
#include "services/ecs/machines/fleets.h"
#include "services/ecs/reconciliation/service_queue.h"
#include "services/ecs/reconciliation/service_tasks.h"
#include "services/ecs/state_events.h"
#include "services/ecs/tasks/task_start.h"
#include "state/machine.h"

namespace services::ecs {
namespace {

// Per turn: the writer must not be occupied for long. The next look follows at once.
constexpr std::size_t kMaxPlacedAtOnce = 100;

bool is_expired(const state::Task& task, base::Time now) { return !is_queued(task) && task.created_at + kWaitsFor <= now; }

// Tasks of one launch and provider need the same: where one finds no room, none of them does.
using Kind = std::pair<state::LaunchNumber, std::string>;
Kind kind_of(const state::Task& task) { return {task.launch(), task.provider.value_or("")}; }

bool any_fits(Call& call, state::ClusterNumber cluster, const std::vector<state::Task>& waiting) {
  WaitingRequests requests(call.tx);
  std::set<Kind> tried;
  bool queue_tried = false;
  for (const state::Task& task : waiting) {
    if (is_queued(task) && queue_tried) continue;
    if (!tried.insert(kind_of(task)).second) continue;
    const scheduler::Request* request = requests.of(task);
    if (!request) continue;
    queue_tried = queue_tried || is_queued(task);
    const auto decision =
        call.local<Fleets>().with(cluster, [&](const scheduler::Fleet& fleet) { return fleet.place(*request); });
    if (std::holds_alternative<scheduler::Plan>(decision)) return true;
  }
  return false;
}

void place(Call& call, const state::Cluster& cluster, state::Task& task, scheduler::Plan plan) {
  task.machine = std::move(plan.instance);
  task.machine_number = plan.instance_number;
  task.hold = std::move(plan.hold);
  state::place_waiting(call.tx, task);
  mark_service_of(call, task);
  mark_capacity(call, cluster.number);
  call.wake(state::instance_topic(task.machine));
  call.wake(state::task_topic(task.id));
  publish_task_change(call, cluster, task.id);
  publish_resource_change(call, task.machine);
}

void place_all(Call& call, const state::Cluster& cluster) {
  WaitingRequests requests(call.tx);
  Taking taking(call, cluster.number);
  std::set<Kind> refused;
  bool queue_waits = false;  // its first task does not fit
  std::size_t placed = 0;
  for (state::Task& task : state::list_waiting(call.tx, cluster.number)) {
    if (is_expired(task, call.now)) {
      stop_waiting(
          call, task, model::StopCode::TaskFailedToStart,
          fmt::format("Capacity provider {} had no capacity for the task within {} minutes.",
                      task.provider.value_or(""), std::chrono::duration_cast<std::chrono::minutes>(kWaitsFor).count()));
      continue;
    }
    if (is_queued(task) && queue_waits) continue;
    const scheduler::Request* request = refused.contains(kind_of(task)) ? nullptr : requests.of(task);
    if (!request || placed == kMaxPlacedAtOnce) continue;
    try {
      auto decision = taking.decide(*request, std::nullopt);
      if (auto* plan = std::get_if<scheduler::Plan>(&decision)) {
        place(call, cluster, task, std::move(*plan));
        ++placed;
        continue;
      }
    } catch (const wire::ApiError&) {
      // An expression that takes too long.
    }
    refused.insert(kind_of(task));
    queue_waits = queue_waits || is_queued(task);
  }
  taking.leave_to_transaction();
  // A service may wait for a place among the waiting tasks.
  if (placed > 0) mark_room(call, cluster.number);
}

void include_next(std::optional<base::Time>& next, base::Time time) {
  if (!next || time < *next) next = time;
}

void apply_capacity(Call& call) {
  for (state::ClusterNumber number : call.local<CapacityIndex>().clusters()) {
    const auto cluster = state::find_cluster(call.tx, number);
    if (!cluster) continue;
    place_all(call, *cluster);
    apply_protection_changes(call, find_protection_changes(call, *cluster));
  }
  continue_drains(call);
}

Decision look_at_capacity(Call& call) {
  Decision decision;
  bool due = false;
  for (state::ClusterNumber number : call.local<CapacityIndex>().clusters()) {
    const auto cluster = state::find_cluster(call.tx, number);
    if (!cluster) continue;
    const auto waiting = state::list_waiting(call.tx, number);
    if (!waiting.empty()) {
      const auto oldest = std::ranges::find_if_not(waiting, &is_queued);
      if (oldest != waiting.end()) {
        include_next(decision.next, oldest->created_at + kWaitsFor);
        due = due || is_expired(*oldest, call.now);
      }
      due = due || any_fits(call, number, waiting);
    }
    due = due || !find_protection_changes(call, *cluster).empty();
  }
  const auto drains = list_drains(call.tx);
  for (const Drain& drain : drains) include_next(decision.next, next_step_at(drain));
  due = due || has_drain_steps(call, drains);
  if (due) {
    decision.apply = &apply_capacity;
    decision.next = call.now;  // what is left of it, or follows from it
  }
  return decision;
}

}  // namespace

Loop capacity_loop() {
  return {.name = "ecs capacity", .topic = std::string(kCapacityTopic), .look = &look_at_capacity};
}

}  // namespace services::ecs
