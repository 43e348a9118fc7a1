// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "services/cloudwatch/alarms/action_loop.h"
#include "services/cloudwatch/alarms/alarm_fixture.h"
#include "services/cloudwatch/units.h"

namespace services::cloudwatch {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

TEST_F(AlarmTest, ANewAlarmIsUncheckedAndThenEvaluated) {
  put_alarm(alarm_input());
  EXPECT_EQ(state(), "INSUFFICIENT_DATA");
  EXPECT_EQ(alarm().StateReason, "Unchecked: Initial alarm creation");
  EXPECT_EQ(alarm().AlarmArn, "arn:aws:cloudwatch:us-east-1:111111111111:alarm:high");
  EXPECT_EQ(alarm().OKActions, std::vector<std::string>());
  EXPECT_EQ(summaries(), std::vector<std::string>{"Alarm \"high\" created"});
  settle();
  EXPECT_EQ(next_, std::nullopt);  // nothing is due: no points, and time changes nothing
}

TEST_F(AlarmTest, AnAlarmFollowsItsPoints) {
  PutMetricAlarmInput input = alarm_input();
  input.AlarmActions = {{kQueue}};
  put_alarm(input);
  settle();
  put_and_settle(10);
  EXPECT_EQ(state(), "ALARM");
  EXPECT_TRUE(alarm().StateReason->starts_with("Threshold Crossed: 1 datapoint [10.0 (")) << *alarm().StateReason;
  ASSERT_EQ(targets().messages.size(), 1u);
  EXPECT_EQ(targets().messages[0].first, kQueue);
  EXPECT_NE(targets().messages[0].second.find("\"NewStateValue\":\"ALARM\""), std::string::npos);
  EXPECT_EQ(summaries("Action"), std::vector<std::string>{std::string("Successfully executed action ") + kQueue});
  EXPECT_EQ(summaries("StateUpdate"), std::vector<std::string>{"Alarm updated from INSUFFICIENT_DATA to ALARM"});

  advance(minutes(1));
  put_and_settle(1);
  EXPECT_EQ(state(), "ALARM");  // the open minute may still change
  advance(minutes(1));
  EXPECT_EQ(state(), "OK");
  ASSERT_TRUE(next_);
  advance(*next_ - now_);
  EXPECT_EQ(state(), "INSUFFICIENT_DATA");
  EXPECT_EQ(next_, std::nullopt);
  EXPECT_EQ(targets().messages.size(), 1u);
}

TEST_F(AlarmTest, PointsWakeTheLoopOnlyForWatchedMetrics) {
  const auto woken = [&] {
    return std::any_of(wakes_.begin(), wakes_.end(), [](const Wake& wake) { return wake.topic == kAlarmsTopic; });
  };
  put(datum(1, now_));
  EXPECT_FALSE(woken());
  put_alarm(alarm_input());
  EXPECT_TRUE(woken());
  put(datum(1, now_));
  EXPECT_TRUE(woken());
  run<void>("DeleteAlarms", DeleteAlarmsInput{.AlarmNames = {"high"}});
  put(datum(1, now_));
  EXPECT_FALSE(woken());
}

// settle() takes turns of both loops whether they were woken or not.
TEST_F(AlarmTest, AChangedStateWakesTheLoopOfItsActions) {
  const auto woken = [&](std::string_view topic) {
    return std::any_of(wakes_.begin(), wakes_.end(), [&](const Wake& wake) { return wake.topic == topic; });
  };
  PutMetricAlarmInput input = alarm_input();
  input.AlarmActions = {{kPolicy}};
  put_alarm(input);
  settle();
  put(datum(10, now_));
  take_turn("cloudwatch-alarms");
  EXPECT_TRUE(woken(kAlarmActionsTopic));
  EXPECT_FALSE(woken(kAlarmsTopic)) << "no alarm refers to it";
  run<void>("DisableAlarmActions", DisableAlarmActionsInput{.AlarmNames = {"high"}});
  EXPECT_FALSE(woken(kAlarmsTopic));
  run<void>("EnableAlarmActions", EnableAlarmActionsInput{.AlarmNames = {"high"}});
  EXPECT_TRUE(woken(kAlarmsTopic)) << "actions of scaling policies are repeated";
  set_state("high", "OK");
  EXPECT_TRUE(woken(kAlarmsTopic)) << "the true state returns at the next evaluation";
}

TEST_F(AlarmTest, AnEvaluationThatChangesAChildWakesTheLoopForTheCompositeAlarm) {
  put_alarm(alarm_input());
  put_composite("any", "ALARM(high)");
  settle();
  put(datum(10, now_));
  take_turn("cloudwatch-alarms");
  EXPECT_TRUE(std::any_of(wakes_.begin(), wakes_.end(), [](const Wake& wake) { return wake.topic == kAlarmsTopic; }));
  EXPECT_EQ(state(), "ALARM");
}

TEST_F(AlarmTest, AfterACrashAnActionThatWasNotExecutedIs) {
  PutMetricAlarmInput input = alarm_input();
  input.AlarmActions = {{kQueue}};
  put_alarm(input);
  put(datum(10, now_));
  take_turn("cloudwatch-alarms");
  EXPECT_EQ(state(), "ALARM");
  reopen();
  EXPECT_TRUE(targets().messages.empty());
  settle();
  EXPECT_EQ(targets().messages.size(), 1u);
  reopen();
  settle();
  EXPECT_TRUE(targets().messages.empty());
}

TEST_F(AlarmTest, AfterACrashAPointThatWasNotEvaluatedIs) {
  put_alarm(alarm_input());
  settle();
  put(datum(10, now_));
  reopen();
  settle();
  EXPECT_EQ(state(), "ALARM");
}

TEST_F(AlarmTest, AStalePlanIsRejected) {
  put_alarm(alarm_input());
  settle();
  put(datum(10, now_));
  const auto loop = std::find_if(module_.loops.begin(), module_.loops.end(),
                                 [](const Loop& one) { return one.name == "cloudwatch-alarms"; });
  Decision decision;
  store_->read_now([&](store::Tx& tx) {
    Call call{tx, nobody_, now_, now_, locals_.get(), &directory_};
    decision = loop->look(call);
  });
  PutMetricAlarmInput input = alarm_input();
  input.Threshold = 100;
  put_alarm(input);
  with_call(decision.apply);
  EXPECT_EQ(state(), "INSUFFICIENT_DATA");
  settle();
  EXPECT_EQ(state(), "OK");
}

TEST_F(AlarmTest, AFailedActionIsInTheHistory) {
  PutMetricAlarmInput input = alarm_input();
  input.AlarmActions = {{kQueue, "arn:aws:application-autoscaling:us-east-1:111111111111:scaling-policy:x"}};
  put_alarm(input);
  targets().missing.insert(kQueue);
  put_and_settle(10);
  EXPECT_EQ(summaries("Action"),
            (std::vector<std::string>{
                "Failed to execute AutoScaling action: Stoker does not support the service application-autoscaling.",
                std::string("Failed to execute action ") + kQueue +
                    ". Received error: \"There is no such target.\""}));
  EXPECT_NE(history("Action")[0].HistoryData->find("\"actionState\":\"Failed\""), std::string::npos);
}

TEST_F(AlarmTest, AnActionOfAServiceThatIsAbsentHereIsAcceptedAndFails) {
  PutMetricAlarmInput input = alarm_input();
  input.AlarmActions = {{"arn:aws:sns:us-east-1:111111111111:pager", "arn:aws:automate:us-east-1:ec2:stop"}};
  put_alarm(input);
  put_and_settle(10);
  EXPECT_EQ(summaries("Action"),
            (std::vector<std::string>{"Failed to execute action arn:aws:automate:us-east-1:ec2:stop. Received error: "
                                      "\"Stoker does not support the service automate.\"",
                                      "Failed to execute action arn:aws:sns:us-east-1:111111111111:pager. Received "
                                      "error: \"Stoker does not support the service sns.\""}));
}

TEST_F(AlarmTest, ScalingActionsRepeatEveryMinuteWhileTheStateLasts) {
  PutMetricAlarmInput input = alarm_input();
  input.AlarmActions = {{kPolicy, kQueue}};
  input.TreatMissingData = "ignore";
  put_alarm(input);
  put_and_settle(10);
  ASSERT_EQ(targets().scalings.size(), 1u);
  EXPECT_EQ(targets().scalings[0].metricValue, 10);
  EXPECT_EQ(targets().scalings[0].threshold, 5);
  EXPECT_FALSE(targets().scalings[0].repeated);
  advance(seconds(59));
  EXPECT_EQ(targets().scalings.size(), 1u);
  advance(seconds(1));
  ASSERT_EQ(targets().scalings.size(), 2u);
  EXPECT_TRUE(targets().scalings[1].repeated);
  reopen();
  settle();
  advance(minutes(1));
  EXPECT_EQ(targets().scalings.size(), 1u);
  EXPECT_TRUE(targets().messages.empty());  // others run on the transition only
  run<void>("DisableAlarmActions", DisableAlarmActionsInput{.AlarmNames = {"high"}});
  advance(minutes(2));
  EXPECT_EQ(targets().scalings.size(), 1u);
}

TEST_F(AlarmTest, DisabledActionsDoNotRun) {
  PutMetricAlarmInput input = alarm_input();
  input.AlarmActions = {{kQueue}};
  input.ActionsEnabled = false;
  put_alarm(input);
  put_and_settle(10);
  EXPECT_EQ(state(), "ALARM");
  EXPECT_TRUE(targets().messages.empty());
  run<void>("EnableAlarmActions", EnableAlarmActionsInput{.AlarmNames = {"high", "absent"}});
  EXPECT_EQ(alarm().ActionsEnabled, true);
}

TEST_F(AlarmTest, AWebhooksResultComesBackToTheHistory) {
  PutMetricAlarmInput input = alarm_input();
  input.AlarmActions = {{kHook}};
  put_alarm(input);
  put_and_settle(10);
  ASSERT_EQ(targets().webhooks.size(), 1u);
  EXPECT_EQ(targets().webhooks[0].reportTo, "cloudwatch");
  EXPECT_TRUE(summaries("Action").empty());
  const shapes::stoker::WebhookFinished failed{
      .context = targets().webhooks[0].context, .delivered = false, .error = "status 500"};
  with_call([&](Call& call) { module_.internal_operations[0].run(call, &failed); });
  EXPECT_EQ(summaries("Action"), std::vector<std::string>{std::string("Failed to execute action ") + kHook +
                                                          ". Received error: \"status 500\""});
}

TEST_F(AlarmTest, SetAlarmStateRunsActionsAndTheNextEvaluationRestoresTheState) {
  PutMetricAlarmInput input = alarm_input();
  input.AlarmActions = {{kQueue}};
  put_alarm(input);
  settle();
  set_state("high", "ALARM");
  settle();
  EXPECT_EQ(state(), "ALARM");
  EXPECT_EQ(alarm().StateReason, "by hand");
  EXPECT_EQ(targets().messages.size(), 1u);
  set_state("high", "ALARM");  // the same state: no action
  settle();
  EXPECT_EQ(targets().messages.size(), 1u);
  advance(minutes(1));
  EXPECT_EQ(state(), "INSUFFICIENT_DATA");
  EXPECT_EQ(error_of([&] { set_state("absent", "OK"); }), "ResourceNotFound: ");
}

TEST_F(AlarmTest, AStateThatWasSetShortlyBeforeAWholeMinuteCanBeSeen) {
  put_alarm(alarm_input());
  settle();
  now_ += seconds(59);
  set_state("high", "ALARM");
  advance(seconds(30));
  EXPECT_EQ(state(), "ALARM");
  advance(seconds(30));
  EXPECT_EQ(state(), "INSUFFICIENT_DATA");
}

TEST_F(AlarmTest, AnAlarmWhosePointsAreDamagedDoesNotStopOthers) {
  put(datum(10, now_));
  with_call([&](Call& call) {
    const std::int64_t series = call.tx.query("SELECT id FROM telemetry_series").integer();
    call.tx.exec("INSERT INTO telemetry_blocks (stream, tier, first_at, last_at, points) VALUES ($1, 0, $2, $2, $3)",
                 telemetry::stream_id(series, kUnitNone), base::to_seconds(now_), store::BlobView{"damaged"});
  });
  put_alarm(alarm_input("damaged"));
  PutMetricAlarmInput other = alarm_input("other");
  other.MetricName = "Errors";
  put_alarm(other);
  MetricDatum error = datum(10, now_);
  error.MetricName = "Errors";
  put(error);
  settle();
  EXPECT_EQ(state("damaged"), "INSUFFICIENT_DATA");
  EXPECT_EQ(state("other"), "ALARM");
  EXPECT_EQ(next_, now_ + minutes(1));
}

TEST_F(AlarmTest, AlarmsAreDeletedAlthoughOtherNamesAreWrong) {
  put_alarm(alarm_input("a"));
  run<void>("DeleteAlarms", DeleteAlarmsInput{.AlarmNames = {"absent", "a"}});
  EXPECT_TRUE(describe({.AlarmNames = {{"a"}}}).MetricAlarms->empty());
  EXPECT_EQ(error_of([&] {
              run<void>("DeleteAlarms", DeleteAlarmsInput{.AlarmNames = {"absent", "a"}});
            }),
            "ResourceNotFound: ");
}

TEST_F(AlarmTest, MetricMathIsEvaluated) {
  PutMetricAlarmInput input{.AlarmName = "high"};
  MetricDataQuery metric{.Id = "m1"};
  metric.MetricStat = MetricStat{.Metric = {.Namespace = "Jobs", .MetricName = "Latency"}, .Period = 60, .Stat = "Average"};
  metric.ReturnData = false;
  MetricDataQuery expression{.Id = "e1"};
  expression.Expression = "m1 * 2";
  input.Metrics = {{metric, expression}};
  input.EvaluationPeriods = 1;
  input.Threshold = 15;
  input.ComparisonOperator = "GreaterThanThreshold";
  put_alarm(input);
  put_and_settle(10);
  EXPECT_EQ(state(), "ALARM");
  EXPECT_EQ(alarm().StateReasonData->find("statistic"), std::string::npos);
  EXPECT_NE(alarm().StateReasonData->find("\"recentDatapoints\":[20.0]"), std::string::npos);
}

TEST_F(AlarmTest, CompositeAlarmsFollowTheirChildren) {
  put_alarm(alarm_input());
  put_composite("any", "ALARM(high) OR ALARM(\"arn:aws:cloudwatch:us-east-1:111111111111:alarm:high\")");
  settle();
  EXPECT_EQ(composite("any").StateValue, "OK");
  EXPECT_EQ(composite("any").StateReason,
            "arn:aws:cloudwatch:us-east-1:111111111111:alarm:any was created and its alarm rule evaluates to OK");
  now_ += seconds(1);
  put_and_settle(10);
  EXPECT_EQ(composite("any").StateValue, "ALARM");
  EXPECT_TRUE(composite("any").StateReason->starts_with(
      "arn:aws:cloudwatch:us-east-1:111111111111:alarm:high transitioned to ALARM at Friday 15 January, 2027"))
      << *composite("any").StateReason;
  ASSERT_EQ(targets().messages.size(), 1u);
  EXPECT_NE(targets().messages[0].second.find("\"AlarmRule\""), std::string::npos);
  EXPECT_EQ(error_of([&] { run<void>("DeleteAlarms", DeleteAlarmsInput{.AlarmNames = {"high"}}); }).substr(0, 15),
            "ValidationError");
  auto children = describe({.ChildrenOfAlarmName = "any"});
  ASSERT_EQ(children.MetricAlarms->size(), 1u);
  EXPECT_EQ(children.MetricAlarms->front().StateValue, "ALARM");
  EXPECT_EQ(describe({.ParentsOfAlarmName = "high"}).CompositeAlarms->front().AlarmName, "any");
  EXPECT_EQ(
      error_of([&] { describe({.AlarmTypes = {{"MetricAlarm"}}, .ChildrenOfAlarmName = "any"}); }),
      "ValidationError: ChildrenOfAlarmName and ParentsOfAlarmName can not be combined with other parameters than "
      "MaxRecords and NextToken");
  const DescribeAlarmHistoryInput of_metric_alarms{.AlarmName = "any"};
  EXPECT_TRUE(run<DescribeAlarmHistoryOutput>("DescribeAlarmHistory", of_metric_alarms).AlarmHistoryItems->empty());
  EXPECT_EQ(summaries("ConfigurationUpdate", "any").size(), 1u);
}

TEST_F(AlarmTest, ACycleOfCompositeAlarmsIsNotEvaluatedAndCanNotBeDeleted) {
  put_alarm(alarm_input());
  put_composite("a", "ALARM(high)");
  put_composite("b", "NOT ALARM(a)");
  settle();
  put_composite("a", "NOT ALARM(b)");
  settle();
  EXPECT_EQ(error_of([&] { run<void>("DeleteAlarms", DeleteAlarmsInput{.AlarmNames = {"a"}}); }).substr(0, 15),
            "ValidationError");
  put_composite("a", "FALSE");
  settle();
  EXPECT_EQ(composite("b").StateValue, "ALARM");
  run<void>("DeleteAlarms", DeleteAlarmsInput{.AlarmNames = {"b"}});
  run<void>("DeleteAlarms", DeleteAlarmsInput{.AlarmNames = {"a"}});
}

TEST_F(AlarmTest, ASuppressorWithholdsTheActionsOfACompositeAlarm) {
  put_alarm(alarm_input());
  put_alarm(alarm_input("maintenance"));
  PutCompositeAlarmInput input{.AlarmName = "any", .AlarmRule = "ALARM(high)"};
  input.AlarmActions = {{kQueue}};
  input.ActionsSuppressor = "maintenance";
  input.ActionsSuppressorWaitPeriod = 20;
  input.ActionsSuppressorExtensionPeriod = 20;
  run<void>("PutCompositeAlarm", input);
  settle();
  advance(seconds(25));  // the wait after its first state
  set_state("high", "ALARM");
  settle();
  EXPECT_EQ(composite("any").StateValue, "ALARM");
  EXPECT_EQ(composite("any").ActionsSuppressedBy, "WaitPeriod");
  EXPECT_EQ(composite("any").ActionsSuppressedReason, "Actions suppressed by WaitPeriod");
  advance(seconds(10));
  set_state("maintenance", "ALARM");
  settle();
  EXPECT_EQ(composite("any").ActionsSuppressedBy, "Alarm");
  set_state("maintenance", "OK");
  settle();
  EXPECT_EQ(composite("any").ActionsSuppressedBy, "ExtensionPeriod");
  EXPECT_TRUE(targets().messages.empty());
  advance(seconds(19));
  EXPECT_TRUE(targets().messages.empty());
  advance(seconds(1));
  EXPECT_EQ(targets().messages.size(), 1u);
  EXPECT_EQ(composite("any").ActionsSuppressedBy, std::nullopt);
}

TEST_F(AlarmTest, DescribeAlarmsFiltersAndPages) {
  for (const char* name : {"web-1", "web-2", "web-3", "db-1"}) put_alarm(alarm_input(name));
  PutMetricAlarmInput with_action = alarm_input("db-2");
  with_action.OKActions = {{kQueue}};
  put_alarm(with_action);
  put_composite("web-all", "ALARM(\"web-1\")");
  const auto names = [](const DescribeAlarmsOutput& output) {
    std::string out;
    for (const auto& one : *output.MetricAlarms) out += *one.AlarmName + " ";
    for (const auto& one : *output.CompositeAlarms) out += "(" + *one.AlarmName + ") ";
    return out;
  };
  EXPECT_EQ(names(describe({.AlarmNamePrefix = "web"})), "web-1 web-2 web-3 (web-all) ");
  EXPECT_EQ(names(run<DescribeAlarmsOutput>("DescribeAlarms", DescribeAlarmsInput{.AlarmNamePrefix = "web"})),
            "web-1 web-2 web-3 ");
  EXPECT_EQ(names(describe({.AlarmNames = {{"web-3", "absent", "db-1"}}})), "db-1 web-3 ");
  EXPECT_EQ(names(describe({.ActionPrefix = "arn:aws:sqs"})), "db-2 (web-all) ");
  set_state("db-1", "OK");
  EXPECT_EQ(names(describe({.StateValue = "OK"})), "db-1 ");
  std::string all;
  DescribeAlarmsInput page{.MaxRecords = 2};
  for (int i = 0; i < 5; ++i) {
    const auto output = describe(page);
    all += names(output) + "| ";
    page.NextToken = output.NextToken;
    if (!page.NextToken) break;
  }
  EXPECT_EQ(all, "db-1 db-2 | web-1 web-2 | web-3 (web-all) | ");
  DescribeAlarmsForMetricInput metric{.MetricName = "Latency", .Namespace = "Jobs"};
  EXPECT_EQ(run<DescribeAlarmsForMetricOutput>("DescribeAlarmsForMetric", metric).MetricAlarms->size(), 5u);
  metric.Statistic = "Sum";
  EXPECT_TRUE(run<DescribeAlarmsForMetricOutput>("DescribeAlarmsForMetric", metric).MetricAlarms->empty());
}

TEST_F(AlarmTest, HistoryIsPagedAndEndsAfterThirtyDays) {
  put_alarm(alarm_input());
  for (const char* state : {"OK", "ALARM", "OK"}) {
    now_ += seconds(1);
    set_state("high", state);
  }
  DescribeAlarmHistoryInput input{.AlarmName = "high"};
  input.MaxRecords = 3;
  auto page = run<DescribeAlarmHistoryOutput>("DescribeAlarmHistory", input);
  ASSERT_EQ(page.AlarmHistoryItems->size(), 3u);
  EXPECT_EQ(page.AlarmHistoryItems->front().HistorySummary, "Alarm updated from ALARM to OK");
  input.NextToken = page.NextToken;
  page = run<DescribeAlarmHistoryOutput>("DescribeAlarmHistory", input);
  ASSERT_EQ(page.AlarmHistoryItems->size(), 1u);
  EXPECT_FALSE(page.NextToken);
  input = {.AlarmName = "high", .ScanBy = "TimestampAscending"};
  page = run<DescribeAlarmHistoryOutput>("DescribeAlarmHistory", input);
  EXPECT_EQ(page.AlarmHistoryItems->front().HistorySummary, "Alarm \"high\" created");
  EXPECT_TRUE(page.AlarmHistoryItems->front().HistoryData->starts_with(
      "{\"version\":\"1.0\",\"type\":\"Create\",\"createdAlarm\":{\"alarmName\":\"high\""));
  now_ += std::chrono::hours(24 * 31);
  take_turn("cloudwatch-alarm-history");
  EXPECT_TRUE(history().empty());
}

}  // namespace
}  // namespace services::cloudwatch
