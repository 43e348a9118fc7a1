// SPDX-License-Identifier: Apache-2.0
#include "services/autoscaling/policies/policy_fixture.h"
#include "services/autoscaling/policies/policy_row.h"

namespace services::autoscaling {
using namespace shapes::autoscaling;
namespace {

using Steps = std::vector<StepAdjustment>;

TEST_F(PolicyTest, APolicyKeepsItsArnWhenItIsPutAgain) {
  create(0, 10);
  const std::string arn = put(simple("out", 1));
  EXPECT_TRUE(arn.starts_with("arn:aws:autoscaling:us-east-1:111111111111:scalingPolicy:"));
  EXPECT_TRUE(arn.ends_with(":autoScalingGroupName/workers:policyName/out"));
  EXPECT_EQ(put(simple("out", 2)), arn);
  const auto shown = policies();
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown[0].ScalingAdjustment, 2);
  EXPECT_EQ(shown[0].PolicyType, "SimpleScaling");
  EXPECT_EQ(shown[0].Enabled, true);
}

TEST_F(PolicyTest, SimplePoliciesRejectWhatTheyDoNotHave) {
  create(0, 10);
  auto request = simple("p", 1);
  request.AdjustmentType.reset();
  EXPECT_EQ(put_error(request), "You must specify an AdjustmentType for policy type: SimpleScaling");
  request = simple("p", 1);
  request.EstimatedInstanceWarmup = 1;
  EXPECT_EQ(put_error(request), "EstimatedInstanceWarmup is not supported for a SimpleScaling policy");
  request = simple("p", -1);
  request.AdjustmentType = "ExactCapacity";
  EXPECT_EQ(put_error(request), "The lower range for adjustment is 0 with the specified adjustment type");
  request = simple("p", 1);
  request.MinAdjustmentMagnitude = 1;
  EXPECT_EQ(put_error(request), "MinAdjustmentMagnitude is not supported by the specified adjustment type");
  request.AdjustmentType = "PercentChangeInCapacity";
  request.MinAdjustmentMagnitude = 0;
  EXPECT_EQ(put_error(request), "If specified, MinAdjustmentMagnitude must be greater than zero");
  EXPECT_EQ(put_error(policy_request("PredictiveScaling", "p")), "Stoker does not support PredictiveScaling policies");
  request = simple("p", 1);
  request.AutoScalingGroupName = "nobody";
  EXPECT_EQ(put_error(request), "AutoScalingGroup name not found - AutoScalingGroup 'nobody' not found");
}

TEST_F(PolicyTest, StepsMustCoverALineWithoutGaps) {
  create(0, 10);
  const auto error = [&](Steps list, const std::string& type = "ChangeInCapacity") {
    return put_error(steps("p", type, std::move(list)));
  };
  EXPECT_EQ(error({{std::nullopt, std::nullopt, 1}}),
            "Both lower and upper bounds of a StepAdjustment cannot be left unspecified");
  EXPECT_EQ(error({{5, 5, 1}}), "LowerBound must be less than the UpperBound for StepAdjustment");
  EXPECT_EQ(error({{0, 10, 1}, {5, std::nullopt, 2}}), "StepAdjustment intervals cannot overlap");
  EXPECT_EQ(error({{0, 10, 1}, {15, std::nullopt, 2}}), "StepAdjustment intervals cannot have gaps between them");
  EXPECT_EQ(error({{0, 10, 1}}), "There must be a StepAdjustment with an unspecified upper bound when one "
                                 "StepAdjustment has a positive upper bound");
  EXPECT_EQ(error({{-10, 0, 1}}), "There must be a StepAdjustment with an unspecified lower bound when one "
                                  "StepAdjustment has a negative lower bound");
  EXPECT_EQ(error({{0, std::nullopt, -1}}, "ExactCapacity"),
            "The lowest value for ScalingAdjustment parameter is 0 with the specified adjustment type");
  EXPECT_EQ(error({{10, std::nullopt, 2}, {0, 10, 1}}), "");  // in any order
  auto request = steps("p", "ChangeInCapacity", {{0, std::nullopt, 1}});
  request.Cooldown = 1;
  EXPECT_EQ(put_error(request), "Cooldown is not supported for a StepScaling policy");
}

TEST_F(PolicyTest, APredefinedMetricIsTheGroupsOwn) {
  create(0, 10);
  auto request = tracking("p", 50);
  request.TargetTrackingConfiguration->CustomizedMetricSpecification.reset();
  auto& predefined = request.TargetTrackingConfiguration->PredefinedMetricSpecification.emplace();
  const auto alarm_of = [&](const std::string& type) {
    predefined.PredefinedMetricType = type;
    EXPECT_EQ(put_error(request), "");
    const auto& alarms = locals_.get<FakeAlarms>().alarms;
    EXPECT_EQ(alarms.size(), 2u);
    return alarms.begin()->second;
  };
  auto alarm = alarm_of("ASGAverageCPUUtilization");
  EXPECT_EQ(alarm.Namespace, "AWS/EC2");
  EXPECT_EQ(alarm.MetricName, "CPUUtilization");
  EXPECT_EQ(alarm.Dimensions->at(0).Name, "AutoScalingGroupName");
  EXPECT_EQ(alarm.Dimensions->at(0).Value, "workers");
  EXPECT_EQ(alarm.Unit, "Percent");
  alarm = alarm_of("ASGAverageGPUUtilization");
  EXPECT_EQ(alarm.Namespace, "ECS/ContainerInsights/Prometheus");
  EXPECT_EQ(alarm.MetricName, "DCGM_FI_DEV_GPU_UTIL");
}

TEST_F(PolicyTest, TargetTrackingRejectsMetricsThatNobodyPublishes) {
  create(0, 10);
  auto request = tracking("p", 50);
  request.TargetTrackingConfiguration->CustomizedMetricSpecification.reset();
  EXPECT_EQ(put_error(request),
            "You should provide either a CustomizedMetricSpecification or a PredefinedMetricSpecification");
  auto& predefined = request.TargetTrackingConfiguration->PredefinedMetricSpecification.emplace();
  predefined.PredefinedMetricType = "ASGAverageNetworkIn";
  EXPECT_NE(put_error(request).find("predefined metric type ASGAverageNetworkIn"), std::string::npos);
  predefined.PredefinedMetricType = "ASGAverageCPUUtilization";
  EXPECT_EQ(put_error(request), "");
  request.PolicyName = "q";
  EXPECT_EQ(put_error(request), "Only one TargetTrackingScaling policy for a given metric specification is allowed.");
  predefined.PredefinedMetricType = "ASGAverageGPUUtilization";
  EXPECT_EQ(put_error(request), "");
  predefined.PredefinedMetricType = "ALBRequestCountPerTarget";
  EXPECT_EQ(put_error(request),
            "Resource label should be specified for predefined metric type ALBRequestCountPerTarget");
  EXPECT_EQ(put_error(tracking("p", 0)), "Target value must be between 8.51592E-12 and 1.174271E17");
  request = tracking("p", 50);
  request.AdjustmentType = "ExactCapacity";
  EXPECT_EQ(put_error(request), "AdjustmentType are not supported for a TargetTracking policy");
  request = tracking("p", 50);
  request.TargetTrackingConfiguration->CustomizedMetricSpecification->Period = 300;
  EXPECT_EQ(put_error(request), "A metric period greater than 60 isn't supported");
  put(tracking("p", 50));
  EXPECT_EQ(put_error(tracking("q", 60)),
            "Only one TargetTrackingScaling policy for a given metric specification is allowed.");
}

TEST_F(PolicyTest, ATargetTrackingPolicyHasAPairOfAlarms) {
  create(0, 10);
  const std::string arn = put(tracking("track", 50));
  ASSERT_EQ(alarms().alarms.size(), 2u);
  const auto high = alarms().alarms.begin()->second, low = std::next(alarms().alarms.begin())->second;
  EXPECT_TRUE(high.AlarmName.starts_with("TargetTracking-workers-AlarmHigh-"));
  EXPECT_EQ(high.Threshold, 50);
  EXPECT_EQ(high.EvaluationPeriods, 3);
  EXPECT_EQ(high.Period, 60);
  EXPECT_EQ(high.ComparisonOperator, "GreaterThanThreshold");
  EXPECT_EQ(high.AlarmActions, std::vector<std::string>{arn});
  EXPECT_EQ(high.MetricName, "Backlog");
  EXPECT_TRUE(low.AlarmName.starts_with("TargetTracking-workers-AlarmLow-"));
  EXPECT_EQ(low.Threshold, 35);
  EXPECT_EQ(low.EvaluationPeriods, 15);
  EXPECT_EQ(policies()[0].Alarms->size(), 2u);

  auto changed = tracking("track", 60);
  changed.TargetTrackingConfiguration->DisableScaleIn = true;
  put(changed);
  ASSERT_EQ(alarms().alarms.size(), 1u);  // the old ones are gone
  EXPECT_NE(alarms().alarms.begin()->first, high.AlarmName);

  run<void>("DeletePolicy", DeletePolicyType{.AutoScalingGroupName = "workers", .PolicyName = "track"});
  EXPECT_TRUE(alarms().alarms.empty());
  EXPECT_TRUE(policies().empty());
}

TEST_F(PolicyTest, TheReservationOfACapacityProviderHasNoGap) {
  create(0, 10);
  auto request = tracking("ecs", 90, "CapacityProviderReservation");
  request.TargetTrackingConfiguration->CustomizedMetricSpecification->Namespace = "AWS/ECS/ManagedScaling";
  put(request);
  ASSERT_EQ(alarms().alarms.size(), 2u);
  const auto high = alarms().alarms.begin()->second, low = std::next(alarms().alarms.begin())->second;
  EXPECT_EQ(high.EvaluationPeriods, 1);
  EXPECT_EQ(low.EvaluationPeriods, 15);
  EXPECT_EQ(low.Threshold, 90);
}

TEST_F(PolicyTest, MetricMathAndShortPeriodsReachTheAlarm) {
  create(0, 10);
  auto request = tracking("math", 5);
  auto& metric = *request.TargetTrackingConfiguration->CustomizedMetricSpecification;
  metric = CustomizedMetricSpecification();
  TargetTrackingMetricDataQuery backlog, result;
  backlog.Id = "m1";
  backlog.MetricStat.emplace();
  backlog.MetricStat->Metric.Namespace = "AWS/SQS";
  backlog.MetricStat->Metric.MetricName = "ApproximateNumberOfMessagesVisible";
  backlog.MetricStat->Stat = "Sum";
  backlog.MetricStat->Period = 10;
  result.Id = "e1";
  result.Expression = "m1 / 2";
  metric.Metrics = {{backlog, result}};
  EXPECT_EQ(put_error(request), "Exactly one element of the metrics list should return data");
  metric.Metrics->front().ReturnData = false;
  put(request);
  const auto& alarm = alarms().alarms.begin()->second;
  ASSERT_TRUE(alarm.Metrics);
  EXPECT_EQ(alarm.Metrics->front().MetricStat->Period, 10);
  EXPECT_EQ(alarm.Metrics->back().Expression, "m1 / 2");
  EXPECT_FALSE(alarm.MetricName);
}

TEST_F(PolicyTest, DescribePoliciesFiltersAndPages) {
  create(0, 10);
  const std::string arn = put(simple("a", 1));
  put(simple("b", 1));
  put(steps("c", "ChangeInCapacity", {{0, std::nullopt, 1}}));
  EXPECT_EQ(policies({.PolicyNames = {{"b", "unknown"}}}).size(), 1u);
  EXPECT_EQ(policies({.PolicyNames = {{arn}}}).size(), 1u);
  EXPECT_EQ(policies({.PolicyTypes = {{"StepScaling"}}})[0].PolicyName, "c");
  auto page = run<PoliciesType>("DescribePolicies", DescribePoliciesType{.MaxRecords = 2});
  EXPECT_EQ(page.ScalingPolicies->size(), 2u);
  ASSERT_TRUE(page.NextToken);
  page = run<PoliciesType>("DescribePolicies", DescribePoliciesType{.NextToken = page.NextToken, .MaxRecords = 2});
  EXPECT_EQ(page.ScalingPolicies->front().PolicyName, "c");
  EXPECT_FALSE(page.NextToken);
  EXPECT_EQ(error_of([&] { policies({.NextToken = "x"}); }).substr(0, 16), "InvalidNextToken");
}

TEST_F(PolicyTest, DeletingAStepPolicyRemovesItFromItsAlarms) {
  create(0, 10);
  const std::string arn = put(simple("out", 1));
  auto& alarm = alarms().alarms["busy"];
  alarm.AlarmName = "busy";
  alarm.MetricName = "Backlog";
  alarm.AlarmActions = {{"arn:aws:sqs:us-east-1:111111111111:alerts", arn}};
  EXPECT_EQ(policies()[0].Alarms->at(0).AlarmName, "busy");
  run<void>("DeletePolicy", DeletePolicyType{.PolicyName = arn});
  EXPECT_EQ(alarms().alarms["busy"].AlarmActions,
            std::vector<std::string>{"arn:aws:sqs:us-east-1:111111111111:alerts"});
  EXPECT_EQ(alarms().alarms["busy"].MetricName, "Backlog");
  EXPECT_EQ(error_of([&] {
              run<void>("DeletePolicy", DeletePolicyType{.AutoScalingGroupName = "workers", .PolicyName = "out"});
            }),
            "ValidationError: Policy out not found");
}

TEST_F(PolicyTest, AGroupTakesItsPoliciesAlong) {
  create(0, 10);
  put(tracking("track", 50));
  run<void>("DeleteAutoScalingGroup", DeleteAutoScalingGroupType{.AutoScalingGroupName = "workers"});
  settle();
  EXPECT_TRUE(alarms().alarms.empty());
  with_call([&](Call& call) {
    EXPECT_EQ(call.tx.query("SELECT count(*) FROM autoscaling_policies").integer(), 0);
  });
}

}  // namespace
}  // namespace services::autoscaling
