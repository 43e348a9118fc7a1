// SPDX-License-Identifier: Apache-2.0
#include "autoscaler/group_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace autoscaler {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Kind = Change::Kind;
using Result = HookAction::Result;

const base::Time kPlanTime = base::from_seconds(1800000000);

GroupMember plan_member(const std::string& id, Lifecycle lifecycle = Lifecycle::InService,
                        MachineState machine = MachineState::Running) {
  GroupMember one;
  one.id = id;
  one.zone = "a";
  one.lifecycle = lifecycle;
  one.machine = machine;
  one.launched_at = kPlanTime - std::chrono::minutes(10);
  return one;
}

GroupState plan_state(std::int32_t desired, std::vector<GroupMember> members) {
  GroupState group;
  group.desired = desired;
  group.zones = {"a"};
  group.termination_policies = {"Default"};
  group.members = std::move(members);
  return group;
}

HookAction waiting(base::Duration left, Result at_timeout = Result::Abandon) {
  return {.result = Result::Waiting, .default_result = at_timeout, .expires_at = kPlanTime + left};
}

TEST(GroupPlan, LaunchesSpreadOverTheZonesWithTheFewestInstances) {
  GroupState group = plan_state(4, {plan_member("i-1")});
  group.zones = {"a", "b", "c"};
  EXPECT_THAT(plan_group(group, kPlanTime).launches, ElementsAre("b", "c", "a"));
}

TEST(GroupPlan, AnInstanceInServiceAtTheDesiredCapacityNeedsNothing) {
  const GroupPlan plan = plan_group(plan_state(1, {plan_member("i-1")}), kPlanTime);
  EXPECT_TRUE(plan.is_empty());
  EXPECT_FALSE(plan.next);
}

TEST(GroupPlan, ARunningMachineEntersServiceWhereNoHookWaits) {
  const GroupPlan plan = plan_group(plan_state(1, {plan_member("i-1", Lifecycle::Pending)}), kPlanTime);
  EXPECT_THAT(plan.changes, ElementsAre(Change{"i-1", Kind::EnterService}));
}

TEST(GroupPlan, AMachineThatHasNotStartedIsWaitedFor) {
  const auto plan =
      plan_group(plan_state(1, {plan_member("i-1", Lifecycle::Pending, MachineState::Pending)}), kPlanTime);
  EXPECT_TRUE(plan.is_empty());
}

TEST(GroupPlan, ALaunchHookHoldsTheInstanceUntilItsResult) {
  GroupState group = plan_state(1, {plan_member("i-1", Lifecycle::Pending)});
  group.has_launch_hooks = true;
  EXPECT_THAT(plan_group(group, kPlanTime).changes, ElementsAre(Change{"i-1", Kind::AwaitLaunchHooks}));
  GroupMember& one = group.members[0];
  one.lifecycle = Lifecycle::PendingWait;
  one.actions = {waiting(std::chrono::seconds(30))};
  const GroupPlan waits = plan_group(group, kPlanTime);
  EXPECT_TRUE(waits.is_empty());
  EXPECT_EQ(waits.next, kPlanTime + std::chrono::seconds(30));
  one.actions[0].result = Result::Continue;
  EXPECT_THAT(plan_group(group, kPlanTime).changes, ElementsAre(Change{"i-1", Kind::ProceedLaunch}));
  one.lifecycle = Lifecycle::PendingProceed;
  EXPECT_THAT(plan_group(group, kPlanTime).changes, ElementsAre(Change{"i-1", Kind::EnterService}));
}

TEST(GroupPlan, AnAbandonedLaunchIsTerminatedAndReplaced) {
  GroupState group = plan_state(1, {plan_member("i-1", Lifecycle::PendingWait)});
  group.members[0].actions = {waiting(std::chrono::hours(1), Result::Continue), waiting(base::Duration(0))};
  const GroupPlan plan = plan_group(group, kPlanTime);
  EXPECT_THAT(plan.terminations, ElementsAre(Termination{"i-1", TerminationReason::Abandoned, false}));
  EXPECT_EQ(plan.launches.size(), 1u);
}

TEST(GroupPlan, ALaunchWhoseMachineIsGoneFailsAndIsRetriedAtTheGivenTime) {
  GroupState group = plan_state(1, {plan_member("i-1", Lifecycle::Pending, MachineState::Gone)});
  group.retry_at = kPlanTime + std::chrono::seconds(2);
  const GroupPlan plan = plan_group(group, kPlanTime);
  EXPECT_THAT(plan.changes, ElementsAre(Change{"i-1", Kind::FailLaunch}));
  EXPECT_THAT(plan.launches, IsEmpty());
  group.members.clear();
  EXPECT_EQ(plan_group(group, kPlanTime).next, group.retry_at);
  EXPECT_EQ(plan_group(group, *group.retry_at).launches.size(), 1u);
}

TEST(GroupPlan, AMachineThatIsGoneIsMarkedThenReplaced) {
  GroupState group = plan_state(1, {plan_member("i-1", Lifecycle::InService, MachineState::Gone)});
  EXPECT_THAT(plan_group(group, kPlanTime).changes, ElementsAre(Change{"i-1", Kind::MarkNotRunning}));
  group.members[0].healthy = false;
  const GroupPlan plan = plan_group(group, kPlanTime);
  EXPECT_THAT(plan.terminations, ElementsAre(Termination{"i-1", TerminationReason::Unhealthy, false}));
  EXPECT_EQ(plan.launches.size(), 1u);
}

TEST(GroupPlan, AnUnhealthyInstanceWaitsForItsGracePeriod) {
  GroupState group = plan_state(1, {plan_member("i-1")});
  group.members[0].healthy = false;
  group.members[0].unhealthy_at = kPlanTime + std::chrono::minutes(1);
  const GroupPlan plan = plan_group(group, kPlanTime);
  EXPECT_TRUE(plan.is_empty());
  EXPECT_EQ(plan.next, kPlanTime + std::chrono::minutes(1));
}

