// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "services/autoscaling/groups/capacity.h"
#include "services/autoscaling/groups/group_fixture.h"
#include "services/autoscaling/groups/hooks.h"
#include "shapes/autoscaling/tag.h"

namespace services::autoscaling {
namespace {

using namespace shapes::autoscaling;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class GroupInstances : public GroupTest {
 protected:
  PutLifecycleHookType hook_request(std::string_view transition, const std::string& name = "hook") const {
    PutLifecycleHookType request;
    request.AutoScalingGroupName = "workers";
    request.LifecycleHookName = name;
    request.LifecycleTransition = std::string(transition);
    request.HeartbeatTimeout = 60;
    return request;
  }
  void put(const PutLifecycleHookType& request) { run<PutLifecycleHookAnswer>("PutLifecycleHook", request); }
  void complete(const std::string& instance, const std::string& result, const std::string& hook = "hook") {
    CompleteLifecycleActionType request;
    request.AutoScalingGroupName = "workers";
    request.LifecycleHookName = hook;
    request.InstanceId = instance;
    request.LifecycleActionResult = result;
    run<CompleteLifecycleActionAnswer>("CompleteLifecycleAction", request);
    EXPECT_TRUE(woke(kGroupsTopic));
    settle();
  }
};

TEST_F(GroupInstances, ALaunchHookHoldsTheInstanceUntilItIsCompleted) {
  create(0, 1);
  PutLifecycleHookType request = hook_request(kLaunching);
  request.NotificationTargetARN = "arn:aws:sqs:us-east-1:111111111111:hooks";
  request.RoleARN = "arn:aws:iam::111111111111:role/hooks";
  request.NotificationMetadata = "blue";
  put(request);
  ASSERT_THAT(fake().messages, SizeIs(1));
  EXPECT_EQ(fake().messages[0].first, "/111111111111/hooks");
  EXPECT_THAT(fake().messages[0].second, HasSubstr(R"("Event":"autoscaling:TEST_NOTIFICATION")"));
  set_capacity(1);
  start("i-1001");
  EXPECT_THAT(states(), ElementsAre("i-1001 Pending:Wait Healthy"));
  EXPECT_EQ(activities().at(0).StatusCode, "MidLifecycleAction");
  ASSERT_THAT(fake().messages, SizeIs(2));
  for (const char* text :
       {R"("LifecycleHookName":"hook")", R"("EC2InstanceId":"i-1001")", R"("LifecycleActionToken":")",
        R"("LifecycleTransition":"autoscaling:EC2_INSTANCE_LAUNCHING")", R"("Origin":"EC2")",
        R"("NotificationMetadata":"blue")", R"("Service":"AWS Auto Scaling")"}) {
    EXPECT_THAT(fake().messages[1].second, HasSubstr(text));
  }
  EXPECT_THAT(fake().events, ElementsAre("EC2 Instance-launch Lifecycle Action"));
  complete("i-1001", "CONTINUE");
  EXPECT_THAT(states(), ElementsAre("i-1001 InService Healthy"));
  EXPECT_EQ(error_of([&] { complete("i-1001", "CONTINUE"); }),
            "ValidationError: No active Lifecycle Action found with instance ID i-1001");
}

TEST_F(GroupInstances, AnAbandonedLaunchIsCancelledAndReplaced) {
  create(0, 1);
  put(hook_request(kLaunching));
  set_capacity(1);
  start("i-1001");
  complete("i-1001", "ABANDON");
  EXPECT_THAT(states(), ElementsAre("i-1001 Terminating Healthy", "i-1002 Pending Healthy"));
  for (const auto& one : activities()) {
    if (!one.Description->starts_with("Launching a new EC2 instance: i-1001")) continue;
    EXPECT_EQ(one.StatusCode, "Cancelled");
    EXPECT_THAT(*one.Description,
                HasSubstr("Instance failed to complete user's Lifecycle Action: Lifecycle Action with token "));
    EXPECT_THAT(*one.Description, HasSubstr(" was abandoned: Lifecycle Action Completed with ABANDON Result"));
  }
}

TEST_F(GroupInstances, AHeartbeatExtendsTheTimeoutWhoseResultIsTheDefault) {
  create(0, 1);
  PutLifecycleHookType request = hook_request(kLaunching);
  request.DefaultResult = "CONTINUE";
  put(request);
  set_capacity(1);
  start("i-1001");
  EXPECT_EQ(next_, now_ + std::chrono::seconds(60));
  now_ += std::chrono::seconds(50);
  RecordLifecycleActionHeartbeatType beat;
  beat.AutoScalingGroupName = "workers";
  beat.LifecycleHookName = "hook";
  beat.InstanceId = "i-1001";
  run<RecordLifecycleActionHeartbeatAnswer>("RecordLifecycleActionHeartbeat", beat);
  advance(std::chrono::seconds(50));
  EXPECT_THAT(states(), ElementsAre("i-1001 Pending:Wait Healthy"));
  advance(std::chrono::seconds(10));
  EXPECT_THAT(states(), ElementsAre("i-1001 InService Healthy"));
}

TEST_F(GroupInstances, ManagedDrainingLetsEcsDrainBeforeTheMachineStops) {
  create_running(0, 1, 1);
  put(hook_request(kTerminating, std::string(kManagedDrainingHook)));
  set_capacity(0);
  EXPECT_THAT(states(), ElementsAre("i-1001 Terminating:Wait Healthy"));
  ASSERT_THAT(fake().drains, SizeIs(1));
  EXPECT_EQ(fake().drains[0].instanceId, "i-1001");
  EXPECT_EQ(fake().drains[0].group, "workers");
  EXPECT_EQ(activities().at(0).StatusCode, "MidLifecycleAction");
  complete("i-1001", "CONTINUE", std::string(kManagedDrainingHook));
  EXPECT_THAT(states(), ElementsAre("i-1001 Terminating:Proceed Healthy"));
  stop("i-1001");
  EXPECT_THAT(states(), IsEmpty());
}

TEST_F(GroupInstances, DeletingAHookAbandonsLaunches) {
  create(0, 1);
  put(hook_request(kLaunching));
  set_capacity(1);
  start("i-1001");
  run<DeleteLifecycleHookAnswer>(
      "DeleteLifecycleHook", DeleteLifecycleHookType{.LifecycleHookName = "hook", .AutoScalingGroupName = "workers"});
  settle();
  EXPECT_THAT(states(), ElementsAre("i-1001 Terminating Healthy", "i-1002 Pending Healthy"));
}

TEST_F(GroupInstances, HooksAreValidated) {
  create(0, 1);
  PutLifecycleHookType request = hook_request(kLaunching);
  request.HeartbeatTimeout = 29;
  EXPECT_EQ(error_of([&] { put(request); }), "ValidationError: HeartbeatTimeout must be between 30 and 7200 seconds");
  request = hook_request("x");
  EXPECT_THAT(error_of([&] { put(request); }), HasSubstr("'LifecycleTransition' must be one of"));
  request = hook_request(kLaunching);
  request.NotificationTargetARN = "arn:aws:sqs:us-east-1:111111111111:missing";
  EXPECT_THAT(error_of([&] { put(request); }), HasSubstr("Unable to publish test message to notification target"));
  request.NotificationTargetARN = "arn:aws:sns:us-east-1:111111111111:topic";
  EXPECT_THAT(error_of([&] { put(request); }), HasSubstr("does not support notification targets of the service sns"));
}

TEST_F(GroupInstances, StandbyLeavesTheCapacityAndComesBackWithoutHooks) {
  create_running(0, 2, 1);
  put(hook_request(kLaunching));
  EnterStandbyQuery enter{
      .InstanceIds = {{"i-1001"}}, .AutoScalingGroupName = "workers", .ShouldDecrementDesiredCapacity = true};
  const auto entered = run<EnterStandbyAnswer>("EnterStandby", enter);
  EXPECT_EQ(entered.Activities->at(0).Description, "Moving EC2 instance to Standby: i-1001");
  EXPECT_EQ(entered.Activities->at(0).Progress, 50);
  EXPECT_THAT(entered.Activities->at(0).Cause, HasSubstr("instance i-1001 was moved to standby in response to a user "
                                                         "request, shrinking the capacity from 1 to 0."));
  settle();
  EXPECT_THAT(states(), ElementsAre("i-1001 Standby Healthy"));
  const auto left = run<ExitStandbyAnswer>(
      "ExitStandby", ExitStandbyQuery{.InstanceIds = {{"i-1001"}}, .AutoScalingGroupName = "workers"});
  EXPECT_EQ(left.Activities->at(0).StatusCode, "PreInService");
  settle();
  EXPECT_THAT(states(), ElementsAre("i-1001 InService Healthy"));
  EXPECT_EQ(shown().DesiredCapacity, 1);
}

TEST_F(GroupInstances, StandbyBelowTheMinimumIsRejected) {
  create_running(1, 1, 1);
  EnterStandbyQuery enter{
      .InstanceIds = {{"i-1001"}}, .AutoScalingGroupName = "workers", .ShouldDecrementDesiredCapacity = true};
  EXPECT_EQ(error_of([&] { run<EnterStandbyAnswer>("EnterStandby", enter); }),
            "ValidationError: AutoScalingGroup workers has min-size=1, max-size=1, and desired-size=1. To place into "
            "standby 1 instance, please update the AutoScalingGroup sizes appropriately.");
}

TEST_F(GroupInstances, ADetachedInstanceIsReplacedUnlessTheCapacityShrinksAndCanBeAttachedAgain) {
  create_running(0, 2, 1);
  DetachInstancesQuery detach{
      .InstanceIds = {{"i-1001"}}, .AutoScalingGroupName = "workers", .ShouldDecrementDesiredCapacity = true};
  run<DetachInstancesAnswer>("DetachInstances", detach);
  settle();
  EXPECT_THAT(states(), IsEmpty());
  run<void>("AttachInstances", AttachInstancesQuery{.InstanceIds = {{"i-1001"}}, .AutoScalingGroupName = "workers"});
  settle();
  EXPECT_THAT(states(), ElementsAre("i-1001 InService Healthy"));
  EXPECT_EQ(shown().DesiredCapacity, 1);
  detach.ShouldDecrementDesiredCapacity = false;
  run<DetachInstancesAnswer>("DetachInstances", detach);
  settle();
  EXPECT_THAT(states(), ElementsAre("i-1002 Pending Healthy"));
}

TEST_F(GroupInstances, AnInstanceSetUnhealthyIsReplacedAfterItsGracePeriod) {
  auto request = group_request(1, 1);
  request.HealthCheckGracePeriod = 60;
  run<void>("CreateAutoScalingGroup", request);
  settle();
  start("i-1001");
  run<void>("SetInstanceHealth", SetInstanceHealthQuery{.InstanceId = "i-1001", .HealthStatus = "Unhealthy"});
  settle();
  EXPECT_THAT(states(), ElementsAre("i-1001 InService Unhealthy"));
  advance(std::chrono::seconds(60));
  EXPECT_THAT(states(), ElementsAre("i-1001 Terminating Unhealthy", "i-1002 Pending Healthy"));
  EXPECT_THAT(activities().at(1).Cause, HasSubstr("in response to a user health-check."));
}

TEST_F(GroupInstances, ATerminationCanShrinkTheGroup) {
  create_running(1, 2, 2);
  const TerminateInstanceInAutoScalingGroupType request{.InstanceId = "i-1001", .ShouldDecrementDesiredCapacity = true};
  const auto answer = run<ActivityType>("TerminateInstanceInAutoScalingGroup", request);
  EXPECT_EQ(answer.Activity->Cause,
            "At 2027-01-15T08:00:00Z instance i-1001 was taken out of service in response to a "
            "user request, shrinking the capacity from 2 to 1.");
  settle();
  EXPECT_THAT(states(), ElementsAre("i-1001 Terminating Healthy", "i-1002 InService Healthy"));
  EXPECT_THAT(error_of([&] {
                run<ActivityType>("TerminateInstanceInAutoScalingGroup",
                                  TerminateInstanceInAutoScalingGroupType{.InstanceId = "i-1002",
                                                                          .ShouldDecrementDesiredCapacity = true});
              }),
              HasSubstr("Currently, desiredSize equals minSize (1)."));
}

TEST_F(GroupInstances, ATerminationIsReplacedOtherwise) {
  create_running(1, 2, 1);
  run<ActivityType>(
      "TerminateInstanceInAutoScalingGroup",
      TerminateInstanceInAutoScalingGroupType{.InstanceId = "i-1001", .ShouldDecrementDesiredCapacity = false});
  settle();
  EXPECT_THAT(states(), ElementsAre("i-1001 Terminating Healthy", "i-1002 Pending Healthy"));
}

TEST_F(GroupInstances, HonoringTheCooldownWaitsForTheLastActivity) {
  create_running(1, 3, 1);
  SetDesiredCapacityType request{.AutoScalingGroupName = "workers", .DesiredCapacity = 2, .HonorCooldown = true};
  EXPECT_THAT(error_of([&] { run<void>("SetDesiredCapacity", request); }),
              HasSubstr("ScalingActivityInProgressFault: Scaling activity "));
  now_ += std::chrono::seconds(300);
  run<void>("SetDesiredCapacity", request);
  EXPECT_EQ(shown().DesiredCapacity, 2);
}

TEST_F(GroupInstances, GroupsAreValidated) {
  const auto error = [&](auto change) {
    auto request = group_request(0, 1);
    change(request);
    return error_of([&] { run<void>("CreateAutoScalingGroup", request); });
  };
  EXPECT_EQ(error([](auto& r) { r.DesiredCapacity = 15; }),
            "ValidationError: Desired capacity:15 must be between the specified min size:0 and max size:1");
  EXPECT_THAT(error([](auto& r) { r.LaunchTemplate.reset(); }),
              HasSubstr("Valid requests must contain either LaunchTemplate"));
  EXPECT_THAT(error([](auto& r) { r.AvailabilityZones.reset(); }), HasSubstr("You must specify 1 of either"));
  EXPECT_THAT(error([](auto& r) { r.HealthCheckType = "ELB,X"; }), HasSubstr("Invalid health check type: 'X'"));
  EXPECT_THAT(error([](auto& r) { r.HealthCheckType = "EC2,ELB"; }), HasSubstr("Specifying EC2 in addition"));
  EXPECT_THAT(error([](auto& r) { r.TargetGroupARNs = {{"arn"}}; }), HasSubstr("TargetGroupARNs"));
  EXPECT_THAT(error([](auto& r) { r.CapacityReservationSpecification.emplace().CapacityReservationTarget.emplace(); }),
              HasSubstr("CapacityReservationSpecification"));
  EXPECT_THAT(error([](auto& r) { r.MaxInstanceLifetime = 1; }),
              HasSubstr("maxInstanceLifetime must be between 86400"));
  EXPECT_THAT(error([](auto& r) { r.LaunchTemplate->LaunchTemplateName = "other"; }),
              HasSubstr("There is no such launch template."));
  EXPECT_THAT(error([](auto& r) { r.VPCZoneIdentifier = "subnet-b"; }), HasSubstr("do not match"));
  EXPECT_THAT(error([](auto& r) { r.Tags = {{{.Key = "aws:x"}}}; }),
              HasSubstr("Your account is not allowed to create tag aws:x"));
  EXPECT_EQ(error([](auto&) {}), "");
  EXPECT_EQ(error([](auto&) {}),
            "AlreadyExistsFault: AutoScalingGroup by this name already exists - A group with the name "
            "workers already exists");
}

TEST_F(GroupInstances, TagsAreListedWithFilters) {
  create(0, 1);
  run<void>("CreateOrUpdateTags",
            CreateOrUpdateTagsType{
                .Tags = {{.ResourceId = "workers", .ResourceType = "auto-scaling-group", .Key = "a", .Value = "1"},
                         {.ResourceId = "workers", .ResourceType = "auto-scaling-group", .Key = "b", .Value = "2"}}});
  DescribeTagsType request;
  request.MaxRecords = 1;
  auto page = run<TagsType>("DescribeTags", request);
  ASSERT_THAT(*page.Tags, SizeIs(1));
  request.NextToken = page.NextToken;
  page = run<TagsType>("DescribeTags", request);
  EXPECT_EQ(page.Tags->at(0).Key, "b");
  EXPECT_FALSE(page.NextToken);
  AutoScalingGroupNamesType groups;
  groups.Filters = {{{.Name = "tag:a", .Values = {{"1"}}}}};
  EXPECT_THAT(run<AutoScalingGroupsType>("DescribeAutoScalingGroups", groups).AutoScalingGroups, SizeIs(1));
  groups.Filters->at(0).Values = {{"2"}};
  EXPECT_THAT(run<AutoScalingGroupsType>("DescribeAutoScalingGroups", groups).AutoScalingGroups, IsEmpty());
}

}  // namespace
}  // namespace services::autoscaling
