// SPDX-License-Identifier: Apache-2.0
// How the PRIMARY deployment fares: its failures before anything is planned, its success after that.
#include <algorithm>

#include "scheduler/reconcile_board.h"

namespace scheduler {
namespace {

bool in_progress(const ServiceDeployment& deployment) { return !deployment.completed && !deployment.failed; }

// Whether a task has started and stayed healthy since the last failure. A task that was running before it is no evidence
// about those that fail to start now.
bool failures_are_over(ServiceBoard& board) {
  if (board.primary.failed_tasks <= 0) return false;
  bool over = false;
  for (const BoardTask& one : board.tasks) {
    if (one.going || !one.good() || !one.healthy) continue;
    const base::Time proven = one.started_at() + kProvenAfter;
    look_again(board, proven);
    if (proven <= board.now && (!board.primary.last_failure || proven > *board.primary.last_failure)) over = true;
  }
  return over;
}

bool is_ready(const BoardTask& one) { return !one.going && one.good() && one.healthy; }

// When every desired task has proved itself and bake time is over; nullopt: not in sight.
std::optional<base::Time> completion(const ServiceBoard& board) {
  base::Time end = board.now;
  std::int32_t ready = 0, away = 0;
  const base::Duration least = std::max(kProvenAfter, board.view.rules.bake);
  for (const BoardTask& one : board.tasks) {
    if (!one.primary && !one.aside) return std::nullopt;
    if (one.aside && !one.leaving) ++away;
    if (!is_ready(one)) continue;
    ++ready;
    end = std::max(end, one.started_at() + least);
  }
  if (ready < board.desired) return std::nullopt;
  // While all machines of a daemon are disconnected, as after a start of the server, nothing is proved.
  if (ready == 0 && away > 0) return std::nullopt;
  return board.desired == 0 ? board.now : end;
}

bool is_steady(const ServiceBoard& board) {
  const bool completed = board.primary.completed || board.plan.verdict == Verdict::Completed;
  if (!completed || !board.idle()) return false;
  std::int32_t ready = 0;
  for (const BoardTask& one : board.tasks) {
    if (one.aside) continue;
    if (!is_ready(one)) return false;
    ++ready;
  }
  return ready == board.desired;
}

bool has_tasks(const ServiceBoard& board, std::int64_t deployment) {
  return std::ranges::any_of(board.tasks, [&](const BoardTask& one) { return one.task->deployment == deployment; }) ||
         std::ranges::any_of(board.plan.starts,
                             [&](const ServiceStart& start) { return start.deployment == deployment; });
}

}  // namespace

void judge_failures(ServiceBoard& board) {
  const ServiceDeployment& primary = board.primary;
  const ServiceRules& rules = board.view.rules;
  board.plan.healthy_again = failures_are_over(board);
  if (!in_progress(primary)) return;
  bool roll_back = false;
  const bool unresolved = primary.resolving && !waits_for_first_task(primary);
  const std::int32_t failures = primary.failed_tasks + (rules.breaker_sums ? primary.earlier_failures : 0);
  const bool too_many = failures >= breaker_threshold(board.desired, rules.breaker_at) || unresolved;
  const bool over = board.plan.healthy_again && !rules.breaker_sums;
  if (rules.breaker && !over && too_many) {
    board.plan.verdict = Verdict::BreakerFailed;
    roll_back = rules.breaker_rollback;
  } else if (primary.alarmed) {
    board.plan.verdict = Verdict::AlarmFailed;
    roll_back = rules.alarm_rollback;
  } else {
    return;
  }
  board.failed = true;
  board.plan.roll_back = roll_back && board.view.can_roll_back;
}

void judge_success(ServiceBoard& board) {
  if (in_progress(board.primary) && board.plan.verdict == Verdict::None) {
    if (const std::optional<base::Time> end = completion(board)) {
      if (*end <= board.now) board.plan.verdict = Verdict::Completed;
      look_again(board, *end);
    }
  }
  board.plan.steady = is_steady(board);
  for (const ServiceDeployment& one : board.view.deployments) {
    if (!one.primary && !one.retired && !has_tasks(board, one.number)) board.plan.retired.push_back(one.number);
  }
}

}  // namespace scheduler
