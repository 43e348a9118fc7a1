// SPDX-License-Identifier: Apache-2.0
// Zones that are balanced, instances with weights, and groups that are being deleted.
#include <gmock/gmock.h>

#include "services/autoscaling/groups/group_fixture.h"

namespace services::autoscaling {
namespace {

using namespace shapes::autoscaling;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class GroupZones : public GroupTest {
 protected:
  std::vector<std::string> zones() {
    std::vector<std::string> all;
    for (const auto& one : instances()) all.push_back(one.AvailabilityZone);
    return all;
  }
  void set_zones(const std::vector<std::string>& names) {
    UpdateAutoScalingGroupType request;
    request.AutoScalingGroupName = "workers";
    request.AvailabilityZones = names;
    run<void>("UpdateAutoScalingGroup", request);
    settle();
  }
  void create_weighted(std::int32_t desired) {
    auto request = group_request(0, 20);
    request.LaunchTemplate.reset();
    request.DesiredCapacity = desired;
    auto& launch = request.MixedInstancesPolicy.emplace().LaunchTemplate.emplace();
    launch.LaunchTemplateSpecification.emplace().LaunchTemplateName = "gpu";
    launch.Overrides = {{{.InstanceType = "p3.8xlarge", .WeightedCapacity = "4"},
                         {.InstanceType = "p3.2xlarge", .WeightedCapacity = "1"}}};
    run<void>("CreateAutoScalingGroup", request);
    settle();
  }
};

TEST_F(GroupZones, ANewZoneGetsAnInstanceThatACrowdedOneThenLoses) {
  create_running(2, 2, 2);
  set_zones({"us-east-1a", "us-east-1b"});
  EXPECT_THAT(zones(), ElementsAre("us-east-1a", "us-east-1a", "us-east-1b"));
  EXPECT_EQ(shown().DesiredCapacity, 2);
  EXPECT_EQ(activities()[0].Cause,
            "At 2027-01-15T08:00:00Z availability zones us-east-1a us-east-1b had 2 0 instances respectively. An "
            "instance was launched to aid in balancing the group's zones.");
  start("i-1003");
  EXPECT_THAT(states(), ElementsAre("i-1001 Terminating Healthy", "i-1002 InService Healthy", "i-1003 InService Healthy"));
  EXPECT_THAT(activities()[0].Cause,
              HasSubstr("instances were launched to balance instances in zones us-east-1b with other zones resulting "
                        "in more than desired number of instances in the group.  At "));
  EXPECT_THAT(activities()[0].Cause, HasSubstr("shrinking the capacity from 3 to 2"));
  stop("i-1001");
  EXPECT_THAT(zones(), ElementsAre("us-east-1a", "us-east-1b"));
  advance(std::chrono::hours(1));
  EXPECT_THAT(states(), SizeIs(2));
}

TEST_F(GroupZones, ASuspendedProcessLeavesZonesUneven) {
  create_running(2, 2, 2);
  run<void>("SuspendProcesses",
            ScalingProcessQuery{.AutoScalingGroupName = "workers", .ScalingProcesses = {{"AZRebalance"}}});
  set_zones({"us-east-1a", "us-east-1b"});
  EXPECT_THAT(states(), SizeIs(2));
}

TEST_F(GroupZones, AZoneWithoutMachinesIsTriedOnceUntilALaunchSucceeds) {
  create_running(2, 2, 2);
  fake().launch_error = "no capacity in us-east-1b";
  set_zones({"us-east-1a", "us-east-1b"});
  advance(std::chrono::hours(1));
  EXPECT_THAT(states(), SizeIs(2));
  EXPECT_THAT(activities(), SizeIs(3));  // two launches and a failed one
  EXPECT_EQ(activities()[0].StatusCode, "Failed");
}

TEST_F(GroupZones, InstancesCountWithTheirWeights) {
  create_weighted(6);
  ASSERT_THAT(instances(), SizeIs(2));  // 8 units
  for (const auto& one : instances()) {
    EXPECT_EQ(one.WeightedCapacity, "4");
    start(one.InstanceId);
  }
  advance(std::chrono::hours(1));
  EXPECT_THAT(instances(), SizeIs(2));
  set_capacity(4);
  EXPECT_THAT(states(), ElementsAre("i-1001 Terminating Healthy", "i-1002 InService Healthy"));
  DetachInstancesQuery detach;
  detach.AutoScalingGroupName = "workers";
  detach.InstanceIds = {{"i-1002"}};
  detach.ShouldDecrementDesiredCapacity = true;
  const auto detached = run<DetachInstancesAnswer>("DetachInstances", detach);
  EXPECT_THAT(detached.Activities->at(0).Cause, HasSubstr("shrinking the capacity from 4 to 0"));
  EXPECT_EQ(shown().DesiredCapacity, 0);
}

TEST_F(GroupZones, ALighterTypeFillsWhatAHeavyOneLeaves) {
  fake().unknown_types = {"p3.8xlarge"};
  create_weighted(3);
  EXPECT_THAT(instances(), SizeIs(3));
  EXPECT_EQ(instances()[0].InstanceType, "p3.2xlarge");
}

TEST_F(GroupZones, WeightsAreWholeNumbersOfAllOverrides) {
  auto request = group_request(0, 1);
  request.LaunchTemplate.reset();
  auto& launch = request.MixedInstancesPolicy.emplace().LaunchTemplate.emplace();
  launch.LaunchTemplateSpecification.emplace().LaunchTemplateName = "gpu";
  const auto error = [&](std::optional<std::string> first, std::optional<std::string> second) {
    launch.Overrides = {{{.InstanceType = "a", .WeightedCapacity = first}, {.InstanceType = "b", .WeightedCapacity = second}}};
    return error_of([&] { run<void>("CreateAutoScalingGroup", request); });
  };
  EXPECT_THAT(error("0", "1"), HasSubstr("between 1 and 999: '0'"));
  EXPECT_THAT(error("1", "1.5"), HasSubstr("between 1 and 999: '1.5'"));
  EXPECT_THAT(error("1", std::nullopt), HasSubstr("for all overrides or for none"));
  EXPECT_EQ(error("999", "1"), "");
}

TEST_F(GroupZones, AnInstanceThatARequestNamesTwiceLeavesOnce) {
  create_running(0, 3, 3);
  DetachInstancesQuery detach;
  detach.AutoScalingGroupName = "workers";
  detach.InstanceIds = {{"i-1001", "i-1001"}};
  detach.ShouldDecrementDesiredCapacity = true;
  EXPECT_THAT(*run<DetachInstancesAnswer>("DetachInstances", detach).Activities, SizeIs(1));
  EXPECT_EQ(shown().DesiredCapacity, 2);
}

TEST_F(GroupZones, AnInstanceInStandbyIsDetachedAndTheDesiredCapacityStays) {
  create_running(0, 3, 2);
  run<EnterStandbyAnswer>("EnterStandby", EnterStandbyQuery{.InstanceIds = {{"i-1001"}},
                                                            .AutoScalingGroupName = "workers",
                                                            .ShouldDecrementDesiredCapacity = true});
  settle();
  DetachInstancesQuery detach;
  detach.AutoScalingGroupName = "workers";
  detach.InstanceIds = {{"i-1001"}};
  detach.ShouldDecrementDesiredCapacity = true;
  run<DetachInstancesAnswer>("DetachInstances", detach);
  settle();
  EXPECT_EQ(shown().DesiredCapacity, 1);
  EXPECT_THAT(states(), ElementsAre("i-1002 InService Healthy"));
  detach.InstanceIds = {{"i-1002"}};
  run<DetachInstancesAnswer>("DetachInstances", detach);
  EXPECT_EQ(error_of([&] { run<DetachInstancesAnswer>("DetachInstances", detach); }),
            "ValidationError: The instance i-1002 is not in InService or Standby.");
}

// An attached instance of a group that is being deleted would be terminated with it.
TEST_F(GroupZones, AGroupThatIsBeingDeletedTakesNoInstances) {
  create_running(1, 3, 1);
  run<void>("DeleteAutoScalingGroup", DeleteAutoScalingGroupType{.AutoScalingGroupName = "workers", .ForceDelete = true});
  AttachInstancesQuery attach;
  attach.AutoScalingGroupName = "workers";
  attach.InstanceIds = {{"i-9"}};
  EXPECT_THAT(error_of([&] { run<void>("AttachInstances", attach); }), HasSubstr("ValidationError: The AutoScaling group may not be modified while it is pending delete"));
  EXPECT_THAT(error_of([&] {
                run<void>("SetDesiredCapacity",
                          SetDesiredCapacityType{.AutoScalingGroupName = "workers", .DesiredCapacity = 2});
              }),
              HasSubstr("ValidationError: The AutoScaling group may not be modified while it is pending delete"));
}

}  // namespace
}  // namespace services::autoscaling
