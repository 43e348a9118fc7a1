// SPDX-License-Identifier: Apache-2.0
// Groups over thousands of random steps: machines that start, fail, die and stop when they like, hooks that are
// completed or not, changed sizes, protection and suspended processes.
#include <gtest/gtest.h>

#include <random>

#include "autoscaler/group_plan.h"

namespace autoscaler {
namespace {

using Kind = Change::Kind;
using Result = HookAction::Result;

class SimulatedGroup {
 public:
  explicit SimulatedGroup(unsigned seed) : random_(seed) {
    group_.zones = {"a", "b", "c"};
    group_.termination_policies = {"Default"};
    group_.has_launch_hooks = pick(2) == 0;
    group_.has_termination_hooks = pick(2) == 0;
    group_.balances_zones = pick(2) == 0;
  }

  // Applies one plan, as the loop does.
  void take_step(bool checks) {
    const GroupPlan plan = plan_group(group_, now_);
    for (const Change& change : plan.changes) apply(change);
    for (const Termination& one : plan.terminations) {
      GroupMember& member = find(one.id);
      if (checks) check_termination(member, one);
      member.lifecycle = Lifecycle::Terminating;
      member.actions.clear();
    }
    for (const std::string& zone : plan.launches) launch(zone, false);
    for (const std::string& zone : plan.balancing_launches) launch(zone, true);
    if (checks) {
      EXPECT_TRUE(plan.balancing_launches.empty() || capacity() <= max_ + std::max(1, max_ / 10)) << "balanced too much";
    }
    group_.protection_reported = plan.is_protected;
    if (checks) {
      EXPECT_TRUE(plan.launches.empty() || capacity() <= max_ + balancing()) << "launched above the maximum";
    }
    const bool shrinks = std::any_of(plan.terminations.begin(), plan.terminations.end(),
                                     [](const auto& one) { return one.reason == TerminationReason::ScaleIn; });
    if (checks) {
      EXPECT_TRUE(!shrinks || capacity() >= min_) << "scaled in below the minimum";
    }
  }

  void launch(const std::string& zone, bool balances) {
    GroupMember member;
    member.id = "i-" + std::to_string(++count_);
    member.zone = zone;
    member.launched_at = now_;
    member.is_balancing = balances;
    group_.members.push_back(member);
  }

  void disturb() {
    now_ += std::chrono::seconds(pick(60));
    if (pick(10) == 0) resize();
    if (pick(10) == 0) group_.may_launch = !group_.may_launch;
    if (pick(10) == 0) group_.may_terminate = !group_.may_terminate;
    if (pick(40) == 0) group_.zones = pick(2) ? std::vector<std::string>{"a", "b"} : std::vector<std::string>{"b", "c", "d"};
    for (GroupMember& member : group_.members) disturb(member);
  }

  // From here on nothing fails and everybody answers.
  void calm() {
    group_.may_launch = group_.may_terminate = group_.checks_health = group_.replaces_unhealthy = true;
    group_.retry_at.reset();
    for (int i = 0; i < 600; ++i) {
      now_ += std::chrono::seconds(10);
      for (GroupMember& member : group_.members) {
        member.is_protected = member.is_busy = false;
        start_or_stop(member);
        for (HookAction& action : member.actions) action.result = Result::Continue;
      }
      take_step(true);
    }
  }

  void expect_converged() const {
    EXPECT_EQ(capacity(), group_.desired);
    EXPECT_EQ(group_.members.size(), static_cast<std::size_t>(group_.desired) + standby());
    EXPECT_TRUE(plan_group(group_, now_).is_empty());
    if (group_.balances_zones) {
      EXPECT_FALSE(has_uneven_zones(group_));
    }
  }

