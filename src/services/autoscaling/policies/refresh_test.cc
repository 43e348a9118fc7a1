// SPDX-License-Identifier: Apache-2.0
#include "services/autoscaling/policies/refresh.h"

#include "services/autoscaling/policies/policy_fixture.h"
#include "shapes/autoscaling/refresh.h"

namespace services::autoscaling {
using namespace shapes::autoscaling;
namespace {

class InstanceRefreshTest : public PolicyTest {
 protected:
  static StartInstanceRefreshType request(std::int32_t min_healthy = 50) {
    StartInstanceRefreshType request{.AutoScalingGroupName = "workers"};
    request.Preferences.emplace();
    request.Preferences->MinHealthyPercentage = min_healthy;
    request.Preferences->InstanceWarmup = 60;
    return request;
  }
  static StartInstanceRefreshType to_version(const std::string& version) {
    auto wanted = request();
    wanted.DesiredConfiguration.emplace();
    wanted.DesiredConfiguration->LaunchTemplate.emplace();
    wanted.DesiredConfiguration->LaunchTemplate->LaunchTemplateName = "gpu";
    wanted.DesiredConfiguration->LaunchTemplate->Version = version;
    return wanted;
  }
  void create_fixed(std::int32_t size) {
    auto group = group_request(0, 10);
    group.LaunchTemplate->Version = "1";
    group.DesiredCapacity = size;
    run<void>("CreateAutoScalingGroup", group);
    settle();
    for (const auto& one : instances()) start(one.InstanceId);
    now_ += std::chrono::minutes(10);
  }
  std::string start_refresh(const StartInstanceRefreshType& request) {
    const auto id = *run<StartInstanceRefreshAnswer>("StartInstanceRefresh", request).InstanceRefreshId;
    EXPECT_TRUE(woke(kGroupChangesTopic));
    return id;
  }
  // Turns of both loops until nothing is left to do now.
  void turn() {
    for (int i = 0; i < 20; ++i) {
      settle();
      Decision decision;
      store_->read_now([&](store::Tx& tx) {
        Call call{tx, nobody_, now_, now_, &locals_, &directory_};
        decision = refresh_loop().look(call);
      });
      if (!decision.apply) return;
      with_call(decision.apply);
    }
    ADD_FAILURE() << "the loops do not come to rest";
  }
  // Machines follow: terminating ones end, pending ones run.
  void let_machines_follow() {
    for (const auto& one : instances()) {
      if (one.LifecycleState.starts_with("Terminating")) stop(one.InstanceId);
      if (one.LifecycleState == "Pending") start(one.InstanceId);
    }
    for (const auto& one : instances()) {
      if (one.LifecycleState == "Pending") start(one.InstanceId);
    }
    turn();
  }
  InstanceRefresh refresh() {
    return run<DescribeInstanceRefreshesAnswer>("DescribeInstanceRefreshes",
                                                DescribeInstanceRefreshesType{.AutoScalingGroupName = "workers"})
        .InstanceRefreshes->front();
  }
  std::string versions() {
    std::string out;
    for (const auto& one : instances()) out += one.LaunchTemplate->Version.value_or("?") + " ";
    return out;
  }
};

TEST_F(InstanceRefreshTest, ReplacesAllInstancesHalfAtATime) {
  create_fixed(2);
  const std::string id = start_refresh(to_version("2"));
  EXPECT_EQ(refresh().Status, "Pending");
  turn();
  EXPECT_EQ(refresh().Status, "InProgress");
  EXPECT_EQ(refresh().InstanceRefreshId, id);
  EXPECT_EQ(refresh().PercentageComplete, 0);
  EXPECT_EQ(refresh().InstancesToUpdate, 2);
  let_machines_follow();
  EXPECT_NE(refresh().StatusReason->find("is warming up"), std::string::npos);
  now_ += std::chrono::minutes(2);
  turn();
  EXPECT_EQ(refresh().PercentageComplete, 50);
  let_machines_follow();
  now_ += std::chrono::minutes(2);
  turn();
  EXPECT_EQ(refresh().Status, "Successful");
  EXPECT_EQ(refresh().PercentageComplete, 100);
  EXPECT_TRUE(refresh().EndTime);
  EXPECT_EQ(versions(), "2 2 ");
  EXPECT_NE(std::find(fake().events.begin(), fake().events.end(), "EC2 Auto Scaling Instance Refresh Succeeded"),
            fake().events.end());
  bool found = false;
  for (const auto& activity : activities()) {
    found = found || activity.Cause.find("an instance was taken out of service in response to an instance refresh") !=
                         std::string::npos;
  }
  EXPECT_TRUE(found);
}

TEST_F(InstanceRefreshTest, LaunchesFirstWhereTheMaximumAllowsIt) {
  create_fixed(1);
  auto wanted = request(100);
  wanted.Preferences->MaxHealthyPercentage = 200;
  start_refresh(wanted);
  turn();
  EXPECT_EQ(instances().size(), 2u);
  EXPECT_EQ(desired(), 1);
  let_machines_follow();
  now_ += std::chrono::minutes(2);
  turn();
  let_machines_follow();
  turn();
  EXPECT_EQ(refresh().Status, "Successful");
  ASSERT_EQ(instances().size(), 1u);
  EXPECT_EQ(instances()[0].InstanceId, "i-1002");
}

TEST_F(InstanceRefreshTest, SkipsInstancesThatMatch) {
  create_fixed(2);
  auto wanted = to_version("1");
  wanted.Preferences->SkipMatching = true;
  start_refresh(wanted);
  turn();
  EXPECT_EQ(refresh().Status, "Successful");
  EXPECT_EQ(instances()[0].InstanceId, "i-1001");
}

TEST_F(InstanceRefreshTest, ASecondOneIsRejectedAndACancelledOneLeavesTheGroup) {
  create_fixed(2);
  start_refresh(to_version("2"));
  EXPECT_EQ(error_of([&] { start_refresh(request()); }),
            "InstanceRefreshInProgressFault: An Instance Refresh is already in progress and blocks the execution of this "
            "Instance Refresh.");
  turn();
  run<CancelInstanceRefreshAnswer>("CancelInstanceRefresh", CancelInstanceRefreshType{.AutoScalingGroupName = "workers"});
  turn();
  EXPECT_EQ(refresh().Status, "Cancelling");
  let_machines_follow();
  EXPECT_EQ(refresh().Status, "Cancelled");
  EXPECT_EQ(shown().LaunchTemplate->Version, "1");
  EXPECT_TRUE(error_of([&] {
                run<CancelInstanceRefreshAnswer>("CancelInstanceRefresh",
                                                 CancelInstanceRefreshType{.AutoScalingGroupName = "workers"});
              }).starts_with("ActiveInstanceRefreshNotFoundFault"));
}

TEST_F(InstanceRefreshTest, ARollbackReplacesWhatTheRefreshLaunched) {
  create_fixed(2);
  start_refresh(to_version("2"));
  turn();
  let_machines_follow();
  now_ += std::chrono::seconds(10);
  run<RollbackInstanceRefreshAnswer>("RollbackInstanceRefresh",
                                     RollbackInstanceRefreshType{.AutoScalingGroupName = "workers"});
  EXPECT_EQ(refresh().Status, "RollbackInProgress");
  turn();
  for (int i = 0; i < 3; ++i) {
    let_machines_follow();
    now_ += std::chrono::minutes(2);
    turn();
  }
  EXPECT_EQ(refresh().Status, "RollbackSuccessful");
  EXPECT_EQ(refresh().PercentageComplete, 0);
  EXPECT_TRUE(refresh().RollbackDetails->RollbackStartTime);
  EXPECT_EQ(versions(), "1 1 ");
}

TEST_F(InstanceRefreshTest, WithoutAFixedVersionThereIsNoRollback) {
  create_running(0, 10, 1);
  start_refresh(to_version("2"));
  EXPECT_TRUE(error_of([&] {
                run<RollbackInstanceRefreshAnswer>("RollbackInstanceRefresh",
                                                   RollbackInstanceRefreshType{.AutoScalingGroupName = "workers"});
              }).starts_with("IrreversibleInstanceRefreshFault"));
}

TEST_F(InstanceRefreshTest, RejectsPreferencesThatContradictEachOther) {
  create_fixed(1);
  const auto error = [&](auto change) {
    auto wanted = request();
    change(*wanted.Preferences);
    return error_of([&] { start_refresh(wanted); });
  };
  EXPECT_NE(error([](RefreshPreferences& p) { p.CheckpointDelay = 5; }), "");
  EXPECT_NE(error([](RefreshPreferences& p) { p.CheckpointPercentages = {{50, 20}}; }), "");
  EXPECT_NE(error([](RefreshPreferences& p) { p.MinHealthyPercentage = 50, p.MaxHealthyPercentage = 160; }), "");
  EXPECT_NE(error([](RefreshPreferences& p) { p.AutoRollback = true; }), "");
  EXPECT_NE(error([](RefreshPreferences& p) { p.AlarmSpecification.emplace(); }), "");
}

}  // namespace
}  // namespace services::autoscaling
