// SPDX-License-Identifier: Apache-2.0
#include "scheduler/reconcile_board.h"

#include <map>
#include <string_view>

#include "base/check.h"

namespace scheduler {
namespace {

constexpr std::int64_t kAllPercent = 100;

// More than all tasks can't be required.
std::int32_t lower_bound_of(std::int64_t desired, std::int64_t percent) {
  return static_cast<std::int32_t>((desired * std::clamp<std::int64_t>(percent, 0, kAllPercent) + 99) / 100);
}

std::int32_t upper_bound_of(std::int64_t desired, std::int64_t percent) {
  constexpr std::int64_t kMost = INT32_MAX;
  return static_cast<std::int32_t>(std::min(desired * std::max<std::int64_t>(percent, 0) / 100, kMost));
}

const ServiceDeployment& primary_of(const ServiceView& view) {
  const auto found = std::ranges::find_if(view.deployments, &ServiceDeployment::primary);
  CHECK(found != view.deployments.end()) << "a service without a PRIMARY deployment";
  return *found;
}

bool fails_checks(const ServiceTask& task) {
  return task.health == TaskHealth::Unhealthy || task.targets == TargetHealth::Unhealthy;
}

bool passes_checks(const ServiceTask& task) {
  return (task.health == TaskHealth::NotChecked || task.health == TaskHealth::Healthy) &&
         (task.targets == TargetHealth::None || task.targets == TargetHealth::Healthy);
}

BoardTask judge_task(const ServiceBoard& board, const ServiceTask& task) {
  BoardTask one{.task = &task, .primary = task.deployment == board.primary.number, .leaving = task.leaving};
  if (const ServiceDeployment* deployment = board.find(task.deployment)) {
    one.trusted = !one.primary && deployment->completed && !deployment->failed && !board.primary.completed;
  }
  one.going = task.stopping;
  one.is_protected = task.protected_until && *task.protected_until > board.now;
  if (task.running && !task.stopping) {
    one.healthy = passes_checks(task);
    one.unhealthy = fails_checks(task) && one.started_at() + board.view.rules.grace <= board.now;
  }
  return one;
}

// How many tasks of the service run in each zone and on each machine.
struct Crowds {
  std::map<std::string_view, std::int32_t> zones = {}, machines = {};
};

struct Ranked {
  StopCandidate candidate;
  std::int32_t* zone = nullptr;
  std::int32_t* machine = nullptr;
};

bool stops_before(const Ranked& a, const Ranked& b) {
  if (a.candidate.rank != b.candidate.rank) return a.candidate.rank < b.candidate.rank;
  if (*a.zone != *b.zone) return *a.zone > *b.zone;
  if (*a.machine != *b.machine) return *a.machine > *b.machine;
  const ServiceTask &first = *a.candidate.task->task, &second = *b.candidate.task->task;
  if (first.created_at != second.created_at) return first.created_at > second.created_at;
  return first.id < second.id;
}

}  // namespace

const ServiceDeployment* ServiceBoard::find(std::int64_t deployment) const {
  const auto found = std::ranges::find(view.deployments, deployment, &ServiceDeployment::number);
  return found == view.deployments.end() ? nullptr : &*found;
}

ServiceBoard lay_out(const ServiceView& view, base::Time now) {
  ServiceBoard board{.view = view, .now = now, .primary = primary_of(view)};
  board.desired = std::max(view.rules.desired, 0);
  if (view.rules.daemon) {
    board.desired = static_cast<std::int32_t>(std::ranges::count_if(view.machines, &DaemonMachine::suitable));
  }
  board.lower = lower_bound_of(board.desired, view.rules.minimum_percent);
  board.upper = upper_bound_of(board.desired, view.rules.maximum_percent);
  board.failed = board.primary.failed;
  for (const ServiceTask& task : view.tasks) board.tasks.push_back(judge_task(board, task));
  std::ranges::sort(board.tasks, {}, [](const BoardTask& one) -> const model::TaskId& { return one.task->id; });
  for (const BoardTask& one : board.tasks) {
    if (one.going || !one.running() || !fails_checks(*one.task)) continue;
    look_again(board, one.started_at() + view.rules.grace);
  }
  return board;
}

void look_again(ServiceBoard& board, base::Time at) {
  if (at <= board.now) return;
  if (!board.plan.next || at < *board.plan.next) board.plan.next = at;
}

void stop_task(ServiceBoard& board, BoardTask& task, StopCause cause) {
  task.going = true;
  board.plan.stops.push_back({task.task->id, cause});
}

StopCause cause_to_stop(const BoardTask& task) {
  if (task.unhealthy) return StopCause::Unhealthy;
  if (task.leaving) return StopCause::Draining;
  return task.running() ? StopCause::ScaleIn : StopCause::Pending;
}

void stop_by_rank(ServiceBoard& board, std::vector<StopCandidate> candidates, std::int32_t count) {
  if (count <= 0) return;
  Crowds crowds;
  for (const BoardTask& one : board.tasks) {
    if (one.going) continue;
    ++crowds.zones[one.task->zone];
    ++crowds.machines[one.task->machine.str()];
  }
  std::vector<Ranked> left;
  for (const StopCandidate& one : candidates) {
    const ServiceTask& task = *one.task->task;
    left.push_back({one, &crowds.zones.at(task.zone), &crowds.machines.at(task.machine.str())});
  }
  for (; count > 0 && !left.empty(); --count) {
    const auto next = std::ranges::min_element(left, stops_before);
    --*next->zone;
    --*next->machine;
    stop_task(board, *next->candidate.task, cause_to_stop(*next->candidate.task));
    left.erase(next);
  }
}

void report_protected(ServiceBoard& board, std::int32_t count) {
  if (count <= 0) return;
  board.plan.protected_tasks += count;
  for (const BoardTask& one : board.tasks) {
    if (!one.going && !one.may_stop()) look_again(board, *one.task->protected_until);
  }
}

bool may_launch(ServiceBoard& board, const ServiceDeployment& deployment) {
  if (&deployment == &board.primary) {
    if (board.failed) return false;
    if (board.plan.healthy_again) return true;
  } else if (deployment.failed) {
    return false;
  }
  const std::optional<base::Time> end = back_off_ends(deployment);
  if (!end || *end <= board.now) return true;
  look_again(board, *end);
  return false;
}

}  // namespace scheduler
