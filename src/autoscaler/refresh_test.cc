// SPDX-License-Identifier: Apache-2.0
#include "autoscaler/refresh.h"

#include <gtest/gtest.h>

namespace autoscaler::refresh_tests {
namespace {

using Place = RefreshMember::Place;

const base::Time kNow = base::from_seconds(1800000000);

RefreshMember old_member(const std::string& id) { return {.id = id, .place = Place::InService}; }

RefreshMember new_member(const std::string& id, base::Duration since_service) {
  return {.id = id, .place = Place::InService, .is_new = true, .warm_at = kNow - since_service + std::chrono::minutes(1)};
}

RefreshMember warm_member(const std::string& id) { return new_member(id, std::chrono::minutes(5)); }

RefreshState refresh_of(std::vector<RefreshMember> members, int min_healthy = 90, int max_healthy = 100) {
  RefreshState state;
  state.desired = static_cast<int>(members.size());
  state.members = std::move(members);
  state.terms.min_healthy = min_healthy;
  state.terms.max_healthy = max_healthy;
  state.started_at = kNow - std::chrono::minutes(10);
  return state;
}

RefreshPlan plan(const RefreshState& state) { return plan_refresh(state, kNow); }

using Ids = std::vector<std::string>;

TEST(Refresh, OneInstanceAtATimeWhereThePercentageAllowsNone) {
  EXPECT_EQ(plan(refresh_of({old_member("a"), old_member("b")}, 100)).replace, Ids{"a"});
  EXPECT_EQ(plan(refresh_of({old_member("a")})).replace, Ids{"a"});
}

TEST(Refresh, AsManyAtOnceAsTheMinimumHealthyPercentageAllows) {
  const RefreshPlan half = plan(refresh_of({old_member("a"), old_member("b"), old_member("c"), old_member("d")}, 50));
  EXPECT_EQ(half.replace, (Ids{"a", "b"}));
  EXPECT_EQ(half.percent, 0);
  EXPECT_EQ(half.to_update, 4);
  EXPECT_EQ(plan(refresh_of({old_member("a"), old_member("b")}, 0)).replace, (Ids{"a", "b"}));
}

TEST(Refresh, AnUnhealthyInstanceIsReplacedBesideTheOthers) {
  RefreshState state = refresh_of({old_member("a"), old_member("b"), old_member("c")}, 60);
  state.members[2].healthy = false;
  EXPECT_EQ(plan(state).replace, Ids{"c"});  // two of three have to stay healthy
}

TEST(Refresh, AReplacementCountsWhenItsWarmUpIsOver) {
  RefreshState state = refresh_of({old_member("b"), new_member("c", std::chrono::seconds(30))}, 50);
  const RefreshPlan warming = plan(state);
  EXPECT_TRUE(warming.replace.empty());
  EXPECT_EQ(warming.reason,
            "Waiting for instances to warm up before continuing. For example: c is warming up.");
  EXPECT_EQ(warming.next, kNow + std::chrono::seconds(30));
  EXPECT_EQ(warming.percent, 0);

  state.members[1] = warm_member("c");
  const RefreshPlan warm = plan(state);
  EXPECT_EQ(warm.replace, Ids{"b"});
  EXPECT_EQ(warm.percent, 50);
  EXPECT_EQ(warm.to_update, 1);
}

TEST(Refresh, APlanIsNotRepeatedWhileAnInstanceLeaves) {
  RefreshState state = refresh_of({old_member("a"), old_member("b")}, 50);
  state.members[0].place = Place::Leaving;
  EXPECT_TRUE(plan(state).replace.empty());
  EXPECT_EQ(plan(state).to_update, 2);
}

TEST(Refresh, AMaximumOver100LaunchesBeforeItTerminates) {
  RefreshState state = refresh_of({old_member("a"), old_member("b")}, 100, 150);
  RefreshPlan first = plan(state);
  EXPECT_TRUE(first.replace.empty());
  EXPECT_EQ(first.surge, 1);

  state.members.push_back(warm_member("c"));
  RefreshPlan second = plan(state);
  EXPECT_EQ(second.replace, Ids{"a"});
  EXPECT_EQ(second.surge, 1);

  state.members[0] = warm_member("d");
  RefreshPlan last = plan(state);
  EXPECT_EQ(last.replace, Ids{"b"});
  EXPECT_EQ(last.surge, 0);
}

TEST(Refresh, SucceedsWhenAllAreUpdatedAndAfterBaking) {
  RefreshState state = refresh_of({warm_member("a"), warm_member("b")});
  EXPECT_EQ(plan(state).step, RefreshStep::Succeed);
  EXPECT_EQ(plan(state).percent, 100);
  state.terms.bake = std::chrono::minutes(5);
  EXPECT_EQ(plan(state).step, RefreshStep::Bake);
  state.bake_until = kNow + std::chrono::minutes(5);
  EXPECT_EQ(plan(state).step, RefreshStep::Continue);
  EXPECT_EQ(plan(state).next, state.bake_until);
  state.bake_until = kNow;
  EXPECT_EQ(plan(state).step, RefreshStep::Succeed);
  EXPECT_EQ(plan(refresh_of({})).step, RefreshStep::Succeed);
}

TEST(Refresh, PausesAtACheckpoint) {
  RefreshState state = refresh_of({old_member("a"), old_member("b"), old_member("c"), warm_member("d")}, 0);
  state.terms.checkpoints = {25, 75, 100};
  RefreshPlan reached = plan(state);
  EXPECT_EQ(reached.step, RefreshStep::Checkpoint);
  EXPECT_EQ(reached.next, kNow + std::chrono::hours(1));

  state.checkpoints_reached = 1;
  state.paused_until = kNow + std::chrono::seconds(1);
  EXPECT_TRUE(plan(state).replace.empty());
  EXPECT_EQ(plan(state).next, state.paused_until);
  state.paused_until = kNow;
  EXPECT_EQ(plan(state).replace, (Ids{"a", "b"}));  // up to 75 %
}

TEST(Refresh, EndsAfterTheLastCheckpointAlthoughItIsBelow100) {
  RefreshState state = refresh_of({old_member("a"), warm_member("d")}, 0);
  state.terms.checkpoints = {50};
  state.checkpoints_reached = 1;
  EXPECT_EQ(plan(state).step, RefreshStep::Succeed);
}

TEST(Refresh, ProtectedInstancesAreAwaitedIgnoredOrReplaced) {
  RefreshState state = refresh_of({old_member("a"), warm_member("b")}, 0);
  state.members[0].is_protected = true;
  const RefreshPlan waits = plan(state);
  EXPECT_TRUE(waits.replace.empty());
  EXPECT_TRUE(waits.blocked);
  EXPECT_EQ(waits.next, kNow + kLongestObstacle);
  EXPECT_NE(waits.reason.find("a is protected"), std::string::npos);
  state.blocked_since = kNow - kLongestObstacle;
  EXPECT_EQ(plan(state).step, RefreshStep::Fail);

  state.terms.protected_instances = Obstacle::Ignore;
  EXPECT_EQ(plan(state).step, RefreshStep::Succeed);
  state.terms.protected_instances = Obstacle::Replace;
  EXPECT_EQ(plan(state).replace, Ids{"a"});
}

TEST(Refresh, InstancesInStandbyAreAwaitedIgnoredOrTerminated) {
  RefreshState state = refresh_of({warm_member("b")});
  state.members.push_back(old_member("a"));
  state.members[1].place = Place::Standby;
  EXPECT_NE(plan(state).reason.find("a is in Standby"), std::string::npos);
  state.terms.standby_instances = Obstacle::Ignore;
  EXPECT_EQ(plan(state).step, RefreshStep::Succeed);
  state.terms.standby_instances = Obstacle::Replace;
  EXPECT_EQ(plan(state).replace, Ids{"a"});
}

TEST(Refresh, FailsAfterAnHourOfFailedLaunchesAndAfterTwoWeeks) {
  RefreshState state = refresh_of({old_member("a")}, 0);
  state.members[0].place = Place::Leaving;
  state.launches_fail = true;
  EXPECT_TRUE(plan(state).blocked);
  state.blocked_since = kNow - kLongestObstacle;
  EXPECT_EQ(plan(state).step, RefreshStep::Fail);
  state.launches_fail = false;
  EXPECT_EQ(plan(state).step, RefreshStep::Continue);
  state.started_at = kNow - kLongestRefresh;
  EXPECT_EQ(plan(state).step, RefreshStep::Fail);
}

TEST(Refresh, CancellingWaitsForLaunchesAndTerminations) {
  RefreshState state = refresh_of({old_member("a"), old_member("b")});
  state.cancelling = true;
  state.members[0].place = Place::Leaving;
  EXPECT_EQ(plan(state).step, RefreshStep::Continue);
  EXPECT_TRUE(plan(state).replace.empty());
  state.members.erase(state.members.begin());
  EXPECT_EQ(plan(state).step, RefreshStep::Cancel);
}

TEST(Refresh, ASuspendedProcessPauses) {
  RefreshState state = refresh_of({old_member("a")});
  state.suspended = true;
  EXPECT_TRUE(plan(state).replace.empty());
}

}  // namespace
}  // namespace autoscaler::refresh_tests
