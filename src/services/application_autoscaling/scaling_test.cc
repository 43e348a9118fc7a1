// SPDX-License-Identifier: Apache-2.0
#include "services/application_autoscaling/scaling_fixture.h"
#include "services/application_autoscaling/scheduled_action.h"
#include "services/application_autoscaling/tracked_metric.h"

namespace services::application_autoscaling {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr char kCpu[] = "ECSServiceAverageCPUUtilization";
constexpr char kHighText[] = "GreaterThanThreshold";

TEST_F(ScalingTest, RegisteringMovesTheDesiredCountIntoTheBounds) {
  register_target(3, 5);
  EXPECT_TRUE(woke(state::kServicesTopic));
  EXPECT_EQ(desired(), 3);
  ASSERT_EQ(activities().size(), 1u);
  EXPECT_EQ(activities()[0].Description, "Setting desired count to 3.");
  EXPECT_EQ(activities()[0].Cause, "minimum capacity was set to 3");
  EXPECT_EQ(activities()[0].StatusCode, "InProgress");
  EXPECT_EQ(activities()[0].StatusMessage,
            "Successfully set desired count to 3. Waiting for change to be fulfilled by ecs.");
  register_target(0, 2);
  EXPECT_EQ(desired(), 2);
  EXPECT_EQ(activities()[0].Cause, "maximum capacity was set to 2");
}

TEST_F(ScalingTest, RegisteringAgainKeepsWhatIsNotNamed) {
  register_target(0, 5);
  register_target(1, {});
  DescribeScalableTargetsRequest request;
  request.ServiceNamespace = "ecs";
  const auto found = *run<DescribeScalableTargetsResponse>("DescribeScalableTargets", request).ScalableTargets;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].MinCapacity, 1);
  EXPECT_EQ(found[0].MaxCapacity, 5);
  EXPECT_EQ(error_of([&] { register_target({}, 0); }),
            "ValidationException: Maximum capacity cannot be less than minimum capacity");
}

TEST_F(ScalingTest, AnActivityEndsWhenItsTasksRun) {
  register_target(3, 5);
  take_turn("application-autoscaling-activities");
  EXPECT_EQ(activities()[0].StatusCode, "InProgress");
  start_tasks(3);
  now_ += seconds(10);
  take_turn("application-autoscaling-activities");
  EXPECT_EQ(activities()[0].StatusCode, "Successful");
  EXPECT_EQ(activities()[0].StatusMessage,
            "Successfully set desired count to 3. Change successfully fulfilled by ecs.");
  EXPECT_EQ(activities()[0].EndTime, now_);
}

TEST_F(ScalingTest, AnActivityIsOverriddenByALaterChange) {
  register_target(3, 5);
  set_desired(4);
  take_turn("application-autoscaling-activities");
  EXPECT_EQ(activities()[0].StatusCode, "Overridden");
  EXPECT_EQ(activities()[0].StatusMessage, "Successfully set desired count to 3. Found it was later changed to 4.");
}

TEST_F(ScalingTest, AStepPolicyScalesOutAndOnlyByTheExcessDuringItsCooldown) {
  register_target(0, 10);
  start_tasks(1);
  const auto arn = put_steps("out", {{0, 20, 2}, {20, {}, 3}}).PolicyARN;
  trigger(arn, {60});
  EXPECT_EQ(desired(), 3);
  EXPECT_EQ(activities()[0].Cause, "monitor alarm alarm in state ALARM triggered policy out");
  start_tasks(2);
  now_ += seconds(30);
  trigger(arn, {80, 90});
  EXPECT_EQ(desired(), 4);
  now_ += seconds(60);
  start_tasks(1);
  trigger(arn, {60});
  EXPECT_EQ(desired(), 6);
}

TEST_F(ScalingTest, AStepPolicyWithoutPointsOrStepFailsInAmazonsWords) {
  register_target(0, 10);
  const auto arn = put_steps("out", {{0, {}, 2}}).PolicyARN;
  EXPECT_EQ(error_of([&] { trigger(arn, {}); }), "ValidationException: Metric data points must be provided");
  EXPECT_EQ(error_of([&] { trigger(arn, {0.14, 0.14}, 85); }),
            "ValidationException: No step adjustment found for metric value [0.14, 0.14] and breach threshold 85.0");
  EXPECT_EQ(desired(), 1);
}

