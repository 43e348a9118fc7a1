// SPDX-License-Identifier: Apache-2.0
// What scaling policies get from alarms.
#include <gtest/gtest.h>

#include "services/cloudwatch/alarms/alarm_fixture.h"
#include "services/cloudwatch/alarms/reason.h"

namespace services::cloudwatch {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using Points = std::vector<double>;

class ScalingActions : public AlarmTest {
 protected:
  // Points of closed minutes: each is evaluated in the next one.
  void next_minute(double value) {
    put(datum(value, now_));
    advance(minutes(1));
  }
  const shapes::stoker::ExecuteAlarmAction& last() { return targets().scalings.back(); }
};

TEST_F(ScalingActions, CarryTheEvaluatedPoints) {
  PutMetricAlarmInput input = alarm_input();
  input.EvaluationPeriods = 3;
  input.AlarmActions = {{kPolicy}};
  put_alarm(input);
  for (const double value : {1.0, 7.0, 8.0, 9.0}) next_minute(value);
  ASSERT_EQ(targets().scalings.size(), 1u);
  EXPECT_EQ(last().recentDatapoints, (Points{7, 8, 9}));
  EXPECT_EQ(last().metricValue, 9);
  EXPECT_EQ(last().threshold, 5);
  EXPECT_EQ(last().comparisonOperator, "GreaterThanThreshold");
  EXPECT_EQ(last().oldState, "OK");
}

TEST_F(ScalingActions, RepeatOncePerMinuteWithFreshPoints) {
  PutMetricAlarmInput input = alarm_input();
  input.AlarmActions = {{kPolicy}};
  put_alarm(input);
  put_and_settle(10);
  ASSERT_EQ(targets().scalings.size(), 1u);
  advance(seconds(30));
  put_and_settle(30);  // the minute's average is 20
  EXPECT_EQ(targets().scalings.size(), 1u);
  advance(seconds(30));
  ASSERT_EQ(targets().scalings.size(), 2u);
  EXPECT_EQ(last().recentDatapoints, Points{20});
  EXPECT_EQ(last().oldState, "ALARM");
  EXPECT_EQ(last().newState, "ALARM");
  EXPECT_TRUE(last().repeated);
}

TEST_F(ScalingActions, RepeatInTheStateOkAsWell) {
  PutMetricAlarmInput input = alarm_input();
  input.AlarmActions = {{kPolicy}};
  input.OKActions = {{kPolicy}};
  input.InsufficientDataActions = {{kPolicy}};
  put_alarm(input);
  next_minute(1);
  ASSERT_FALSE(targets().scalings.empty());
  EXPECT_EQ(last().newState, "OK");
  const std::size_t before = targets().scalings.size();
  next_minute(2);
  next_minute(3);
  EXPECT_EQ(targets().scalings.size(), before + 2);
  EXPECT_EQ(last().newState, "OK");
  EXPECT_EQ(last().oldState, "OK");
  EXPECT_EQ(last().recentDatapoints, Points{3});
}

TEST_F(ScalingActions, AnAlarmByMissingDataCarriesNoPoints) {
  PutMetricAlarmInput input = alarm_input();
  input.AlarmActions = {{kPolicy}};
  input.TreatMissingData = "breaching";
  put_alarm(input);
  settle();
  ASSERT_EQ(targets().scalings.size(), 1u);
  EXPECT_EQ(last().recentDatapoints, Points());
  EXPECT_EQ(last().metricValue, std::nullopt);
}

TEST_F(ScalingActions, AStateThatLastsWithoutPointsKeepsThoseOfItsDecision) {
  PutMetricAlarmInput input = alarm_input();
  input.AlarmActions = {{kPolicy}};
  input.TreatMissingData = "ignore";
  put_alarm(input);
  put_and_settle(10);
  advance(minutes(20));
  EXPECT_EQ(state(), "ALARM");
  EXPECT_EQ(last().recentDatapoints, Points{10});
}

TEST_F(ScalingActions, AStateSetByHandCarriesThePointsOfItsData) {
  PutMetricAlarmInput input = alarm_input();
  input.AlarmActions = {{kPolicy}};
  put_alarm(input);
  SetAlarmStateInput set{.AlarmName = "high", .StateValue = "ALARM", .StateReason = "by hand"};
  set.StateReasonData = R"({"recentDatapoints": [4, 6.5, null, "x"]})";
  run<void>("SetAlarmState", set);
  settle();
  ASSERT_EQ(targets().scalings.size(), 1u);
  EXPECT_EQ(last().recentDatapoints, (Points{4, 6.5}));
  EXPECT_EQ(recent_datapoints("[1]"), Points());
  EXPECT_EQ(recent_datapoints("{"), Points());
}

TEST_F(ScalingActions, GoToTheServiceThatOwnsThePolicy) {
  directory_.add("application-autoscaling", {operation<&fake_execute_for_service>("ExecuteAlarmAction", Access::Write)});
  PutMetricAlarmInput input = alarm_input();
  input.AlarmActions = {{kPolicy, kServicePolicy}};
  put_alarm(input);
  put_and_settle(10);
  ASSERT_EQ(targets().scalings.size(), 1u);
  EXPECT_EQ(last().actionArn, kPolicy);
  ASSERT_EQ(targets().service_scalings.size(), 1u);
  EXPECT_EQ(targets().service_scalings[0].actionArn, kServicePolicy);
}

TEST_F(ScalingActions, AnAlarmOnAMetricOfAServiceMakesItOfInterest) {
  PutMetricAlarmInput input = alarm_input();
  input.Namespace = "AWS/SQS";
  input.MetricName = "ApproximateNumberOfMessagesVisible";
  put_alarm(input);
  settle();
  const MetricKey key{caller_.account, caller_.region, "AWS/SQS", "ApproximateNumberOfMessagesVisible", {}};
  EXPECT_TRUE(locals_->get<MetricInterest>().current(now_).contains(key));
}

}  // namespace
}  // namespace services::cloudwatch
