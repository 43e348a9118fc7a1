// SPDX-License-Identifier: Apache-2.0
#include "autoscaler/group_plan.h"

#include <algorithm>
#include <map>

#include "autoscaler/group_termination.h"

namespace autoscaler {
namespace {

using Kind = Change::Kind;
using Result = HookAction::Result;

class Planner {
 public:
  Planner(const GroupState& group, base::Time now) : group_(group), now_(now) {}

  GroupPlan plan() {
    for (const GroupMember& member : group_.members) step(member);
    if (group_.is_deleted) {
      plan_.deletes_group = group_.members.empty();
      return std::move(plan_);
    }
    plan_.capacity = static_cast<std::int32_t>(capacity_.size());
    const std::int32_t missing = group_.desired - plan_.capacity;
    if (missing > 0) launch(missing);
    if (missing < 0) shrink(-missing);
    if (missing == 0) replace_one_for_lifetime();
    return std::move(plan_);
  }

 private:
  void change(const GroupMember& member, Kind kind) { plan_.changes.push_back({member.id, kind}); }
  void terminate(const GroupMember& member, TerminationReason reason) {
    plan_.terminations.push_back({member.id, reason, member.is_busy});
  }
  void look_again(base::Time at) {
    if (!plan_.next || at < *plan_.next) plan_.next = at;
  }

  void step(const GroupMember& member) {
    if (is_terminating(member.lifecycle)) return step_terminating(member);
    if (group_.is_deleted) {
      if (is_capacity(member.lifecycle)) ++plan_.capacity;
      return terminate(member, TerminationReason::GroupDeleted);
    }
    switch (member.lifecycle) {
      case Lifecycle::Detaching: return change(member, Kind::Detach);
      case Lifecycle::EnteringStandby: return change(member, Kind::EnterStandby);
      case Lifecycle::Standby:
        if (member.machine == MachineState::Gone) terminate(member, TerminationReason::Unhealthy);
        return;
      default: break;
    }
    if (is_leaving(member)) return;
    capacity_.push_back(&member);
    if (member.lifecycle != Lifecycle::InService) step_launching(member);
  }

  // An instance that fails, is unhealthy or is replaced. True: it does not count as capacity any more.
  bool is_leaving(const GroupMember& member) {
    if (member.lifecycle != Lifecycle::InService && member.machine == MachineState::Gone) {
      change(member, Kind::FailLaunch);
      has_failed_ = true;
      return true;
    }
    if (!group_.may_terminate) return check_health(member);
    if (has_abandoned(member)) {
      terminate(member, TerminationReason::Abandoned);
      return true;
    }
    if (member.is_replaced) {
      terminate(member, TerminationReason::Replaced);
      return true;
    }
    if (member.healthy) return check_health(member);
    if (!group_.replaces_unhealthy) return false;
    if (member.unhealthy_at && *member.unhealthy_at > now_) {
      look_again(*member.unhealthy_at);
      return false;
    }
    terminate(member, TerminationReason::Unhealthy);
    return true;
  }

  // Marks it only: the next plan replaces it.
  bool check_health(const GroupMember& member) {
    if (!group_.checks_health || !member.healthy) return false;
    const bool in_service = member.lifecycle == Lifecycle::InService;
    const bool stopped = member.machine == MachineState::Stopped || member.machine == MachineState::Gone ||
                         (in_service && member.machine == MachineState::Pending);
    if (stopped) {
      change(member, Kind::MarkNotRunning);
    } else if (in_service && member.machine == MachineState::Impaired && may_replace_impaired()) {
      change(member, Kind::MarkImpaired);
      ++impaired_;
    }
    return false;
  }

  // A tenth of the group at a time, so that a wrong diagnosis does not replace all of it.
  bool may_replace_impaired() const {
    const auto is_moving = [](const GroupMember& one) {
      return one.lifecycle != Lifecycle::Standby && (one.lifecycle != Lifecycle::InService || !one.healthy);
    };
    const auto moving = std::count_if(group_.members.begin(), group_.members.end(), is_moving) + impaired_;
    return moving < std::max<std::int64_t>(1, group_.desired / 10);
  }

  bool has_abandoned(const GroupMember& member) const {
    return member.lifecycle == Lifecycle::PendingWait &&
           std::any_of(member.actions.begin(), member.actions.end(),
                       [&](const HookAction& one) { return result_of(one) == Result::Abandon; });
  }

  Result result_of(const HookAction& action) const {
    return action.result == Result::Waiting && action.expires_at <= now_ ? action.default_result : action.result;
  }

  void step_launching(const GroupMember& member) {
    if (member.lifecycle == Lifecycle::PendingWait) {
      if (is_waiting(member)) return;
      return change(member, Kind::ProceedLaunch);
    }
    const bool runs = member.machine == MachineState::Running || member.machine == MachineState::Impaired;
    if (!runs || !member.healthy) return;
    const bool waits = member.lifecycle == Lifecycle::Pending && group_.has_launch_hooks && !member.skips_hooks;
    change(member, waits ? Kind::AwaitLaunchHooks : Kind::EnterService);
  }