TEST_F(ScalingTest, AQueueScalesBetweenZeroAndTwoWithOnePolicyForBothStates) {
  register_target(0, 2);
  const auto arn = put_steps("queue", {{0, 1, 0}, {1, 100, 1}, {100, {}, 2}}, "ExactCapacity").PolicyARN;
  const std::string below = "LessThanOrEqualToThreshold";
  trigger(arn, {0}, 0, below, "ALARM");
  EXPECT_EQ(desired(), 0);
  now_ += minutes(1);
  trigger(arn, {7}, 0, below, "OK");
  EXPECT_EQ(desired(), 1);
  EXPECT_EQ(activities()[0].Cause, "monitor alarm alarm in state OK triggered policy queue");
  now_ += minutes(1);
  trigger(arn, {150}, 0, below, "OK");
  EXPECT_EQ(desired(), 2);
  now_ += minutes(1);
  trigger(arn, {0}, 0, below, "ALARM");
  EXPECT_EQ(desired(), 0);
}

TEST_F(ScalingTest, ATargetTrackingPolicyOwnsItsAlarms) {
  register_target(0, 10);
  const auto response = put_tracking("cpu", kCpu, 70);
  ASSERT_EQ(response.Alarms->size(), 2u);
  ASSERT_EQ(fakes().alarms.size(), 2u);
  const auto& high = fakes().alarms.at(response.Alarms->at(0).AlarmName);
  const auto& low = fakes().alarms.at(response.Alarms->at(1).AlarmName);
  EXPECT_TRUE(high.AlarmName.starts_with("TargetTracking-service/c/web-AlarmHigh-")) << high.AlarmName;
  EXPECT_TRUE(low.AlarmName.starts_with("TargetTracking-service/c/web-AlarmLow-")) << low.AlarmName;
  EXPECT_EQ(high.Namespace, "AWS/ECS");
  EXPECT_EQ(high.MetricName, "CPUUtilization");
  EXPECT_EQ(high.Unit, "Percent");
  EXPECT_EQ(high.Threshold, 70);
  EXPECT_EQ(high.EvaluationPeriods, 3);
  EXPECT_EQ(low.Threshold, 63);
  EXPECT_EQ(low.EvaluationPeriods, 15);
  EXPECT_TRUE(high.AlarmActions->at(0).starts_with(response.PolicyARN + ":createdBy/"));
  const std::string old = high.AlarmName;
  put_tracking("cpu", kCpu, 50);
  EXPECT_EQ(fakes().alarms.size(), 2u);
  EXPECT_FALSE(fakes().alarms.contains(old));
  DeregisterScalableTargetRequest request{
      .ServiceNamespace = "ecs", .ResourceId = kResource, .ScalableDimension = "ecs:service:DesiredCount"};
  run<DeregisterScalableTargetResponse>("DeregisterScalableTarget", request);
  EXPECT_TRUE(fakes().alarms.empty());
}

TEST_F(ScalingTest, TargetTrackingFollowsTheMetric) {
  register_target(0, 10);
  start_tasks(1);
  const std::string action = put_tracking("cpu", kCpu, 50).PolicyARN + ":createdBy/x";
  trigger(action, {120, 130, 140});
  EXPECT_EQ(desired(), 3);
  start_tasks(2);
  take_turn("application-autoscaling-activities");
  trigger_low(action, {30});
  EXPECT_EQ(desired(), 3);  // the cooldown lasts
  now_ += minutes(5);
  trigger_low(action, {30});
  EXPECT_EQ(desired(), 2);
  trigger(action, {900});
  EXPECT_EQ(desired(), 10);
}

TEST_F(ScalingTest, TargetTrackingStartsAtZeroAndReturnsThere) {
  register_target(0, 10);
  set_desired(0);
  const std::string arn = put_tracking("gpu", "ECSServiceAverageGPUUtilization", 50).PolicyARN;
  trigger(arn, {500});
  EXPECT_EQ(desired(), 1);
  start_tasks(1);
  take_turn("application-autoscaling-activities");
  now_ += minutes(6);
  trigger_low(arn, {0, 0});
  EXPECT_EQ(desired(), 0);
}

TEST_F(ScalingTest, PoliciesScaleInOnlyTogether) {
  register_target(0, 10);
  set_desired(4);
  start_tasks(4);
  const std::string cpu = put_tracking("cpu", kCpu, 50).PolicyARN;
  const auto memory = put_tracking("memory", "ECSServiceAverageMemoryUtilization", 50);
  trigger_low(cpu, {10});
  EXPECT_EQ(desired(), 4);
  shapes::cloudwatch::MetricAlarm low;
  low.StateValue = "ALARM";
  low.StateReasonData = R"({"recentDatapoints":[25.0]})";
  fakes().states[memory.Alarms->at(1).AlarmName] = low;
  trigger_low(cpu, {10});
  EXPECT_EQ(desired(), 2);
}

