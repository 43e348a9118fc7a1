// SPDX-License-Identifier: Apache-2.0
#include "autoscaler/group_plan.h"

#include <algorithm>
#include <map>
#include <string_view>

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
    std::int32_t surge = 0;
    for (const GroupMember* one : capacity_) {
      plan_.capacity += one->weight;
      if (one->is_balancing && one->lifecycle != Lifecycle::InService) surge += one->weight;
    }
    const std::int32_t missing = group_.desired + surge - plan_.capacity;
    if (missing > 0) launch(missing);
    if (missing < 0) shrink(-missing);
    // An instance with a weight may leave a surplus that none can make good.
    if (missing <= 0 && -missing < group_.launch_weight && rests() && plan_.is_empty()) balance_zones();
    if (missing == 0 && rests() && plan_.is_empty()) replace_one_for_lifetime();
    return std::move(plan_);
  }

 private:
  // The next plan finds what this one leaves out.
  void change(const GroupMember& member, Kind kind) {
    if (plan_.changes.size() < kMaxChangesPerPlan) plan_.changes.push_back({member.id, kind});
  }
  void terminate(const GroupMember& member, TerminationReason reason) {
    if (plan_.terminations.size() < kMaxTerminationsPerPlan) {
      plan_.terminations.push_back({member.id, reason, member.is_busy});
    }
  }
  void look_again(base::Time at) {
    if (!plan_.next || at < *plan_.next) plan_.next = at;
  }

  void step(const GroupMember& member) {
    if (is_terminating(member.lifecycle)) return step_terminating(member);
    if (group_.is_deleted) {
      if (is_capacity(member.lifecycle)) plan_.capacity += member.weight;
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
  bool may_replace_impaired() {
    const auto is_moving = [](const GroupMember& one) {
      return one.lifecycle != Lifecycle::Standby && (one.lifecycle != Lifecycle::InService || !one.healthy);
    };
    if (!moving_) moving_ = std::count_if(group_.members.begin(), group_.members.end(), is_moving);
    return *moving_ + impaired_ < std::max<std::int64_t>(1, group_.desired / 10);
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
    const std::int32_t count = (missing + group_.launch_weight - 1) / group_.launch_weight;
    for (std::int32_t i = 0; i < std::min(count, kMaxLaunchesPerPlan); ++i) {
      const auto zone = std::min_element(group_.zones.begin(), group_.zones.end(),
                                         [&](const auto& a, const auto& b) { return counts[a] < counts[b]; });
      plan_.launches.push_back(*zone);
      ++counts[*zone];
    }
    plan_.continues = count > kMaxLaunchesPerPlan;
    if (plan_.continues) look_again(now_);
  }

  void shrink(std::int32_t surplus) {
    if (!group_.may_terminate) return;
    const auto chosen = choose_terminations(group_, capacity_, surplus, now_);
    for (const GroupMember* one : chosen) {
      if (plan_.terminations.size() == kMaxTerminationsPerPlan) {
        plan_.continues = true;
        return;
      }
      // It does not enter service first.
      std::erase_if(plan_.changes, [&](const Change& change) { return change.id == one->id; });
      terminate(*one, TerminationReason::ScaleIn);
      surplus -= one->weight;
    }
    plan_.is_protected = std::any_of(capacity_.begin(), capacity_.end(), [&](const GroupMember* one) {
      return is_protected(*one) && one->weight <= surplus;
    });
    plan_.reports_protection = plan_.is_protected && !group_.protection_reported;
  }

  // Nothing moves: every instance is in service, or in standby.
  bool rests() const {
    return std::all_of(group_.members.begin(), group_.members.end(), [](const GroupMember& one) {
      return one.lifecycle == Lifecycle::InService || one.lifecycle == Lifecycle::Standby;
    });
  }

  // May end so that another zone gets its place. Work is worth more than balance.
  bool is_movable(const GroupMember& member) const {
    return member.lifecycle == Lifecycle::InService && !member.is_protected && !member.is_busy &&
           member.weight <= group_.launch_weight;
  }

  // The new instance comes first: once it is in service, there is one too many, and scale-in takes it from the most
  // crowded zone. A tenth of the group at a time. After a failure the zones wait for a launch that succeeds: they must
  // not delay those that the group needs.
  void balance_zones() {
    const bool may_balance = group_.balances_zones && group_.may_launch && group_.may_terminate && !group_.zones.empty();
    if (!may_balance || group_.launches_failed || !has_uneven_zones(group_)) return;
    ZoneCounts zones;
    for (const std::string& zone : group_.zones) zones[zone];
    for (const GroupMember* one : capacity_) {
      ++zones[one->zone].instances;
      if (is_movable(*one)) ++zones[one->zone].movable;
    }
    const std::string cause = balance_text(zones);
    const std::int32_t most = std::clamp(group_.desired / 10, 1, kMaxLaunchesPerPlan);
    for (std::int32_t i = 0; i < most; ++i) {
      const auto from = most_crowded_zone(zones), to = emptiest_zone(zones);
      const bool uneven = has_left(from->first) || from->second.instances >= to->second.instances + 2;
      if (!uneven || from->second.movable == 0) break;
      plan_.balancing_launches.push_back(to->first);
      ++to->second.instances;
      --from->second.instances;
      --from->second.movable;
    }
    if (!plan_.balancing_launches.empty()) plan_.balance_cause = cause;
  }

  struct ZoneCount {
    int instances = 0, movable = 0;
  };
  using ZoneCounts = std::map<std::string, ZoneCount>;

  bool has_left(const std::string& zone) const {
    return std::find(group_.zones.begin(), group_.zones.end(), zone) == group_.zones.end();
  }
  // A zone that the group has left counts before all others, for as long as it has instances.
  ZoneCounts::iterator most_crowded_zone(ZoneCounts& zones) const {
    return std::max_element(zones.begin(), zones.end(), [&](const auto& a, const auto& b) {
      return std::pair(has_left(a.first) && a.second.instances > 0, a.second.instances) <
             std::pair(has_left(b.first) && b.second.instances > 0, b.second.instances);
    });
  }
  ZoneCounts::iterator emptiest_zone(ZoneCounts& zones) const {
    return std::min_element(zones.begin(), zones.end(), [&](const auto& a, const auto& b) {
      return std::pair(has_left(a.first), a.second.instances) < std::pair(has_left(b.first), b.second.instances);
    });
  }
  // Amazon's, as recorded from its activities.
  static std::string balance_text(const ZoneCounts& zones) {
    std::string names, counts;
    for (const auto& [zone, count] : zones) {
      names += " " + zone;
      counts += " " + std::to_string(count.instances);
    }
    return "availability zones" + names + " had" + counts +
           " instances respectively. An instance was launched to aid in balancing the group's zones";
  }

  // One after another, while nothing else changes.
  void replace_one_for_lifetime() {
    if (group_.max_lifetime == base::Duration(0) || !group_.may_terminate) return;
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
  std::optional<std::int64_t> moving_;  // members that start, end or are unhealthy
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

bool has_uneven_zones(const GroupState& group) {
  std::map<std::string_view, int> counts;
  for (const std::string& zone : group.zones) counts[zone];
  const std::size_t zones = counts.size();
  for (const GroupMember& one : group.members) {
    if (is_capacity(one.lifecycle)) ++counts[one.zone];
  }
  if (counts.size() > zones) return true;
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end(),
                                                 [](const auto& a, const auto& b) { return a.second < b.second; });
  return least != counts.end() && most->second >= least->second + 2;
}

GroupPlan plan_group(const GroupState& group, base::Time now) { return Planner(group, now).plan(); }

base::Duration launch_retry(std::int32_t failures) {
  base::Duration pause = kFirstLaunchRetry;
  for (std::int32_t i = 1; i < failures && pause < kLongestLaunchRetry; ++i) pause *= 2;
  return std::min(pause, kLongestLaunchRetry);
}

}  // namespace autoscaler