  // Looks again when the first of its hooks times out.
  bool is_waiting(const GroupMember& member) {
    bool waits = false;
    for (const HookAction& action : member.actions) {
      if (result_of(action) != Result::Waiting) continue;
      look_again(action.expires_at);
      waits = true;
    }
    return waits;
  }

  void step_terminating(const GroupMember& member) {
    if (member.machine == MachineState::Gone) return change(member, Kind::Finish);
    if (member.stop_requested) return;
    const bool skips = member.skips_hooks || group_.skips_hooks;
    if (member.lifecycle == Lifecycle::TerminatingWait && !skips) {
      const bool abandoned = std::any_of(member.actions.begin(), member.actions.end(),
                                         [&](const HookAction& one) { return result_of(one) == Result::Abandon; });
      if (!abandoned && is_waiting(member)) return;
      return change(member, Kind::ProceedTermination);
    }
    const bool waits = member.lifecycle == Lifecycle::Terminating && group_.has_termination_hooks && !skips;
    change(member, waits ? Kind::AwaitTerminationHooks : Kind::Stop);
  }

  // Each in the zone that has the fewest.
  void launch(std::int32_t missing) {
    // After a failure there is a pause: the next plan has its end.
    if (!group_.may_launch || group_.zones.empty() || has_failed_) return;
    if (group_.retry_at && *group_.retry_at > now_) return look_again(*group_.retry_at);
    std::map<std::string, int> counts;
    for (const GroupMember* one : capacity_) ++counts[one->zone];
    for (std::int32_t i = 0; i < std::min(missing, kMaxLaunchesPerPlan); ++i) {
      const auto zone = std::min_element(group_.zones.begin(), group_.zones.end(),
                                         [&](const auto& a, const auto& b) { return counts[a] < counts[b]; });
      plan_.launches.push_back(*zone);
      ++counts[*zone];
    }
    if (missing > kMaxLaunchesPerPlan) look_again(now_);
  }

  void shrink(std::int32_t surplus) {
    if (!group_.may_terminate) return;
    const auto chosen = choose_terminations(group_, capacity_, static_cast<std::size_t>(surplus), now_);
    for (const GroupMember* one : chosen) {
      // It does not enter service first.
      std::erase_if(plan_.changes, [&](const Change& change) { return change.id == one->id; });
      terminate(*one, TerminationReason::ScaleIn);
    }
    plan_.is_protected = chosen.size() < static_cast<std::size_t>(surplus);
    plan_.reports_protection = plan_.is_protected && !group_.protection_reported;
  }

  // One after another, while nothing else changes.
  void replace_one_for_lifetime() {
    if (group_.max_lifetime == base::Duration(0) || !group_.may_terminate) return;
    const bool rests = std::all_of(group_.members.begin(), group_.members.end(), [](const GroupMember& one) {
      return one.lifecycle == Lifecycle::InService || one.lifecycle == Lifecycle::Standby;
    });
    if (!rests || !plan_.terminations.empty()) return;
    const GroupMember* oldest = nullptr;
    for (const GroupMember* one : capacity_) {
      if (one->is_protected) continue;
      if (!oldest || one->launched_at < oldest->launched_at) oldest = one;
    }
    if (!oldest) return;
    if (oldest->launched_at + group_.max_lifetime > now_) return look_again(oldest->launched_at + group_.max_lifetime);
    terminate(*oldest, TerminationReason::Lifetime);
  }

  const GroupState& group_;
  const base::Time now_;
  std::vector<const GroupMember*> capacity_;
  std::int64_t impaired_ = 0;  // marked by this plan
  bool has_failed_ = false;    // a launch
  GroupPlan plan_;
};

}  // namespace

bool is_capacity(Lifecycle lifecycle) {
  return lifecycle == Lifecycle::Pending || lifecycle == Lifecycle::PendingWait ||
         lifecycle == Lifecycle::PendingProceed || lifecycle == Lifecycle::InService;
}

bool is_terminating(Lifecycle lifecycle) {
  return lifecycle == Lifecycle::Terminating || lifecycle == Lifecycle::TerminatingWait ||
         lifecycle == Lifecycle::TerminatingProceed;
}

GroupPlan plan_group(const GroupState& group, base::Time now) { return Planner(group, now).plan(); }

base::Duration launch_retry(std::int32_t failures) {
  base::Duration pause = kFirstLaunchRetry;
  for (std::int32_t i = 1; i < failures && pause < kLongestLaunchRetry; ++i) pause *= 2;
  return std::min(pause, kLongestLaunchRetry);
}

}  // namespace autoscaler
