// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/alarms/alarm_validation.h"

#include <gtest/gtest.h>

#include <functional>

#include "services/cloudwatch/alarms/alarm_fixture.h"

namespace services::cloudwatch {
namespace {

struct InvalidAlarm {
  std::function<void(PutMetricAlarmInput&)> change;
  std::string error;
};

MetricDataQuery metric_query(const std::string& id, std::int32_t period = 60, bool returned = false) {
  MetricDataQuery query{.Id = id};
  query.MetricStat = MetricStat{.Metric = {.Namespace = "Jobs", .MetricName = "Latency"}, .Period = period, .Stat = "Sum"};
  query.ReturnData = returned;
  return query;
}

MetricDataQuery expression_query(const std::string& id, const std::string& expression) {
  MetricDataQuery query{.Id = id};
  query.Expression = expression;
  return query;
}

class AlarmErrorsTest : public AlarmTest {
 protected:
  std::string error_for(PutMetricAlarmInput input) {
    return error_of([&] { put_alarm(input); });
  }
  PutMetricAlarmInput math_input(std::vector<MetricDataQuery> queries) {
    PutMetricAlarmInput input{.AlarmName = "math"};
    input.Metrics = std::move(queries);
    input.EvaluationPeriods = 1;
    input.Threshold = 1;
    input.ComparisonOperator = "LessThanThreshold";
    return input;
  }
};

TEST_F(AlarmErrorsTest, OfASingleMetric) {
  using In = PutMetricAlarmInput;
  const InvalidAlarm rows[] = {
      {[](In& in) { in.Period = 45; }, "ValidationError: Period must be 10, 20, 30 or a multiple of 60"},
      {[](In& in) { in.EvaluationPeriods = 1441; },
       "ValidationError: Metrics cannot be checked across more than a day (EvaluationPeriods * Period must be <= 86400) "
       "for alarms using period < 3600"},
      {[](In& in) { in.Period = 3600, in.EvaluationPeriods = 169; },
       "ValidationError: Metrics cannot be checked across more than a week (EvaluationPeriods * Period must be <= "
       "604800) for alarms using period >= 3600"},
      {[](In& in) { in.DatapointsToAlarm = 2; },
       "ValidationError: DatapointsToAlarm must be less than or equal to EvaluationPeriods"},
      {[](In& in) { in.Threshold.reset(); },
       "ValidationError: PutMetricAlarm request should have valid Threshold parameter"},
      {[](In& in) { in.ComparisonOperator = "GreaterThanUpperThreshold"; },
       "ValidationError: ComparisonOperators for ranges require ThresholdMetricId to be set"},
      {[](In& in) { in.ThresholdMetricId = "ad1"; },
       "ValidationError: Stoker does not support anomaly detection: remove ThresholdMetricId"},
      {[](In& in) { in.ExtendedStatistic = "p99"; },
       "ValidationError: PutMetricAlarm request can not be made with both Statistic and ExtendedStatistic parameters. "
       "Only one of them should be present"},
      {[](In& in) { in.MetricName.reset(); }, "ValidationError: MetricName must not be null"},
      {[](In& in) { in.Statistic.reset(), in.ExtendedStatistic = "p101"; },
       "InvalidParameterValue: The value p101 for parameter ExtendedStatistic is not supported."},
      {[](In& in) { in.EvaluateLowSampleCountPercentile = "ignore"; },
       "ValidationError: Option evaluateLowSampleCountPercentile can not be applied with statistic Average. This option "
       "is enabled only for percentile statistics."},
      {[](In& in) { in.EvaluateLowSampleCountPercentile = "x"; },
       "ValidationError: Option x is not supported. Supported options for parameter EvaluateLowSampleCountPercentile "
       "are evaluate and ignore."},
      {[](In& in) { in.TreatMissingData = "x"; },
       "ValidationError: The value x is not supported for TreatMissingData parameter. Supported values are [breaching, "
       "notBreaching, ignore, missing]."},
      {[](In& in) { in.Namespace = "Caf\xC3\xA9"; },
       "ValidationError: Namespace must not contain Non-ASCII characters."},
      {[](In& in) { in.AlarmActions = {{"arn:aws:s3:::bucket"}}; }, "ValidationError: Unsupported AWS vendor s3"},
      {[](In& in) { in.AlarmActions = {{"http://example.com"}}; },
       "ValidationError: Invalid arn syntax: http://example.com"},
      {[](In& in) { in.EvaluationInterval = 60; }, "ValidationError: Stoker does not support EvaluationInterval"},
  };
  for (const InvalidAlarm& row : rows) {
    PutMetricAlarmInput input = alarm_input();
    row.change(input);
    EXPECT_EQ(error_for(input), row.error);
  }
  EXPECT_EQ(error_for(alarm_input()), "");
}

TEST_F(AlarmErrorsTest, OfMetricMath) {
  auto input = math_input({metric_query("m1"), expression_query("e1", "m1 * 2")});
  EXPECT_EQ(error_for(input), "");
  input.Statistic = "Sum";
  EXPECT_EQ(error_for(input), "ValidationError: Statistic should not be set if list of Metrics is set.");
  EXPECT_EQ(error_for(math_input({expression_query("e1", "TIME_SERIES(1)")})), "ValidationError: Period must not be null");
  auto both = metric_query("m1", 60, true);
  both.Expression = "m1";
  EXPECT_EQ(error_for(math_input({both})),
            "ValidationError: The parameters MetricDataQuery Expression and MetricStat are mutually exclusive and you "
            "have specified both.");
  EXPECT_EQ(error_for(math_input({metric_query("m1")})),
            "ValidationError: Exactly one element of the metrics list should return data.");
  EXPECT_EQ(error_for(math_input({metric_query("m1", 60, true), metric_query("m2", 60, true)})),
            "ValidationError: Exactly one element of the metrics list should return data.");
  EXPECT_EQ(error_for(math_input({metric_query("m1"), expression_query("e1", "SUM(SEARCH('x', 'Sum'))")})),
            "ValidationError: SEARCH is not supported on Metric Alarms");
  EXPECT_EQ(error_for(math_input({metric_query("m1"), expression_query("e1", "METRICS()")})),
            "ValidationError: Metrics expression that return multi time series are only allowed for MetricsInsights "
            "expression with an ORDER BY clause");
  EXPECT_EQ(error_for(math_input({metric_query("m1"), expression_query("e1", "NOPE(m1)")})),
            "ValidationError: Error in expression 'e1': Function 'NOPE' not found");
  EXPECT_EQ(error_for(math_input({metric_query("m1", 45), expression_query("e1", "m1")})),
            "ValidationError: Period must be 10, 20, 30 or a multiple of 60");
  auto bad = metric_query("m1", 60, true);
  bad.MetricStat->Stat = "Middle";
  EXPECT_EQ(error_for(math_input({bad})), "ValidationError: Invalid metrics list");
  auto own = metric_query("m1", 60, true);
  own.AccountId = caller_.account;
  EXPECT_EQ(error_for(math_input({own})), "");
  own.AccountId = "222222222222";
  EXPECT_EQ(error_for(math_input({own})), "InvalidParameterValue: Stoker does not support the parameter AccountId.");
  std::vector<MetricDataQuery> many;
  for (int i = 0; i < 11; ++i) many.push_back(metric_query("m" + std::to_string(i)));
  EXPECT_EQ(error_for(math_input(many)), "ValidationError: Too many metrics in alarm, maximum is 10");
  for (int i = 0; i < 11; ++i) many.push_back(expression_query("e" + std::to_string(i), "m1"));
  EXPECT_EQ(error_for(math_input(many)), "ValidationError: Too many expressions in alarm, maximum is 10");
}

TEST_F(AlarmErrorsTest, OfCompositeAlarms) {
  const auto error_with = [&](const std::function<void(PutCompositeAlarmInput&)>& change) {
    PutCompositeAlarmInput input{.AlarmName = "any", .AlarmRule = "TRUE"};
    change(input);
    return error_of([&] { run<void>("PutCompositeAlarm", input); });
  };
  using In = PutCompositeAlarmInput;
  EXPECT_EQ(error_with([](In&) {}), "");
  EXPECT_EQ(error_with([](In& in) { in.AlarmRule = "ALARM(x) OR OK(y)"; }),
            "ValidationError: Could not save the composite alarm as alarms "
            "[arn:aws:cloudwatch:us-east-1:111111111111:alarm:x, arn:aws:cloudwatch:us-east-1:111111111111:alarm:y] in "
            "the alarm rule do not exist");
  EXPECT_EQ(error_with([](In& in) { in.AlarmRule = "ALARM(any)"; }),
            "ValidationError: A composite alarm cannot have a child relation with itself via its AlarmRule, as it would "
            "introduce a circular dependency");
  EXPECT_EQ(error_with([](In& in) { in.ActionsSuppressorWaitPeriod = 1; }),
            "ValidationError: ActionsSuppressorWaitPeriod requires an ActionSuppressor");
  EXPECT_EQ(error_with([](In& in) { in.ActionsSuppressor = "x"; }),
            "ValidationError: ActionsSuppressorWaitPeriod must not be null");
  EXPECT_EQ(error_with([](In& in) { in.ActionsSuppressor = "x", in.ActionsSuppressorWaitPeriod = 1; }),
            "ValidationError: ActionsSuppressorExtensionPeriod must not be null");
  EXPECT_EQ(error_with([](In& in) {
              in.ActionsSuppressor = "arn:aws:sqs:us-east-1:111111111111:x";
              in.ActionsSuppressorWaitPeriod = in.ActionsSuppressorExtensionPeriod = 1;
            }),
            "ValidationError: ActionsSuppressor must be a valid CloudWatch Alarm ARN or an Alarm name");
  EXPECT_EQ(error_with([](In& in) { in.AlarmActions = {{std::string(kPolicy)}}; }),
            "ValidationError: Unsupported AWS vendor autoscaling");
  EXPECT_EQ(error_with([](In& in) { in.AlarmActions = {{"arn:aws:automate:us-east-1:ec2:stop"}}; }),
            "ValidationError: Unsupported AWS vendor automate");
  EXPECT_EQ(error_with([](In& in) { in.AlarmActions = {{"arn:aws:sns:us-east-1:111111111111:pager"}}; }), "");
}

}  // namespace
}  // namespace services::cloudwatch
