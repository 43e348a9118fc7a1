// SPDX-License-Identifier: Apache-2.0
#include "autoscaler/refresh.h"

#include <algorithm>

namespace autoscaler {
namespace {

using Place = RefreshMember::Place;

int share_of(int count, int percent) { return (count * percent + 99) / 100; }

void make_earlier(std::optional<base::Time>& time, base::Time other) { time = time ? std::min(*time, other) : other; }

// The members by what the refresh has to do with them. Ignored ones are in none of the lists.
struct Sorted {
  std::vector<const RefreshMember*> candidates;  // to be replaced, as soon as enough others are healthy
  std::vector<const RefreshMember*> obstacles;   // to be replaced, but somebody has to release them
  std::vector<const RefreshMember*> arriving;    // new: pending, or in its warm-up
  std::vector<const RefreshMember*> old_pending;
  int updated = 0;     // new, and its warm-up is over
  int healthy = 0;     // in service, and not in a warm-up that the refresh waits for
  int total = 0;       // to be updated, or updated
  int leaving = 0;
  std::optional<base::Time> next_warm;

  int to_replace() const { return static_cast<int>(candidates.size() + obstacles.size() + old_pending.size()); }
};

Obstacle obstacle_of(const RefreshMember& member, const RefreshTerms& terms) {
  if (member.place == Place::Standby) return terms.standby_instances;
  if (member.is_protected) return terms.protected_instances;
  return Obstacle::Replace;
}

void sort_new(const RefreshMember& member, base::Time now, Sorted& sorted) {
  const bool warm = member.place == Place::InService && member.healthy && member.warm_at && *member.warm_at <= now;
  if (warm) {
    ++sorted.updated;
    ++sorted.healthy;
  } else {
    sorted.arriving.push_back(&member);
    if (member.place == Place::InService && member.warm_at) make_earlier(sorted.next_warm, *member.warm_at);
  }
}

Sorted sort_members(const RefreshState& refresh, base::Time now) {
  Sorted sorted;
  int ignored = 0;
  for (const RefreshMember& member : refresh.members) {
    if (member.place == Place::Leaving) {
      ++sorted.leaving;
      continue;
    }
    if (member.is_new) {
      sort_new(member, now, sorted);
      continue;
    }
    if (member.place == Place::InService && member.healthy) ++sorted.healthy;
    const Obstacle obstacle = obstacle_of(member, refresh.terms);
    if (obstacle == Obstacle::Ignore) {
      ignored += member.place == Place::InService;
    } else if (obstacle == Obstacle::Wait) {
      sorted.obstacles.push_back(&member);
    } else if (member.place == Place::Pending) {
      sorted.old_pending.push_back(&member);
    } else {
      sorted.candidates.push_back(&member);
    }
  }
  const int present = sorted.to_replace() + sorted.updated + static_cast<int>(sorted.arriving.size());
  // Replacements that are not launched yet count, too.
  sorted.total = std::max(present, refresh.desired - ignored);
  return sorted;
}

// How many instances are to be updated until the next checkpoint.
int next_goal(const RefreshState& refresh, int total) {
  const auto& checkpoints = refresh.terms.checkpoints;
  const auto reached = static_cast<std::size_t>(refresh.checkpoints_reached);
  return reached < checkpoints.size() ? share_of(total, checkpoints[reached]) : total;
}

struct Pace {
  int min_healthy = 0, surge = 0;
};

// Amazon rounds so that there is always progress: one instance at a time where the percentages allow none.
Pace pace_of(const RefreshState& refresh) {
  Pace pace;
  pace.surge = std::max(0, share_of(refresh.desired, refresh.terms.max_healthy) - refresh.desired);
  pace.min_healthy = share_of(refresh.desired, refresh.terms.min_healthy);
  if (pace.surge == 0) pace.min_healthy = std::min(pace.min_healthy, refresh.desired - 1);
  return pace;
}

void choose_replacements(const RefreshState& refresh, const Sorted& sorted, RefreshPlan& plan) {
  const Pace pace = pace_of(refresh);
  const int goal = next_goal(refresh, sorted.total);
  int allowed = goal - (sorted.total - sorted.to_replace());
  int spare = sorted.healthy - pace.min_healthy;
  for (const RefreshMember* member : sorted.candidates) {
    const bool counts = member->place == Place::InService && member->healthy;
    if (allowed <= 0) break;
    if (counts && spare <= 0) continue;
    if (counts) --spare;
    --allowed;
    plan.replace.push_back(member->id);
  }
  const int rest = static_cast<int>(sorted.candidates.size() - plan.replace.size());
  plan.surge = std::max(0, std::min({pace.surge, rest, allowed}));
}

std::string describe_wait(const RefreshState& refresh, const Sorted& sorted) {
  if (refresh.launches_fail) return "Waiting for instances to launch before continuing: the last launch failed.";
  for (const RefreshMember* member : sorted.arriving) {
    if (member->place != Place::InService) continue;
    return "Waiting for instances to warm up before continuing. For example: " + member->id + " is warming up.";
  }
  for (const RefreshMember* member : sorted.arriving) {
    return "Waiting for instances to launch before continuing. For example: " + member->id + " is not in service yet.";
  }
  if (sorted.candidates.empty() && !sorted.obstacles.empty()) {
    const RefreshMember& first = *sorted.obstacles.front();
    return first.place == Place::Standby
               ? "Waiting for instances in Standby before continuing. For example: " + first.id + " is in Standby."
               : "Waiting for instances that are protected from scale in before continuing. For example: " + first.id +
                     " is protected.";
  }
  if (sorted.leaving > 0) return "Waiting for instances to terminate before continuing.";
  return "";
}

// Nothing happens unless somebody releases an instance, or repairs what makes launches fail.
bool is_blocked(const RefreshState& refresh, const Sorted& sorted) {
  if (refresh.launches_fail) return true;
  return !sorted.obstacles.empty() && sorted.candidates.empty() && sorted.arriving.empty();
}

RefreshPlan finish(const RefreshState& refresh, RefreshPlan plan) {
  plan.surge = 0;
  plan.step = refresh.terms.bake > base::Duration(0) ? RefreshStep::Bake : RefreshStep::Succeed;
  return plan;
}

RefreshPlan cancel(const Sorted& sorted, RefreshPlan plan) {
  const bool in_flight = sorted.leaving > 0 || std::any_of(sorted.arriving.begin(), sorted.arriving.end(), [](auto* one) {
                           return one->place == Place::Pending;
                         });
  if (!in_flight) plan.step = RefreshStep::Cancel;
  plan.reason = in_flight ? "Waiting for launches and terminations in progress before cancelling." : "Cancelled due to user request.";
  return plan;
}

RefreshPlan fail(RefreshPlan plan, std::string reason) {
  plan.step = RefreshStep::Fail;
  plan.reason = std::move(reason);
  return plan;
}

RefreshPlan proceed(const RefreshState& refresh, const Sorted& sorted, RefreshPlan plan, base::Time now) {
  plan.blocked = is_blocked(refresh, sorted);
  const base::Time blocked_until = refresh.blocked_since.value_or(now) + kLongestObstacle;
  if (plan.blocked && blocked_until <= now) return fail(plan, describe_wait(refresh, sorted) + " Gave up after one hour.");
  choose_replacements(refresh, sorted, plan);
  if (plan.replace.empty()) plan.reason = describe_wait(refresh, sorted);
  make_earlier(plan.next, refresh.started_at + kLongestRefresh);
  if (plan.blocked) make_earlier(plan.next, blocked_until);
  if (sorted.next_warm) make_earlier(plan.next, *sorted.next_warm);
  return plan;
}

}  // namespace

RefreshPlan plan_refresh(const RefreshState& refresh, base::Time now) {
  const Sorted sorted = sort_members(refresh, now);
  RefreshPlan plan;
  plan.to_update = sorted.total - sorted.updated;
  plan.percent = sorted.total == 0 ? 100 : 100 * sorted.updated / sorted.total;
  if (refresh.cancelling) return cancel(sorted, std::move(plan));
  if (refresh.bake_until) {
    if (*refresh.bake_until <= now) plan.step = RefreshStep::Succeed;
    plan.next = refresh.bake_until;
    return plan;
  }
  if (refresh.started_at + kLongestRefresh <= now) return fail(plan, "The instance refresh did not complete in 14 days.");
  if (refresh.suspended) {
    plan.reason = "The process InstanceRefresh is suspended.";
    plan.next = refresh.started_at + kLongestRefresh;
    return plan;
  }
  if (refresh.paused_until && now < *refresh.paused_until) {
    plan.reason = "Waiting after a checkpoint.";
    plan.next = refresh.paused_until;
    return plan;
  }
  const auto reached = static_cast<std::size_t>(refresh.checkpoints_reached);
  if (reached < refresh.terms.checkpoints.size() && sorted.updated >= next_goal(refresh, sorted.total)) {
    plan.step = RefreshStep::Checkpoint;
    plan.next = now + refresh.terms.checkpoint_delay;
    return plan;
  }
  const bool all_reached = !refresh.terms.checkpoints.empty() && reached == refresh.terms.checkpoints.size();
  if (all_reached || plan.to_update == 0) return finish(refresh, std::move(plan));
  return proceed(refresh, sorted, std::move(plan), now);
}

}  // namespace autoscaler
