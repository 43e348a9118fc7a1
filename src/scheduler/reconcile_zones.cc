// SPDX-License-Identifier: Apache-2.0
// Balances the tasks of a steady service over zones: one more task starts in the emptiest zone, and once it is healthy
// one stops in the fullest. Zones that differ by one task are balanced.
#include <algorithm>
#include <map>
#include <string_view>

#include "scheduler/reconcile_board.h"

namespace scheduler {
namespace {

using ZoneCounts = std::map<std::string_view, std::int32_t>;

constexpr std::int32_t kUnbalanced = 2;

// Of tasks that stay, without `other`.
ZoneCounts count_zones(const ServiceBoard& board, const BoardTask* other = nullptr) {
  ZoneCounts counts;
  for (const std::string& zone : board.view.zones) counts[zone] = 0;
  for (const BoardTask& one : board.tasks) {
    counts[one.task->zone] += !one.going && &one != other ? 1 : 0;
  }
  return counts;
}

// Among zones that accept tasks.
std::string_view emptiest_zone(const ServiceBoard& board, const ZoneCounts& counts) {
  return *std::ranges::min_element(board.view.zones, {}, [&](const std::string& zone) { return counts.at(zone); });
}

// Tasks whose zone has at least two more than `fewest`.
std::vector<StopCandidate> in_full_zones(ServiceBoard& board, const ZoneCounts& counts, std::int32_t fewest) {
  std::vector<StopCandidate> tasks;
  for (BoardTask& one : board.tasks) {
    if (!one.going && counts.at(one.task->zone) - fewest >= kUnbalanced) tasks.push_back({&one, {}});
  }
  return tasks;
}

bool may_rebalance(const ServiceBoard& board) {
  const auto settled = [](const BoardTask& one) { return one.good() && !one.task->stopping; };
  return board.view.rules.rebalance_zones && board.view.zones.size() >= 2 && board.primary.completed &&
         std::ranges::all_of(board.tasks, settled);
}

BoardTask* youngest(ServiceBoard& board) {
  const auto age = [](const BoardTask& one) { return std::tie(one.task->created_at, one.task->id); };
  const auto found = std::ranges::max_element(board.tasks, {}, age);
  return found == board.tasks.end() ? nullptr : &*found;
}

}  // namespace

bool finish_rebalancing(ServiceBoard& board) {
  if (!may_rebalance(board) || board.total() != board.desired + 1) return false;
  const BoardTask* added = youngest(board);
  const ZoneCounts before = count_zones(board, added);
  const std::int32_t fewest = before.at(emptiest_zone(board, before));
  const std::vector<std::string>& zones = board.view.zones;
  const bool for_balance =
      std::ranges::find(zones, added->task->zone) != zones.end() && before.at(added->task->zone) == fewest;
  std::vector<StopCandidate> candidates = in_full_zones(board, before, fewest);
  if (!for_balance || candidates.empty()) return false;
  if (board.healthy() < board.total()) return true;
  std::erase_if(candidates, [](const StopCandidate& one) { return !one.task->may_stop(); });
  if (candidates.empty()) report_protected(board, 1);
  stop_by_rank(board, std::move(candidates), 1);
  for (ServiceStop& stop : board.plan.stops) stop.cause = StopCause::Rebalancing;
  return true;
}

void begin_rebalancing(ServiceBoard& board) {
  if (!may_rebalance(board) || !board.idle() || board.view.blocked > 0) return;
  if (board.total() != board.desired || board.healthy() != board.desired || board.desired >= board.upper) return;
  const ZoneCounts counts = count_zones(board);
  const std::string_view target = emptiest_zone(board, counts);
  const std::vector<StopCandidate> full = in_full_zones(board, counts, counts.at(target));
  if (full.empty()) return;
  const auto may_stop = [](const StopCandidate& one) { return one.task->may_stop(); };
  if (std::ranges::none_of(full, may_stop)) {
    for (const StopCandidate& one : full) look_again(board, *one.task->task->protected_until);
  } else if (may_launch(board, board.primary)) {
    board.plan.starts.push_back({.deployment = board.primary.number, .count = 1, .zone = std::string(target)});
  }
}

}  // namespace scheduler