TEST_F(ScalingTest, ADeploymentBlocksScalingInAndNotOut) {
  register_target(0, 10);
  set_desired(4);
  start_tasks(4);
  const std::string arn = put_tracking("cpu", kCpu, 50).PolicyARN;
  set_deploying(true);
  trigger_low(arn, {10});
  EXPECT_EQ(desired(), 4);
  ASSERT_EQ(activities(true).size(), 1u);
  EXPECT_EQ(activities(true)[0].NotScaledReasons->at(0).Code, "TargetServicePutResourceAsUnscalable");
  EXPECT_EQ(activities(true)[0].Description, "Attempting to scale due to alarm triggered");
  EXPECT_TRUE(activities().empty());
  trigger(arn, {60});
  EXPECT_EQ(desired(), 5);
}

TEST_F(ScalingTest, ReasonsForNotScalingAreRecordedOnce) {
  register_target(1, 1);
  start_tasks(1);
  const std::string arn = put_tracking("cpu", kCpu, 50).PolicyARN;
  trigger(arn, {90});
  trigger(arn, {90});
  ASSERT_EQ(activities(true).size(), 1u);
  const auto reason = activities(true)[0].NotScaledReasons->at(0);
  EXPECT_EQ(reason.Code, "AlreadyAtMaxCapacity");
  EXPECT_EQ(reason.MaxCapacity, 1);
  EXPECT_EQ(activities(true)[0].StatusCode, "Failed");
}

TEST_F(ScalingTest, SuspendedScalingDoesNothing) {
  register_target(0, 10);
  start_tasks(1);
  RegisterScalableTargetRequest request;
  request.ServiceNamespace = "ecs";
  request.ResourceId = kResource;
  request.ScalableDimension = "ecs:service:DesiredCount";
  request.SuspendedState.emplace();
  request.SuspendedState->DynamicScalingOutSuspended = true;
  run<RegisterScalableTargetResponse>("RegisterScalableTarget", request);
  trigger(put_tracking("cpu", kCpu, 50).PolicyARN, {90});
  EXPECT_EQ(desired(), 1);
}

TEST_F(ScalingTest, AChangeThatEcsRejectsIsAFailedActivity) {
  register_target(0, 10);
  start_tasks(1);
  const std::string arn = put_tracking("cpu", kCpu, 50).PolicyARN;
  fakes().reject_updates = true;
  trigger(arn, {90});
  ASSERT_EQ(activities().size(), 1u);
  EXPECT_EQ(activities()[0].StatusCode, "Failed");
  EXPECT_EQ(activities()[0].StatusMessage, "Failed to set desired count to 2. Reason: Not now.");
}

TEST_F(ScalingTest, APolicyOfAnotherAccountIsNotFound) {
  register_target(0, 10);
  std::string arn = put_tracking("cpu", kCpu, 50).PolicyARN;
  caller_.account = "222222222222";
  EXPECT_TRUE(error_of([&] { trigger(arn, {90}); }).starts_with("ObjectNotFoundException: No scaling policy found"));
}

TEST_F(ScalingTest, TheBacklogPerTaskIsAnAlarmOnMetricMath) {
  register_target(0, 10);
  set_desired(0);
  const auto response = put_tracking("queue", kBacklogPerTask, 10, "arn:aws:sqs:us-east-1:111111111111:jobs");
  const auto& high = fakes().alarms.at(response.Alarms->at(0).AlarmName);
  ASSERT_EQ(high.Metrics->size(), 4u);
  EXPECT_EQ(high.Metrics->at(0).MetricStat->Metric.Dimensions->at(0).Value, "jobs");
  EXPECT_EQ(high.Metrics->at(0).MetricStat->Period, 10);
  EXPECT_EQ(high.EvaluationPeriods, 1);
  EXPECT_EQ(high.Metrics->at(3).Expression,
            "(visible + hidden) / IF(tasks > 0, tasks, 1) + IF(tasks > 0, 0, IF(visible + hidden > 0, 10, 0))");
  trigger(response.PolicyARN, {1 + 10}, 10, kHighText);  // one message, no task
  EXPECT_EQ(desired(), 1);
  trigger(response.PolicyARN, {35 + 10}, 10, kHighText);  // the first task has not started yet
  EXPECT_EQ(desired(), 4);
  start_tasks(4);
  trigger(response.PolicyARN, {15}, 10, kHighText);
  EXPECT_EQ(desired(), 6);
}

