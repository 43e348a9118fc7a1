// SPDX-License-Identifier: Apache-2.0
#include "services/autoscaling/policies/policy_execution.h"

#include "services/autoscaling/policies/policy_fixture.h"

namespace services::autoscaling {
using namespace shapes::autoscaling;
namespace {

class PolicyExecutionTest : public PolicyTest {
 protected:
  // Amazon's sample: threshold 50, ten instances.
  std::string put_sample() {
    return put(steps("sample", "PercentChangeInCapacity",
                     {{0, 10, 0}, {10, 20, 10}, {20, std::nullopt, 30}, {-10, 0, 0}, {-20, -10, -10},
                      {std::nullopt, -20, -30}}));
  }
  void fire_sample(const std::string& arn, double metric) { fire(arn, {.points = {metric}, .threshold = 50}); }
};

TEST_F(PolicyExecutionTest, StepsFollowAmazonsSample) {
  create_running(0, 100, 10);
  const std::string arn = put_sample();
  warm_up();
  fire_sample(arn, 59);
  EXPECT_EQ(desired(), 10);
  fire_sample(arn, 60);
  EXPECT_TRUE(woke(kGroupsTopic));
  EXPECT_EQ(desired(), 11);
  fire_sample(arn, 62);
  EXPECT_EQ(desired(), 11);  // the same step, while the instance warms up
  fire_sample(arn, 70);
  EXPECT_EQ(desired(), 13);
  fire_sample(arn, 30);
  EXPECT_EQ(desired(), 13);  // no scale-in while instances warm up
  warm_up();
  fire_sample(arn, 40);
  EXPECT_EQ(desired(), 12);
}

TEST_F(PolicyExecutionTest, TheCauseNamesAlarmStateAndPolicy) {
  create_running(0, 10, 1);
  const std::string arn = put(simple("out", 1));
  advance(std::chrono::hours(1));
  fire(arn, {.alarm = "busy"});
  settle();
  const auto launched = activities().front();
  EXPECT_NE(launched.Cause.find("a monitor alarm busy in state ALARM triggered policy out changing the desired "
                                "capacity from 1 to 2."),
            std::string::npos);
  EXPECT_NE(launched.Details->find("InvokingAlarms"), std::string::npos);
  EXPECT_NE(launched.Details->find("\"AlarmName\":\"busy\""), std::string::npos);
}

// Amazon's guide: one policy with exact capacities is the action of ALARM (0 messages) and of OK.
TEST_F(PolicyExecutionTest, TheQueueSampleScalesTo0And1And2) {
  create(0, 2);
  const std::string arn = put(steps("queue", "ExactCapacity", {{0, 1, 0}, {1, 100, 1}, {100, std::nullopt, 2}}));
  const auto queue = [&](const std::string& state, double messages) {
    fire(arn, {.alarm = "empty", .state = state, .points = {messages}, .comparison = "LessThanOrEqualToThreshold"});
  };
  queue("OK", 5);
  EXPECT_EQ(desired(), 1);
  queue("OK", 500);
  EXPECT_EQ(desired(), 2);
  warm_up();
  queue("ALARM", 0);
  EXPECT_EQ(desired(), 0);
}

TEST_F(PolicyExecutionTest, ErrorsAreThoseOfAlarmHistories) {
  create(0, 10);
  const std::string arn = put(steps("out", "ChangeInCapacity", {{0, std::nullopt, 1}}));
  EXPECT_EQ(error_of([&] { fire(arn, {.threshold = 85}); }), "ValidationError: Metric data points must be provided");
  EXPECT_EQ(error_of([&] { fire(arn, {.points = {0.14, 0.14}, .threshold = 85}); }),
            "ValidationError: No step adjustment found for metric value [0.14, 0.14] and breach threshold 85.0");
  const std::string other = arn.substr(0, arn.size() - 3) + "in";
  EXPECT_EQ(error_of([&] { fire(other, {.points = {90}, .threshold = 85}); }),
            "ValidationError: No scaling policy found with ARN: " + other);
}

TEST_F(PolicyExecutionTest, OnlySimplePoliciesWaitForTheCooldown) {
  create_running(0, 10, 1);
  const std::string simple_arn = put(simple("simple", 1));
  const std::string step_arn = put(steps("step", "ExactCapacity", {{0, std::nullopt, 5}}));
  fire(simple_arn, {});
  EXPECT_EQ(desired(), 1);  // the first launch has just ended
  advance(std::chrono::seconds(301));
  fire(simple_arn, {});
  EXPECT_EQ(desired(), 2);
  settle();
  fire(simple_arn, {});
  EXPECT_EQ(desired(), 2);  // an activity is in progress
  fire(step_arn, {.points = {1}});
  EXPECT_EQ(desired(), 5);
}

TEST_F(PolicyExecutionTest, SuspendedGroupsAndDisabledPoliciesDoNothing) {
  create(0, 10);
  auto request = steps("out", "ExactCapacity", {{0, std::nullopt, 5}});
  const std::string arn = put(request);
  ScalingProcessQuery process{.AutoScalingGroupName = "workers"};
  process.ScalingProcesses = {{"AlarmNotification"}};
  run<void>("SuspendProcesses", process);
  fire(arn, {.points = {1}});
  EXPECT_EQ(desired(), 0);
  run<void>("ResumeProcesses", process);
  request.Enabled = false;
  put(request);
  fire(arn, {.points = {1}});
  EXPECT_EQ(desired(), 0);
  request.Enabled = true;
  put(request);
  fire(arn, {.points = {1}});
  EXPECT_EQ(desired(), 5);
}

TEST_F(PolicyExecutionTest, TheLargestCapacityOfSeveralPoliciesWins) {
  create_running(0, 20, 10);
  const std::string four = put(steps("four", "ExactCapacity", {{std::nullopt, 0, 4}}));
  const std::string six = put(steps("six", "ExactCapacity", {{std::nullopt, 0, 6}}));
  warm_up();
  fire(four, {.alarm = "a", .points = {-1}});
  fire(six, {.alarm = "b", .points = {-1}});
  EXPECT_EQ(desired(), 6);
  now_ += std::chrono::seconds(30);
  fire(four, {.alarm = "a", .points = {-1}});
  EXPECT_EQ(desired(), 6);  // the other one is still in force
  alarms().states["b"] = "OK";
  fire(four, {.alarm = "a", .points = {-1}});
  EXPECT_EQ(desired(), 4);
}

TEST_F(PolicyExecutionTest, TargetTrackingStartsFromZero) {
  create(0, 10);
  auto request = tracking("ecs", 100, "CapacityProviderReservation");
  request.TargetTrackingConfiguration->CustomizedMetricSpecification->Namespace = "AWS/ECS/ManagedScaling";
  const std::string arn = put(request);
  fire(arn, {.points = {200}, .threshold = 100});
  EXPECT_EQ(desired(), 2);
  settle();
  fire(arn, {.points = {200}, .threshold = 100});
  EXPECT_EQ(desired(), 2);  // they are on their way
  fire(arn, {.points = {50}, .threshold = 100});
  EXPECT_EQ(desired(), 2);  // not while they warm up
  warm_up();
  fire(arn, {.points = {0}, .threshold = 100});
  EXPECT_EQ(desired(), 1);  // less than half, and at least one
  fire(arn, {.points = {0}, .threshold = 100});
  EXPECT_EQ(desired(), 0);
}

TEST_F(PolicyExecutionTest, TargetTrackingAveragesAndRoundsUp) {
  create_running(0, 20, 4);
  const std::string arn = put(tracking("track", 50));
  warm_up();
  fire(arn, {.points = {70, 80, 90}, .threshold = 50});
  EXPECT_EQ(desired(), 7);  // 4 x 80 / 50 = 6.4
  EXPECT_EQ(error_of([&] { fire(arn, {}); }), "ValidationError: Metric data points must be provided");
}

TEST_F(PolicyExecutionTest, TargetTrackingPoliciesScaleInTogether) {
  create_running(0, 20, 10);
  const std::string first = put(tracking("first", 50, "A"));
  const std::string second = put(tracking("second", 50, "B"));
  std::string low_of_first, low_of_second;
  for (const auto& [name, alarm] : alarms().alarms) {
    if (name.find("AlarmLow") == name.npos) continue;
    (alarm.MetricName == "A" ? low_of_first : low_of_second) = name;
  }
  warm_up();
  fire(first, {.alarm = low_of_first, .points = {10}, .threshold = 35});
  EXPECT_EQ(desired(), 10);  // the other one is not ready
  fire(second, {.alarm = low_of_second, .points = {25}, .threshold = 35});
  EXPECT_EQ(desired(), 5);  // the first one would go to 2
}

TEST_F(PolicyExecutionTest, AUserExecutesPolicies) {
  create_running(0, 10, 1);
  put(simple("simple", 2));
  put(steps("step", "ChangeInCapacity", {{0, std::nullopt, 1}}));
  put(tracking("track", 50));
  const auto execute = [&](ExecutePolicyType request) {
    request.AutoScalingGroupName = "workers";
    return error_of([&] { run<void>("ExecutePolicy", request); });
  };
  EXPECT_TRUE(execute({.PolicyName = "simple", .HonorCooldown = true}).starts_with("ScalingActivityInProgressFault"));
  EXPECT_EQ(execute({.PolicyName = "simple"}), "");
  EXPECT_EQ(desired(), 3);
  settle();
  EXPECT_NE(activities().front().Cause.find("a user request executed policy simple changing the desired capacity from "
                                            "1 to 3."),
            std::string::npos);
  EXPECT_NE(execute({.PolicyName = "step"}), "");
  EXPECT_NE(execute({.PolicyName = "track"}), "");
  EXPECT_NE(execute({.PolicyName = "simple", .MetricValue = 1, .BreachThreshold = 1}), "");
  EXPECT_NE(execute({.PolicyName = "unknown"}), "");
  EXPECT_NE(execute({.PolicyName = "step", .MetricValue = 1, .BreachThreshold = 5}), "");
  warm_up();
  EXPECT_EQ(execute({.PolicyName = "step", .MetricValue = 6, .BreachThreshold = 5}), "");
  EXPECT_EQ(desired(), 4);
}

TEST_F(PolicyExecutionTest, NumbersLookLikeJavas) {
  EXPECT_EQ(java_text(85), "85.0");
  EXPECT_EQ(java_text(0.14), "0.14");
}

}  // namespace
}  // namespace services::autoscaling