 private:
  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  void resize() {
    min_ = pick(5);
    max_ = min_ + pick(20);
    group_.desired = min_ + pick(max_ - min_ + 1);
  }
  GroupMember& find(const std::string& id) {
    for (GroupMember& member : group_.members) {
      if (member.id == id) return member;
    }
    ADD_FAILURE() << "no member " << id;
    return group_.members.front();
  }
  std::int32_t capacity() const {
    return static_cast<std::int32_t>(std::count_if(group_.members.begin(), group_.members.end(),
                                                   [](const auto& one) { return is_capacity(one.lifecycle); }));
  }
  // Those that balance zones come in addition, until they are in service.
  std::int32_t balancing() const {
    return static_cast<std::int32_t>(std::count_if(group_.members.begin(), group_.members.end(), [](const auto& one) {
      return one.is_balancing && is_capacity(one.lifecycle);
    }));
  }
  std::size_t standby() const {
    return static_cast<std::size_t>(std::count_if(group_.members.begin(), group_.members.end(),
                                                  [](const auto& one) { return one.lifecycle == Lifecycle::Standby; }));
  }

  void check_termination(const GroupMember& member, const Termination& one) {
    EXPECT_FALSE(is_terminating(member.lifecycle)) << "terminated twice";
    if (one.reason != TerminationReason::ScaleIn) return;
    EXPECT_FALSE(member.is_protected && member.lifecycle == Lifecycle::InService) << "scaled in a protected instance";
  }

  std::vector<HookAction> actions() {
    const Result at_timeout = pick(2) ? Result::Continue : Result::Abandon;
    return {{.result = Result::Waiting, .default_result = at_timeout, .expires_at = now_ + std::chrono::minutes(5)}};
  }

  void apply(const Change& change) {
    GroupMember& member = find(change.id);
    switch (change.kind) {
      case Kind::AwaitLaunchHooks:
        member.lifecycle = Lifecycle::PendingWait;
        member.actions = actions();
        break;
      case Kind::ProceedLaunch:
        member.lifecycle = Lifecycle::PendingProceed;
        member.actions.clear();
        break;
      case Kind::EnterService:
        member.lifecycle = Lifecycle::InService;
        member.is_balancing = false;
        break;
      case Kind::MarkNotRunning:
      case Kind::MarkImpaired: member.healthy = false; break;
      case Kind::EnterStandby: member.lifecycle = Lifecycle::Standby; break;
      case Kind::AwaitTerminationHooks:
        member.lifecycle = Lifecycle::TerminatingWait;
        member.actions = actions();
        break;
      case Kind::ProceedTermination:
        member.lifecycle = Lifecycle::TerminatingProceed;
        member.actions.clear();
        break;
      case Kind::Stop: member.stop_requested = true; break;
      case Kind::FailLaunch:
      case Kind::Detach:
      case Kind::Finish: {
        const bool gone = member.machine == MachineState::Gone || change.kind == Kind::Detach;
        EXPECT_TRUE(gone) << "forgot a machine that runs";
        std::erase_if(group_.members, [&](const GroupMember& one) { return one.id == change.id; });
        break;
      }
    }
  }

  void start_or_stop(GroupMember& member) {
    if (member.machine == MachineState::Pending) member.machine = MachineState::Running;
    if (member.stop_requested) member.machine = MachineState::Gone;
  }

  void disturb(GroupMember& member) {
    if (pick(3) == 0) start_or_stop(member);
    if (pick(50) == 0) member.machine = MachineState::Gone;
    if (pick(50) == 0 && member.machine == MachineState::Running) member.machine = MachineState::Stopped;
    if (pick(20) == 0) member.is_protected = !member.is_protected;
    if (pick(10) == 0) member.is_busy = !member.is_busy;
    if (pick(50) == 0 && member.lifecycle == Lifecycle::InService) member.lifecycle = Lifecycle::Detaching;
    if (pick(50) == 0 && member.lifecycle == Lifecycle::InService) member.is_replaced = true;
    for (HookAction& action : member.actions) {
      if (pick(4) == 0) action.result = pick(3) ? Result::Continue : Result::Abandon;
    }
  }

  std::mt19937 random_;
  GroupState group_;
  base::Time now_ = base::from_seconds(1800000000);
  std::int32_t min_ = 0, max_ = 0;
  int count_ = 0;
};

TEST(GroupSimulation, GroupsStayWithinTheirSizesAndConverge) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    SimulatedGroup group(seed);
    for (int i = 0; i < 200; ++i) {
      group.disturb();
      group.take_step(true);
    }
    group.calm();
    group.expect_converged();
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace autoscaler
