// SPDX-License-Identifier: Apache-2.0
// A service with a number of desired tasks. A rollout, a DRAINING machine and an unhealthy task are one matter: tasks
// that must go ("old" below) are replaced under the bounds of the service. Where there is room, new ones start first;
// where there is none, old ones stop first, as far as the minimum allows.
#include <algorithm>

#include "scheduler/reconcile_board.h"

namespace scheduler {
namespace {

// What the service lacks, whether or not there is room for it.
struct Wanted {
  std::int32_t primary = 0;
  std::int32_t older = 0;  // of a completed deployment that still keeps up the minimum
  std::int64_t older_deployment = 0;
  std::int32_t total() const { return primary + older; }
};

bool is_old(const BoardTask& one) { return !one.good(); }
std::int32_t count_good(const ServiceBoard& board) {
  return board.count([](const BoardTask& one) { return one.good(); });
}
std::int32_t count_replaced(const ServiceBoard& board) {
  return board.count([](const BoardTask& one) { return one.good() && one.healthy; });
}
// Tasks that make up the minimum, or will.
std::int32_t count_standing(const ServiceBoard& board) {
  return board.count([](const BoardTask& one) { return one.healthy || one.coming(); });
}

// Tasks that have not started and that nobody waits for.
void stop_unwanted_pending(ServiceBoard& board) {
  for (BoardTask& one : board.tasks) {
    if (one.going || one.running() || !one.may_stop()) continue;
    const bool unwanted = one.leaving || (one.primary ? board.failed : !one.coming());
    if (unwanted) stop_task(board, one, cause_to_stop(one));
  }
}

// More tasks of the PRIMARY deployment than desired.
void scale_in(ServiceBoard& board) {
  const std::int32_t surplus = count_good(board) - board.desired;
  if (surplus <= 0) return;
  std::vector<StopCandidate> candidates;
  std::int32_t spare = std::max(board.healthy() - board.lower, 0);
  for (BoardTask& one : board.tasks) {
    if (one.going || !one.good() || !one.may_stop()) continue;
    candidates.push_back({&one, {one.task->waiting ? -1 : !one.running() ? 0 : !one.healthy ? 1 : 2, 0, false}});
    if (!one.healthy) ++spare;
  }
  report_protected(board, surplus - static_cast<std::int32_t>(candidates.size()));
  stop_by_rank(board, std::move(candidates), std::min(surplus, spare));
}

// Tasks of a completed deployment that were started again to keep up the minimum, and are no longer needed for it.
void stop_needless_pending(ServiceBoard& board) {
  std::vector<StopCandidate> candidates;
  for (BoardTask& one : board.tasks) {
    if (one.going || one.running() || !one.coming() || !one.may_stop()) continue;
    candidates.push_back({&one, {0, one.task->deployment, false}});
  }
  stop_by_rank(board, std::move(candidates), count_standing(board) - board.lower);
}

// The deployment that keeps up the minimum beside the PRIMARY one: the newest completed one that still has tasks. Where
// none has any, what has ended returns only if the PRIMARY deployment fails: without it nothing would run at all.
const ServiceDeployment* older_that_works(const ServiceBoard& board) {
  const ServiceDeployment* newest = nullptr;
  for (const BoardTask& one : board.tasks) {
    if (one.task->stopping || !one.trusted) continue;
    if (!newest || newest->number < one.task->deployment) newest = board.find(one.task->deployment);
  }
  const bool fails = board.failed || (board.primary.failed_tasks > 0 && !board.plan.healthy_again);
  if (newest || !fails || board.primary.completed) return newest;
  for (const ServiceDeployment& one : board.view.deployments) {
    if (one.primary || !one.completed || one.failed) continue;
    if (!newest || newest->number < one.number) newest = &one;
  }
  return newest;
}

// Since November 2025 Amazon replaces a lost task of an older deployment with its own revision, and lets both grow when
// the service is scaled out.
void want_older(ServiceBoard& board, Wanted& wanted) {
  const std::int32_t missing = board.lower - count_standing(board);
  wanted.older = 0;
  if (missing <= 0) return;
  const ServiceDeployment* older = older_that_works(board);
  if (!older || !may_launch(board, *older)) return;
  wanted.older = missing;
  wanted.older_deployment = older->number;
}

Wanted find_wanted(ServiceBoard& board) {
  Wanted wanted;
  const std::int32_t missing = board.desired - count_good(board);
  if (missing > 0 && !board.failed) {
    if (may_launch(board, board.primary)) {
      wanted.primary = waits_for_first_task(board.primary) ? std::max(1 - count_good(board), 0) : missing;
    } else {
      board.plan.throttled = true;
    }
  }
  want_older(board, wanted);
  return wanted;
}

// How many tasks may start. Room goes to the first task of the PRIMARY deployment, then to the minimum, then to the
// rest. Once a task of it is healthy, the PRIMARY deployment is the better way to the minimum.
struct Shares {
  std::int32_t first = 0;  // of the PRIMARY deployment, before the older one
  std::int32_t primary = 0, older = 0;
};

Shares share_room(const ServiceBoard& board, const Wanted& wanted) {
  const std::int32_t room = std::max(board.upper - board.total(), 0);
  const bool works = count_replaced(board) > 0;
  Shares shares;
  shares.first = works ? wanted.primary : std::min(wanted.primary, count_good(board) == 0 ? 1 : 0);
  shares.older = std::clamp(room - shares.first, 0, wanted.older);
  shares.primary = std::min(wanted.primary, room - shares.older);
  return shares;
}

// Old tasks that may stop for blocked ones. Half of the service keeps working even where the minimum would allow it to
// be replaced at once: half of the tasks that there are and of new ones that find room now. Those that are not healthy
// belong to the other half.
std::int32_t stops_for_blocked(const ServiceBoard& board, const Wanted& wanted) {
  const std::int32_t starting = std::max(share_room(board, wanted).primary - board.view.blocked, 0);
  const std::int32_t size = std::min(board.desired, static_cast<std::int32_t>(board.tasks.size()) + starting);
  const std::int32_t useless = board.count([](const BoardTask& one) { return is_old(one) && !one.healthy; });
  const std::int32_t working = size - std::max(size / 2, 1);
  // What stops already makes room for a blocked task.
  return std::min(std::min(board.view.blocked, wanted.primary) - board.going(),
                  board.healthy() - working + useless);
}

// How many old tasks should stop now, if the minimum allows it.
std::int32_t stops_needed(const ServiceBoard& board, const Wanted& wanted) {
  const std::int32_t old = board.count([](const BoardTask& one) { return is_old(one) && one.running(); });
  std::int32_t needed = old - std::max(board.desired - count_replaced(board), 0);
  if (wanted.total() > 0) needed = std::max(needed, wanted.total() - (board.upper - board.total()));
  if (wanted.primary > 0) needed = std::max(needed, stops_for_blocked(board, wanted));
  return std::max(needed, 0);
}

StopRank rank_old(const BoardTask& one) {
  const int kind = one.healthy ? (one.primary ? 4 : 3) : !one.coming() ? 0 : one.running() ? 2 : 1;
  return {kind, one.task->deployment, one.leaving};
}

// Stops that the first task of the PRIMARY deployment needs. It takes precedence over tasks that are coming.
std::int32_t stops_for_first(const ServiceBoard& board, const Wanted& wanted) {
  if (wanted.primary == 0 || count_good(board) > 0) return 0;
  const bool blocked = board.going() == 0 && stops_for_blocked(board, wanted) > 0;
  return std::max(board.total() + 1 - board.upper, blocked ? 1 : 0);
}

// Old tasks that do not count for the minimum first, then those that the minimum can spare.
void stop_old(ServiceBoard& board, const Wanted& wanted) {
  const std::int32_t needed = stops_needed(board, wanted);
  if (needed == 0) return;
  std::vector<StopCandidate> candidates, pending;
  std::int32_t coming = 0, useless = 0, kept = 0;
  for (BoardTask& one : board.tasks) {
    if (one.going || !is_old(one)) continue;
    if (!one.may_stop()) {
      ++kept;
    } else {
      (one.running() ? candidates : pending).push_back({&one, rank_old(one)});
      if (one.running() && !one.healthy) ++(one.coming() ? coming : useless);
    }
  }
  std::int32_t spare =
      useless + std::clamp(count_standing(board) - board.lower, 0, coming) + std::max(board.healthy() - board.lower, 0);
  if (spare < stops_for_first(board, wanted)) {
    candidates.insert(candidates.end(), pending.begin(), pending.end());
    coming += static_cast<std::int32_t>(pending.size());
    spare = std::max(spare, std::min(stops_for_first(board, wanted), useless + coming));
  }
  const auto most = static_cast<std::int32_t>(candidates.size());
  if (spare >= most) report_protected(board, std::min(kept, needed - most));
  stop_by_rank(board, std::move(candidates), std::min(needed, spare));
}

ServiceStart start_of(const ServiceBoard& board, std::int64_t deployment, std::int32_t count) {
  const std::int32_t unhealthy =
      board.count([&](const BoardTask& one) { return one.unhealthy && one.task->deployment == deployment; });
  return {.deployment = deployment, .count = count, .replaced_unhealthy = std::min(count, unhealthy)};
}

void start_wanted(ServiceBoard& board, const Wanted& wanted) {
  const Shares shares = share_room(board, wanted);
  // In the order in which they are placed.
  if (shares.primary > 0) board.plan.starts.push_back(start_of(board, board.primary.number, shares.primary));
  if (shares.older > 0) board.plan.starts.push_back(start_of(board, wanted.older_deployment, shares.older));
  if (shares.first == 0) std::ranges::reverse(board.plan.starts);
}

// Something is under way that will change the counts.
bool is_moving(const ServiceBoard& board) {
  return !board.idle() || board.going() > 0 ||
         board.count([](const BoardTask& one) { return (one.good() && !one.healthy) || !one.running(); }) > 0;
}

}  // namespace

void plan_replicas(ServiceBoard& board) {
  if (finish_rebalancing(board)) return;
  stop_unwanted_pending(board);
  scale_in(board);
  stop_needless_pending(board);
  Wanted wanted = find_wanted(board);
  stop_old(board, wanted);
  want_older(board, wanted);
  start_wanted(board, wanted);
  board.plan.stuck = wanted.total() > 0 && !is_moving(board) && board.plan.protected_tasks == 0;
  begin_rebalancing(board);
}

}  // namespace scheduler