TEST(GroupPlan, ImpairedInstancesAreReplacedATenthAtATime) {
  std::vector<GroupMember> members;
  for (int i = 0; i < 30; ++i)
    members.push_back(plan_member("i-" + std::to_string(i), Lifecycle::InService, MachineState::Impaired));
  EXPECT_EQ(plan_group(plan_state(30, members), kPlanTime).changes.size(), 3u);
}

TEST(GroupPlan, SuspendedProcessesDoNothing) {
  GroupState group = plan_state(2, {plan_member("i-1")});
  group.may_launch = false;
  EXPECT_TRUE(plan_group(group, kPlanTime).is_empty());
  group = plan_state(0, {plan_member("i-1")});
  group.may_terminate = false;
  EXPECT_TRUE(plan_group(group, kPlanTime).is_empty());
  group = plan_state(1, {plan_member("i-1", Lifecycle::InService, MachineState::Gone)});
  group.checks_health = false;
  EXPECT_TRUE(plan_group(group, kPlanTime).is_empty());
  group.members[0].healthy = false;
  group.replaces_unhealthy = false;
  EXPECT_TRUE(plan_group(group, kPlanTime).is_empty());
}

TEST(GroupPlan, ATerminationGoesThroughItsHooks) {
  GroupState group = plan_state(0, {plan_member("i-1", Lifecycle::Terminating)});
  EXPECT_THAT(plan_group(group, kPlanTime).changes, ElementsAre(Change{"i-1", Kind::Stop}));
  group.has_termination_hooks = true;
  EXPECT_THAT(plan_group(group, kPlanTime).changes, ElementsAre(Change{"i-1", Kind::AwaitTerminationHooks}));
  GroupMember& one = group.members[0];
  one.lifecycle = Lifecycle::TerminatingWait;
  one.actions = {waiting(std::chrono::hours(1), Result::Continue), waiting(std::chrono::hours(2), Result::Continue)};
  EXPECT_EQ(plan_group(group, kPlanTime).next, kPlanTime + std::chrono::hours(1));
  one.actions[1].result = Result::Abandon;  // ends the other hook's wait, too
  EXPECT_THAT(plan_group(group, kPlanTime).changes, ElementsAre(Change{"i-1", Kind::ProceedTermination}));
  one.lifecycle = Lifecycle::TerminatingProceed;
  EXPECT_THAT(plan_group(group, kPlanTime).changes, ElementsAre(Change{"i-1", Kind::Stop}));
  one.stop_requested = true;
  EXPECT_TRUE(plan_group(group, kPlanTime).is_empty());
  one.machine = MachineState::Gone;
  EXPECT_THAT(plan_group(group, kPlanTime).changes, ElementsAre(Change{"i-1", Kind::Finish}));
}

TEST(GroupPlan, ProtectedInstancesStopScaleInWithOneReport) {
  GroupState group = plan_state(0, {plan_member("i-1"), plan_member("i-2")});
  group.members[0].is_protected = true;
  GroupPlan plan = plan_group(group, kPlanTime);
  EXPECT_THAT(plan.terminations, ElementsAre(Termination{"i-2", TerminationReason::ScaleIn, false}));
  EXPECT_TRUE(plan.reports_protection);
  group.protection_reported = true;
  EXPECT_FALSE(plan_group(group, kPlanTime).reports_protection);
}

TEST(GroupPlan, StandbyIsNoCapacityAndHasNoHealthCheck) {
  const GroupPlan plan =
      plan_group(plan_state(1, {plan_member("i-1", Lifecycle::Standby, MachineState::Stopped)}), kPlanTime);
  EXPECT_THAT(plan.changes, IsEmpty());
  EXPECT_EQ(plan.launches.size(), 1u);
}

TEST(GroupPlan, OneInstanceAtATimeIsReplacedForItsLifetime) {
  GroupState group = plan_state(2, {plan_member("i-1"), plan_member("i-2")});
  group.max_lifetime = std::chrono::hours(24);
  EXPECT_EQ(plan_group(group, kPlanTime).next, group.members[0].launched_at + group.max_lifetime);
  const base::Time later = kPlanTime + std::chrono::hours(25);
  EXPECT_THAT(plan_group(group, later).terminations,
              ElementsAre(Termination{"i-1", TerminationReason::Lifetime, false}));
  group.members[0].lifecycle = Lifecycle::Terminating;
  group.members.push_back(plan_member("i-3", Lifecycle::Pending, MachineState::Pending));
  EXPECT_THAT(plan_group(group, later).terminations, IsEmpty());
}

TEST(GroupPlan, ADeletedGroupTerminatesAllAndEndsWhenItIsEmpty) {
  GroupState group = plan_state(2, {plan_member("i-1"), plan_member("i-2", Lifecycle::Standby)});
  group.is_deleted = true;
  GroupPlan plan = plan_group(group, kPlanTime);
  EXPECT_EQ(plan.terminations.size(), 2u);
  EXPECT_THAT(plan.launches, IsEmpty());
  EXPECT_FALSE(plan.deletes_group);
  group.members.clear();
  EXPECT_TRUE(plan_group(group, kPlanTime).deletes_group);
}

TEST(GroupPlan, TheFirstRetryIsQuickAndTheOthersBackOff) {
  EXPECT_EQ(launch_retry(1), kFirstLaunchRetry);
  EXPECT_EQ(launch_retry(2), 2 * kFirstLaunchRetry);
  EXPECT_EQ(launch_retry(100), kLongestLaunchRetry);
}

}  // namespace
}  // namespace autoscaler