TEST_F(ScalingTest, RunningTasksArePublishedWhileAnAlarmReadsThem) {
  start_tasks(2);
  const std::set<MetricKey> interest = {
      {caller_.account, caller_.region, kTaskSpace, kTaskMetric, {{"ClusterName", "c"}, {"ServiceName", "web"}}},
      {caller_.account, caller_.region, kTaskSpace, kTaskMetric, {{"ClusterName", "c"}, {"ServiceName", "absent"}}},
      {caller_.account, caller_.region, "AWS/SQS", "Depth", {}}};
  with_call([&](Call& call) {
    const Measured measured = module_.measure(call, {.second = true, .interest = interest});
    ASSERT_EQ(measured.points.size(), 1u);
    EXPECT_EQ(measured.points[0].values, std::vector<double>{2});
    EXPECT_TRUE(module_.measure(call, {.interest = interest}).points.empty());
  });
}

TEST_F(ScalingTest, AScheduledActionChangesTheBoundsAtItsTime) {
  register_target(0, 10);
  PutScheduledActionRequest request;
  request.ServiceNamespace = "ecs";
  request.ResourceId = kResource;
  request.ScalableDimension = "ecs:service:DesiredCount";
  request.ScheduledActionName = "morning";
  request.Schedule = "rate(5 minutes)";
  request.ScalableTargetAction.emplace();
  request.ScalableTargetAction->MinCapacity = 5;
  request.ScalableTargetAction->MaxCapacity = 8;
  run<PutScheduledActionResponse>("PutScheduledAction", request);
  EXPECT_TRUE(woke(kSchedulesTopic));
  const base::Time due = now_ + minutes(5);
  EXPECT_EQ(take_turn("application-autoscaling-schedules"), due);
  EXPECT_EQ(desired(), 1);
  now_ = due;
  take_turn("application-autoscaling-schedules");
  EXPECT_EQ(desired(), 5);
  EXPECT_EQ(take_turn("application-autoscaling-schedules"), due + minutes(5));
  const auto all = activities();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].Cause, "minimum capacity was set to 5");
  EXPECT_EQ(all[1].Description, "Setting min capacity to 5 and max capacity to 8");
  EXPECT_EQ(all[1].Cause, "scheduled action name morning was triggered");
  EXPECT_EQ(all[1].StatusMessage, "Successfully set min capacity to 5 and max capacity to 8");
  EXPECT_EQ(all[1].EndTime, std::nullopt);
}

TEST_F(ScalingTest, InvalidPoliciesAreRejectedInAmazonsWords) {
  EXPECT_EQ(error_of([&] { put_tracking("cpu", kCpu, 50); }),
            "ObjectNotFoundException: No scalable target registered for service namespace: ecs, resource ID: "
            "service/c/web, scalable dimension: ecs:service:DesiredCount");
  register_target(0, 10);
  EXPECT_EQ(error_of([&] { put_steps("s", {{{}, {}, 1}}); }),
            "ValidationException: Both lower and upper bounds of a step adjustment cannot be left unspecified");
  EXPECT_EQ(error_of([&] { put_steps("s", {{0, 10, 1}}); }),
            "ValidationException: There must be a step adjustment with an unspecified upper bound when one step "
            "adjustment has a positive upper bound");
  EXPECT_NE(error_of([&] { put_steps("s", {{0, 10, 1}, {5, {}, 1}}); }), "");
  EXPECT_NE(error_of([&] { put_steps("s", {{0, 10, 1}, {15, {}, 1}}); }), "");
  EXPECT_EQ(error_of([&] { put_tracking("alb", "ALBRequestCountPerTarget", 50); }),
            "ValidationException: Stoker does not support the predefined metric type ALBRequestCountPerTarget.");
  EXPECT_NE(error_of([&] { put_tracking("queue", kBacklogPerTask, 50); }), "");
  put_tracking("cpu", kCpu, 50);
  EXPECT_EQ(error_of([&] { put_tracking("cpu2", kCpu, 60); }),
            "ValidationException: Only one TargetTrackingScaling policy for a given metric specification is allowed.");
}

}  // namespace
}  // namespace services::application_autoscaling
