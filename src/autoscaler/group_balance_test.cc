// SPDX-License-Identifier: Apache-2.0
// Balance between zones, weights of instances, and plans that are too large for one transaction.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autoscaler/group_plan.h"

namespace autoscaler {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const base::Time kBalanceTime = base::from_seconds(1800000000);

GroupMember zone_member(const std::string& id, const std::string& zone, std::int32_t weight = 1) {
  GroupMember one;
  one.id = id;
  one.zone = zone;
  one.lifecycle = Lifecycle::InService;
  one.machine = MachineState::Running;
  one.weight = weight;
  one.launched_at = kBalanceTime - std::chrono::minutes(10);
  return one;
}

GroupState zone_state(std::int32_t desired, std::vector<GroupMember> members) {
  GroupState group;
  group.desired = desired;
  group.zones = {"a", "b"};
  group.termination_policies = {"Default"};
  group.balances_zones = true;
  group.members = std::move(members);
  return group;
}

TEST(GroupBalance, AnEmptyZoneGetsAnInstanceBeforeACrowdedOneLosesOne) {
  GroupState group = zone_state(2, {zone_member("i-1", "a"), zone_member("i-2", "a")});
  GroupPlan plan = plan_group(group, kBalanceTime);
  EXPECT_THAT(plan.balancing_launches, ElementsAre("b"));
  EXPECT_EQ(plan.balance_cause,
            "availability zones a b had 2 0 instances respectively. An instance was launched to aid in balancing the "
            "group's zones");
  EXPECT_THAT(plan.terminations, IsEmpty());
  group.members.push_back(zone_member("i-3", "b"));
  group.members[2].is_balancing = true;
  group.members[2].lifecycle = Lifecycle::Pending;
  group.members[2].machine = MachineState::Pending;
  EXPECT_TRUE(plan_group(group, kBalanceTime).is_empty());  // it is waited for
  group.members[2].lifecycle = Lifecycle::InService;
  group.members[2].machine = MachineState::Running;
  plan = plan_group(group, kBalanceTime);
  EXPECT_THAT(plan.terminations, ElementsAre(Termination{"i-1", TerminationReason::ScaleIn, false}));
  group.members.erase(group.members.begin());
  EXPECT_TRUE(plan_group(group, kBalanceTime).is_empty());
}

TEST(GroupBalance, ZonesThatDifferByOneInstanceAreBalanced) {
  const GroupState group = zone_state(3, {zone_member("i-1", "a"), zone_member("i-2", "a"), zone_member("i-3", "b")});
  EXPECT_FALSE(has_uneven_zones(group));
  EXPECT_TRUE(plan_group(group, kBalanceTime).is_empty());
}

TEST(GroupBalance, InstancesLeaveAZoneThatTheGroupHasLeft) {
  const GroupState group = zone_state(2, {zone_member("i-1", "a"), zone_member("i-2", "c")});
  EXPECT_THAT(plan_group(group, kBalanceTime).balancing_launches, ElementsAre("b"));
}

TEST(GroupBalance, WorkProtectionAndFailuresKeepInstancesWhereTheyAre) {
  GroupState group = zone_state(2, {zone_member("i-1", "a"), zone_member("i-2", "a")});
  for (GroupMember& one : group.members) one.is_busy = true;
  EXPECT_TRUE(plan_group(group, kBalanceTime).is_empty());
  group.members[0].is_busy = false;
  EXPECT_FALSE(plan_group(group, kBalanceTime).is_empty());
  group.members[0].is_protected = true;
  EXPECT_TRUE(plan_group(group, kBalanceTime).is_empty());
  group.members[0].is_protected = false;
  group.launches_failed = true;
  EXPECT_TRUE(plan_group(group, kBalanceTime).is_empty());
  group.launches_failed = false;
  group.balances_zones = false;
  EXPECT_TRUE(plan_group(group, kBalanceTime).is_empty());
}

TEST(GroupBalance, ATenthOfTheGroupMovesAtATime) {
  std::vector<GroupMember> members;
  for (int i = 0; i < 40; ++i) members.push_back(zone_member("i-" + std::to_string(100 + i), "a"));
  EXPECT_THAT(plan_group(zone_state(40, members), kBalanceTime).balancing_launches, SizeIs(4));
}

TEST(GroupWeights, AsManyInstancesAreLaunchedAsCoverTheDesiredUnits) {
  GroupState group = zone_state(10, {zone_member("i-1", "a", 4)});
  group.launch_weight = 4;
  const GroupPlan plan = plan_group(group, kBalanceTime);
  EXPECT_EQ(plan.capacity, 4);
  EXPECT_THAT(plan.launches, ElementsAre("b", "a"));
}

TEST(GroupWeights, ScaleInTakesNoInstanceThatIsHeavierThanTheSurplus) {
  GroupState group = zone_state(5, {zone_member("i-1", "a", 4), zone_member("i-2", "b", 4)});
  group.launch_weight = 4;
  GroupPlan plan = plan_group(group, kBalanceTime);  // 8 units: without one of them there were too few
  EXPECT_TRUE(plan.is_empty());
  EXPECT_FALSE(plan.is_protected);
  group.desired = 7;
  group.members.push_back(zone_member("i-3", "a", 2));  // 10 units, 3 too many
  plan = plan_group(group, kBalanceTime);
  EXPECT_THAT(plan.terminations, ElementsAre(Termination{"i-3", TerminationReason::ScaleIn, false}));
}

TEST(GroupLimits, ALargeScaleInTakesSeveralPlans) {
  std::vector<GroupMember> members;
  for (int i = 0; i < 250; ++i) members.push_back(zone_member("i-" + std::to_string(1000 + i), i % 2 ? "a" : "b"));
  const GroupPlan plan = plan_group(zone_state(0, members), kBalanceTime);
  EXPECT_THAT(plan.terminations, SizeIs(kMaxTerminationsPerPlan));
  EXPECT_TRUE(plan.continues);
  EXPECT_FALSE(plan.is_protected);
}

}  // namespace
}  // namespace autoscaler
