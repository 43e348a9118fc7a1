// SPDX-License-Identifier: Apache-2.0
// stoker explain group|policy.
#include "cli/group_explanation.h"

#include <gmock/gmock.h>

#include <sstream>

#include "cli/fake_server.h"
#include "cli/scaling_policy.h"

namespace cli {
namespace {

using shapes::autoscaling::Activity;
using shapes::autoscaling::ScalingPolicy;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const base::Time kNow = base::from_seconds(1800000000);

GroupFacts quiet_group() {
  GroupFacts facts;
  facts.group.AutoScalingGroupName = "gpu";
  facts.group.MaxSize = 4;
  facts.group.DesiredCapacity = 1;
  facts.group.DefaultCooldown = 300;
  facts.group.Instances = {{{.InstanceId = "i-1", .LifecycleState = "InService", .HealthStatus = "Healthy"}}};
  return facts;
}

TEST(GroupSentences, AQuietGroupWaitsForNothing) {
  EXPECT_THAT(group_sentences(quiet_group(), kNow),
              ElementsAre("gpu: 1 desired (0 to 4); 1 in service.",
                          "No recent activity changed the desired capacity.", "It waits for nothing."));
}

TEST(GroupSentences, TheLastChangeIsNamedWithItsAlarm) {
  GroupFacts facts = quiet_group();
  Activity activity;
  activity.Cause =
      "At 2027-01-15T08:00:00Z a monitor alarm b in state ALARM triggered policy p changing the desired capacity from "
      "0 to 1.";
  facts.activities = {activity};
  EXPECT_THAT(group_sentences(facts, kNow),
              Contains("The desired capacity changed from 0 to 1 at 2027-01-15T08:00:00Z: policy p, by alarm b in "
                       "state ALARM."));
}

TEST(GroupSentences, AFailedLaunchHasItsReasonAndTheNextAttempt) {
  GroupFacts facts = quiet_group();
  facts.group.DesiredCapacity = 4;
  facts.waits.failedLaunches = 3;
  facts.waits.retryAt = kNow + std::chrono::seconds(16);
  Activity failed;
  failed.Description = "Launching a new EC2 instance.";
  failed.StatusCode = "Failed";
  failed.StatusMessage = "The pool has no free GPU. Launching EC2 instance failed.";
  facts.activities = {failed};
  const auto sentences = group_sentences(facts, kNow);
  EXPECT_THAT(sentences, Contains("Launches have failed 3 times in a row: The pool has no free GPU. Launching EC2 instance "
                                  "failed. The next launch is not before 2027-01-15T08:00:16Z (in 16 s)."));
  EXPECT_THAT(sentences, Contains(HasSubstr("at its maximum of 4")));
  EXPECT_THAT(sentences, Not(Contains("It waits for nothing.")));
}

TEST(GroupSentences, HooksProtectionAndSuspensionAreNamed) {
  GroupFacts facts = quiet_group();
  facts.group.DesiredCapacity = 0;
  facts.group.Instances->front().ProtectedFromScaleIn = true;
  facts.group.SuspendedProcesses = {{{.ProcessName = "Terminate", .SuspensionReason = "User suspended"}}};
  facts.waits.hooks = {{"i-2", "save", kNow + std::chrono::minutes(5), "ABANDON"}};
  const auto sentences = group_sentences(facts, kNow);
  EXPECT_THAT(sentences, Contains(HasSubstr("The process Terminate is suspended (User suspended)")));
  EXPECT_THAT(sentences, Contains("i-2 waits for the hook save, until 2027-01-15T08:05:00Z (in 5 min) at most; the "
                                  "result is then ABANDON."));
  EXPECT_THAT(sentences, Contains("Protected from scale-in, although fewer instances are desired: i-1."));
}

TEST(NextAction, ASimplePolicyWaitsForItsCooldown) {
  GroupFacts facts = quiet_group();
  ScalingPolicy policy;
  policy.PolicyType = "SimpleScaling";
  EXPECT_THAT(next_action(policy, facts, kNow), ElementsAre("It can act now."));
  facts.waits.cooldownFrom = kNow - std::chrono::seconds(100);
  EXPECT_THAT(next_action(policy, facts, kNow),
              ElementsAre("It can act again at 2027-01-15T08:03:20Z (in 3 min 20 s), after its cooldown."));
  policy.Cooldown = 60;
  EXPECT_THAT(next_action(policy, facts, kNow), ElementsAre("It can act now."));
}

TEST(NextAction, TargetTrackingScalesInWhenTheNewestInstanceIsWarm) {
  GroupFacts facts = quiet_group();
  ScalingPolicy policy;
  policy.PolicyType = "TargetTrackingScaling";
  facts.waits.newestInServiceAt = kNow - std::chrono::seconds(240);
  EXPECT_THAT(next_action(policy, facts, kNow), ElementsAre(HasSubstr("scale in at 2027-01-15T08:01:00Z (in 1 min)")));
  policy.EstimatedInstanceWarmup = 0;
  EXPECT_THAT(next_action(policy, facts, kNow), ElementsAre(HasSubstr("It can scale out and in now")));
  facts.group.DesiredCapacity = 2;
  EXPECT_THAT(next_action(policy, facts, kNow), ElementsAre(HasSubstr("only when all desired instances")));
}

TEST(NextAction, ASuspendedOrDisabledPolicyDoesNotAct) {
  GroupFacts facts = quiet_group();
  ScalingPolicy policy;
  facts.group.SuspendedProcesses = {{{.ProcessName = "AlarmNotification"}}};
  EXPECT_THAT(next_action(policy, facts, kNow), ElementsAre(HasSubstr("AlarmNotification of its group is suspended")));
  policy.Enabled = false;
  EXPECT_THAT(next_action(policy, facts, kNow), ElementsAre("It is disabled."));
}

TEST(NextAction, AServicesPolicyWaitsForTheCooldownAfterAChange) {
  shapes::application_autoscaling::ScalingPolicy policy;
  TargetFacts facts;
  EXPECT_THAT(next_action(policy, facts, kNow), ElementsAre(HasSubstr("not registered")));
  facts.target.emplace().MaxCapacity = 3;
  facts.activities.emplace_back();
  facts.activities[0].Cause = "monitor alarm a in state ALARM triggered policy p";
  facts.activities[0].EndTime = kNow - std::chrono::seconds(240);
  EXPECT_THAT(next_action(policy, facts, kNow),
              ElementsAre("Its service has 0 to 3 tasks.", HasSubstr("It can scale in at 2027-01-15T08:01:00Z")));
  facts.target->SuspendedState.emplace().DynamicScalingInSuspended = true;
  facts.activities[0].EndTime = kNow - std::chrono::seconds(300);
  EXPECT_THAT(next_action(policy, facts, kNow),
              ElementsAre("Scaling in is suspended.", "Its service has 0 to 3 tasks.", "It can act now."));
}

class ExplainPolicy : public FakeServer {
 protected:
  std::ostringstream out_;
};

TEST_F(ExplainPolicy, ShowsAlarmsWithTheirLastValue) {
  reply("DescribePolicies", R"({"ScalingPolicies":[{"PolicyName":"p","AutoScalingGroupName":"gpu",
      "PolicyType":"StepScaling","AdjustmentType":"ExactCapacity","StepAdjustments":[{"ScalingAdjustment":1}],
      "Alarms":[{"AlarmName":"backlog"}]}]})");
  reply("DescribeAlarms", R"({"MetricAlarms":[{"AlarmName":"backlog","StateValue":"ALARM",
      "StateUpdatedTimestamp":1800000000,"Namespace":"AWS/SQS","MetricName":"ApproximateNumberOfMessagesVisible",
      "Statistic":"Average","Period":10,"EvaluationPeriods":1,"Threshold":0,
      "ComparisonOperator":"GreaterThanThreshold"}]})");
  reply("GetMetricData", R"({"MetricDataResults":[{"Id":"m1","Values":[12.5,3],"Timestamps":[2,1]}]})");
  reply("DescribeAutoScalingGroups", R"({"AutoScalingGroups":[{"AutoScalingGroupName":"gpu","MaxSize":4}]})");
  reply("StokerListGroupWaits", R"({"failedLaunches":0,"hooks":[]})");
  reply("DescribeScalingActivities", R"({"Activities":[]})");
  reply("DescribeScalingPolicies", R"({"ScalingPolicies":[]})");
  EXPECT_EQ(explain_policy(options_, "p", out_), 0);
  EXPECT_EQ(out_.str(),
            "p of group gpu ExactCapacity in 1 step.\n"
            "Alarm backlog is ALARM since 2027-01-15T08:00:00Z: the last value is 12.5, the condition > 0 for 1 period "
            "of 10 s.\n"
            "It can act now: a step policy has no cooldown.\n");
}

TEST_F(ExplainPolicy, AMissingPolicyIsAnError) {
  reply("DescribePolicies", R"({"ScalingPolicies":[]})");
  reply("DescribeScalingPolicies", R"({"ScalingPolicies":[]})");
  EXPECT_THROW(explain_policy(options_, "p", out_), std::runtime_error);
}

TEST_F(ExplainPolicy, AGroupIsExplainedFromItsWaits) {
  reply("DescribeAutoScalingGroups",
        R"({"AutoScalingGroups":[{"AutoScalingGroupName":"gpu","MaxSize":4,"DesiredCapacity":1}]})");
  reply("StokerListGroupWaits", R"({"failedLaunches":1,"retryAt":1800000000,"hooks":[]})");
  reply("DescribeScalingActivities", R"({"Activities":[]})");
  EXPECT_EQ(explain_group(options_, "gpu", out_), 0);
  EXPECT_THAT(out_.str(), HasSubstr("The last launch failed. The next launch is not before 2027-01-15T08:00:00Z"));
  EXPECT_THAT(requests("StokerListGroupWaits"), ElementsAre(R"({"group":"gpu"})"));
}

}  // namespace
}  // namespace cli
