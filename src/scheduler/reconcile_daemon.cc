// SPDX-License-Identifier: Apache-2.0
// One task on each suitable machine. A machine has room for one task of the daemon at a time, so that a replacement
// means to stop and start; the minimum is counted in machines with a healthy task.
#include <algorithm>
#include <map>
#include <set>

#include "scheduler/reconcile_board.h"

namespace scheduler {
namespace {

struct DaemonPost {
  const DaemonMachine* machine = nullptr;
  std::vector<BoardTask*> tasks = {};  // that stay, by id

  BoardTask* keeper() const;
  bool is_healthy() const { return std::ranges::any_of(tasks, &BoardTask::healthy); }
  std::vector<BoardTask*> others(const BoardTask* kept) const;
};

using DaemonPosts = std::map<model::InstanceId, DaemonPost>;

// The task of the PRIMARY deployment that has come furthest.
BoardTask* DaemonPost::keeper() const {
  BoardTask* best = nullptr;
  const auto progress = [](const BoardTask& one) {
    return std::tuple(one.is_protected, one.healthy, one.running(), -base::to_millis(one.task->created_at));
  };
  for (BoardTask* one : tasks) {
    if (!one->going && one->good() && (!best || progress(*best) < progress(*one))) best = one;
  }
  return best;
}

std::vector<BoardTask*> DaemonPost::others(const BoardTask* kept) const {
  std::vector<BoardTask*> found;
  std::ranges::copy_if(tasks, std::back_inserter(found), [&](BoardTask* one) { return one != kept && !one->going; });
  return found;
}

DaemonPosts man_posts(ServiceBoard& board) {
  DaemonPosts posts;
  for (const DaemonMachine& machine : board.view.machines) posts[machine.id].machine = &machine;
  for (BoardTask& one : board.tasks) {
    const auto found = posts.find(one.task->machine);
    if (found != posts.end() && !one.going) found->second.tasks.push_back(&one);
  }
  return posts;
}

// Tasks that no rollout has to wait for: on machines that the daemon must leave, and before they have started.
void stop_unwanted_tasks(ServiceBoard& board, const DaemonPosts& posts) {
  for (BoardTask& one : board.tasks) {
    if (one.going) continue;
    const auto found = posts.find(one.task->machine);
    const DaemonMachine* machine = found == posts.end() ? nullptr : found->second.machine;
    if (!machine || (machine->excluded && !machine->leaving)) {
      stop_task(board, one, StopCause::Unsuitable);
    } else if (machine->leaving) {
      // A daemon serves the other tasks of its machine to their end.
      if (machine->other_tasks) continue;
      if (one.may_stop()) stop_task(board, one, cause_to_stop(one));
      if (!one.may_stop()) report_protected(board, 1);
    } else if (!one.aside && !one.running() && one.may_stop() && (!one.primary || board.failed)) {
      stop_task(board, one, StopCause::Pending);
    }
  }
}

struct DaemonBudget {
  std::int32_t launches = 0;  // tasks that may start
  std::int32_t spare = 0;    // machines that may be without a healthy task, beyond those that are
  std::int32_t refused = 0;  // machines that the minimum keeps as they are
};

// Stops what must not run beside `kept`, or before its start. False: something remains.
bool clear_post(ServiceBoard& board, const DaemonPost& post, const BoardTask* kept, DaemonBudget& budget) {
  const std::vector<BoardTask*> others = post.others(kept);
  const bool costs = post.is_healthy() && !(kept && kept->healthy) && std::ranges::any_of(others, &BoardTask::healthy);
  const auto kept_up = std::ranges::count_if(others, [](const BoardTask* one) { return !one->may_stop(); });
  report_protected(board, static_cast<std::int32_t>(kept_up));
  if (kept_up > 0 && !kept) return false;
  if (costs && budget.spare <= 0) {
    ++budget.refused;
    return false;
  }
  if (costs) --budget.spare;
  for (BoardTask* one : others) {
    if (one->may_stop()) stop_task(board, *one, cause_to_stop(*one));
  }
  return true;
}

void settle_post(ServiceBoard& board, const DaemonPost& post, DaemonBudget& budget) {
  const BoardTask* kept = post.keeper();
  if (!kept && budget.launches <= 0) return;
  if (!clear_post(board, post, kept, budget) || kept) return;
  ServiceStart start{.deployment = board.primary.number, .count = 1, .machine = post.machine->id};
  board.plan.starts.push_back(std::move(start));
  --budget.launches;
}

// What the service shows: a task on a machine that is only disconnected, as all are after a start of the server, is
// still desired.
void report_desired(ServiceBoard& board) {
  std::set<model::InstanceId> away;
  for (const BoardTask& one : board.tasks) {
    if (one.aside && !one.leaving && !one.going) away.insert(one.task->machine);
  }
  const std::int32_t desired = board.desired + static_cast<std::int32_t>(away.size());
  if (desired != board.view.rules.desired) board.plan.desired = desired;
}

}  // namespace

void set_aside_daemon_tasks(ServiceBoard& board) {
  std::map<model::InstanceId, const DaemonMachine*> machines;
  for (const DaemonMachine& machine : board.view.machines) machines[machine.id] = &machine;
  for (BoardTask& one : board.tasks) {
    const auto found = machines.find(one.task->machine);
    if (found == machines.end()) continue;
    const DaemonMachine& machine = *found->second;
    one.leaving = machine.leaving;
    one.aside = !machine.suitable && (machine.leaving || !machine.excluded);
  }
  report_desired(board);
}

void plan_daemon(ServiceBoard& board) {
  const DaemonPosts posts = man_posts(board);
  stop_unwanted_tasks(board, posts);
  DaemonBudget budget{.spare = -board.lower};
  bool incomplete = false;
  std::vector<const DaemonPost*> suitable;
  for (const auto& [id, post] : posts) {
    if (!post.machine->suitable) continue;
    suitable.push_back(&post);
    budget.spare += post.is_healthy();
    incomplete = incomplete || !post.keeper();
  }
  if (incomplete && !board.failed) {
    const bool allowed = may_launch(board, board.primary);
    const std::int32_t most = waits_for_first_task(board.primary) ? 1 - board.count(&BoardTask::good) : board.desired;
    budget.launches = allowed ? most : 0;
    board.plan.throttled = !allowed;
  }
  // Machines without a healthy task first: they cost nothing.
  std::stable_partition(suitable.begin(), suitable.end(),
                        [](const DaemonPost* post) { return !post->is_healthy(); });
  for (const DaemonPost* post : suitable) settle_post(board, *post, budget);
  const auto moving = [](const BoardTask& one) { return (one.good() && !one.healthy) || !one.running(); };
  board.plan.stuck = budget.refused > 0 && board.idle() && board.going() == 0 && board.count(moving) == 0;
}

}  // namespace scheduler
