// SPDX-License-Identifier: Apache-2.0
// Test support: alarms with the loops of CloudWatch's module, queues that record messages, and a clock of the test's.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "services/cloudwatch/cloudwatch_fixture.h"
#include "services/directory.h"
#include "shapes/cloudwatch/alarm_history.h"
#include "shapes/sqs/message.h"
#include "shapes/stoker/alarm_action.h"
#include "shapes/stoker/webhook.h"

namespace services::cloudwatch {

// In Locals, where the fake operations find it.
struct FakeTargets {
  std::set<std::string> missing;                              // ARNs that reject
  std::vector<std::pair<std::string, std::string>> messages;  // ARN and body
  std::vector<shapes::stoker::ExecuteAlarmAction> scalings;          // of groups
  std::vector<shapes::stoker::ExecuteAlarmAction> service_scalings;  // of Application Auto Scaling
  std::vector<shapes::stoker::SendWebhook> webhooks;
};

inline void reject_if_missing(Call& call, const std::string& arn) {
  if (call.local<FakeTargets>().missing.contains(arn)) throw wire::ApiError("NotFound", "There is no such target.");
}

inline shapes::sqs::SendMessageResult fake_send_message(Call& call, const shapes::sqs::SendMessageRequest& request) {
  reject_if_missing(call, request.QueueUrl);
  FakeTargets& fake = call.local<FakeTargets>();
  call.tx.on_end([&fake, request](bool committed) {
    if (committed) fake.messages.emplace_back(request.QueueUrl, request.MessageBody);
  });
  return {};
}

inline void fake_execute(Call& call, const shapes::stoker::ExecuteAlarmAction& request) {
  FakeTargets& fake = call.local<FakeTargets>();
  call.tx.on_end([&fake, request](bool committed) {
    if (committed) fake.scalings.push_back(request);
  });
}

inline void fake_execute_for_service(Call& call, const shapes::stoker::ExecuteAlarmAction& request) {
  FakeTargets& fake = call.local<FakeTargets>();
  call.tx.on_end([&fake, request](bool committed) {
    if (committed) fake.service_scalings.push_back(request);
  });
}

inline void fake_send_webhook(Call& call, const shapes::stoker::SendWebhook& request) {
  reject_if_missing(call, request.arn);
  FakeTargets& fake = call.local<FakeTargets>();
  call.tx.on_end([&fake, request](bool committed) {
    if (committed) fake.webhooks.push_back(request);
  });
}

class AlarmTest : public CloudWatchTest {
 protected:
  AlarmTest() {
    directory_.add("sqs", {operation<&fake_send_message>("SendMessage", Access::Write)});
    directory_.add("autoscaling", {operation<&fake_execute>("ExecuteAlarmAction", Access::Write)});
    directory_.add("stoker", {operation<&fake_send_webhook>("SendWebhook", Access::Write)});
    now_ = base::from_seconds(1800000000 - 1800000000 % 60);
    locals_->add<FakeTargets>();
  }

  void reopen() {
    open();
    locals_->add<FakeTargets>();
  }
  FakeTargets& targets() { return locals_->get<FakeTargets>(); }

  PutMetricAlarmInput alarm_input(const std::string& name = "high") const {
    PutMetricAlarmInput input{.AlarmName = name};
    input.MetricName = "Latency";
    input.Namespace = "Jobs";
    input.Statistic = "Average";
    input.Period = 60;
    input.EvaluationPeriods = 1;
    input.Threshold = 5;
    input.ComparisonOperator = "GreaterThanThreshold";
    return input;
  }
  void put_alarm(const PutMetricAlarmInput& input) { run<void>("PutMetricAlarm", input); }
  void put_composite(const std::string& name, const std::string& rule) {
    PutCompositeAlarmInput input{.AlarmName = name, .AlarmRule = rule};
    input.AlarmActions = {{kQueue}};
    run<void>("PutCompositeAlarm", input);
  }
  void set_state(const std::string& name, const std::string& state) {
    run<void>("SetAlarmState", SetAlarmStateInput{.AlarmName = name, .StateValue = state, .StateReason = "by hand"});
  }

  // Turns of the loops until nothing is left to do now.
  void settle() {
    for (int i = 0; i < 20; ++i) {
      next_ = take_turn("cloudwatch-alarms");
      take_turn("cloudwatch-alarm-actions");
      if (!next_ || *next_ > now_) return;
    }
    ADD_FAILURE() << "the alarms' loop does not come to rest";
  }
  void put_and_settle(double value) {
    put(datum(value, now_));
    settle();
  }
  void advance(base::Duration by) {
    now_ += by;
    settle();
  }

  DescribeAlarmsOutput describe(DescribeAlarmsInput input = {}) {
    const bool related = input.ChildrenOfAlarmName || input.ParentsOfAlarmName;
    if (!input.AlarmTypes && !related) input.AlarmTypes = {{"MetricAlarm", "CompositeAlarm"}};
    return run<DescribeAlarmsOutput>("DescribeAlarms", input);
  }
  MetricAlarm alarm(const std::string& name = "high") {
    auto found = describe({.AlarmNames = {{name}}});
    CHECK(found.MetricAlarms->size() == 1) << name;
    return found.MetricAlarms->front();
  }
  CompositeAlarm composite(const std::string& name) {
    auto found = describe({.AlarmNames = {{name}}});
    CHECK(found.CompositeAlarms->size() == 1) << name;
    return found.CompositeAlarms->front();
  }
  std::string state(const std::string& name = "high") { return alarm(name).StateValue.value_or(""); }
  std::vector<AlarmHistoryItem> history(const std::string& type = "", const std::string& name = "high") {
    DescribeAlarmHistoryInput input{.AlarmName = name, .AlarmTypes = {{"MetricAlarm", "CompositeAlarm"}}};
    if (!type.empty()) input.HistoryItemType = type;
    return *run<DescribeAlarmHistoryOutput>("DescribeAlarmHistory", input).AlarmHistoryItems;
  }
  std::vector<std::string> summaries(const std::string& type = "", const std::string& name = "high") {
    std::vector<std::string> out;
    for (const AlarmHistoryItem& item : history(type, name)) out.push_back(item.HistorySummary.value_or(""));
    return out;
  }

  static constexpr char kQueue[] = "arn:aws:sqs:us-east-1:111111111111:alerts";
  static constexpr char kPolicy[] =
      "arn:aws:autoscaling:us-east-1:111111111111:scalingPolicy:1:autoScalingGroupName/g:policyName/p";
  static constexpr char kServicePolicy[] =
      "arn:aws:autoscaling:us-east-1:111111111111:scalingPolicy:2:resource/ecs/service/default/web:policyName/p";
  static constexpr char kHook[] = "arn:aws:stoker:us-east-1:111111111111:webhook/pager";

  std::optional<base::Time> next_;  // when the alarms' loop is due again
};

}  // namespace services::cloudwatch
