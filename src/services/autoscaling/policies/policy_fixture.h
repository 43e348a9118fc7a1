// SPDX-License-Identifier: Apache-2.0
// Test support: groups with the alarms of a fake CloudWatch.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "services/autoscaling/groups/group_fixture.h"
#include "services/autoscaling/policies/policies.h"
#include "shapes/autoscaling/policy.h"
#include "shapes/cloudwatch/alarm.h"
#include "shapes/stoker/alarm_action.h"

namespace services::autoscaling {

// In Locals, where the fake operations find it.
struct FakeAlarms {
  std::map<std::string, shapes::cloudwatch::PutMetricAlarmInput> alarms;
  std::map<std::string, std::string> states;
};

inline void fake_put_alarm(Call& call, const shapes::cloudwatch::PutMetricAlarmInput& input) {
  EXPECT_EQ(call.caller.service, "autoscaling.amazonaws.com");
  call.local<FakeAlarms>().alarms[input.AlarmName] = input;
}

inline void fake_delete_alarms(Call& call, const shapes::cloudwatch::DeleteAlarmsInput& input) {
  for (const std::string& name : input.AlarmNames) call.local<FakeAlarms>().alarms.erase(name);
}

inline shapes::cloudwatch::DescribeAlarmsOutput fake_describe_alarms(
    Call& call, const shapes::cloudwatch::DescribeAlarmsInput& input) {
  FakeAlarms& fake = call.local<FakeAlarms>();
  shapes::cloudwatch::DescribeAlarmsOutput output;
  output.MetricAlarms.emplace();
  for (const auto& [name, alarm] : fake.alarms) {
    const auto& names = input.AlarmNames;
    if (names && std::find(names->begin(), names->end(), name) == names->end()) continue;
    const auto actions = alarm.AlarmActions.value_or(std::vector<std::string>());
    const bool has_action = std::any_of(actions.begin(), actions.end(), [&](const std::string& action) {
      return action.starts_with(input.ActionPrefix.value_or(""));
    });
    if (input.ActionPrefix && !has_action) continue;
    shapes::cloudwatch::MetricAlarm shown;
    shown.AlarmName = name;
    shown.AlarmArn = "arn:aws:cloudwatch:us-east-1:111111111111:alarm:" + name;
    shown.AlarmActions = actions;
    shown.MetricName = alarm.MetricName;
    shown.StateValue = fake.states.contains(name) ? fake.states.at(name) : "OK";
    output.MetricAlarms->push_back(shown);
  }
  return output;
}

class PolicyTest : public GroupTest {
 protected:
  PolicyTest() {
    directory_.add("cloudwatch", {operation<&fake_put_alarm>("PutMetricAlarm", Access::Write),
                                  operation<&fake_delete_alarms>("DeleteAlarms", Access::Write),
                                  operation<&fake_describe_alarms>("DescribeAlarms", Access::Read)});
    locals_.add<FakeAlarms>();
  }

  FakeAlarms& alarms() { return locals_.get<FakeAlarms>(); }

  static shapes::autoscaling::PutScalingPolicyType policy_request(const std::string& type, const std::string& name) {
    shapes::autoscaling::PutScalingPolicyType request;
    request.AutoScalingGroupName = "workers";
    request.PolicyName = name;
    request.PolicyType = type;
    return request;
  }
  static shapes::autoscaling::PutScalingPolicyType simple(const std::string& name, std::int32_t adjustment) {
    auto request = policy_request("SimpleScaling", name);
    request.AdjustmentType = "ChangeInCapacity";
    request.ScalingAdjustment = adjustment;
    return request;
  }
  static shapes::autoscaling::PutScalingPolicyType steps(const std::string& name, const std::string& type,
                                                         std::vector<shapes::autoscaling::StepAdjustment> list) {
    auto request = policy_request("StepScaling", name);
    request.AdjustmentType = type;
    request.StepAdjustments = std::move(list);
    return request;
  }
  static shapes::autoscaling::PutScalingPolicyType tracking(const std::string& name, double target,
                                                            const std::string& metric = "Backlog") {
    auto request = policy_request("TargetTrackingScaling", name);
    auto& configuration = request.TargetTrackingConfiguration.emplace();
    configuration.TargetValue = target;
    auto& specification = configuration.CustomizedMetricSpecification.emplace();
    specification.MetricName = metric;
    specification.Namespace = "Jobs";
    specification.Statistic = "Average";
    return request;
  }
  // Its ARN.
  std::string put(const shapes::autoscaling::PutScalingPolicyType& request) {
    return *run<shapes::autoscaling::PolicyARNType>("PutScalingPolicy", request).PolicyARN;
  }
  std::string put_error(const shapes::autoscaling::PutScalingPolicyType& request) {
    const std::string error = error_of([&] { put(request); });
    const std::string prefix = "ValidationError: ";
    return error.starts_with(prefix) ? error.substr(prefix.size()) : error;
  }
  std::vector<shapes::autoscaling::ScalingPolicy> policies(shapes::autoscaling::DescribePoliciesType request = {}) {
    return *run<shapes::autoscaling::PoliciesType>("DescribePolicies", request).ScalingPolicies;
  }

  // What CloudWatch sends when an alarm is, or stays, in a state.
  struct Fired {
    std::string alarm = "busy", state = "ALARM";
    std::vector<double> points = {};
    double threshold = 0;
    std::string comparison = "GreaterThanOrEqualToThreshold";
  };
  void fire(const std::string& arn, const Fired& fired) {
    if (!alarms().alarms.contains(fired.alarm)) {
      auto& alarm = alarms().alarms[fired.alarm];
      alarm.AlarmName = fired.alarm;
      alarm.AlarmActions = {{arn}};
    }
    alarms().states[fired.alarm] = fired.state;
    shapes::stoker::ExecuteAlarmAction action;
    action.actionArn = arn;
    action.account = "111111111111";
    action.region = "us-east-1";
    action.alarmArn = "arn:aws:cloudwatch:us-east-1:111111111111:alarm:" + fired.alarm;
    action.alarmName = fired.alarm;
    action.oldState = fired.state == "OK" ? "ALARM" : "OK";
    action.newState = fired.state;
    action.stateChangedAt = now_;
    action.recentDatapoints = fired.points;
    action.threshold = fired.threshold;
    action.comparisonOperator = fired.comparison;
    action.message = R"json({"AlarmDescription":"d","Region":"US East (N. Virginia)",)json"
                     R"("AlarmConfigurationUpdatedTimestamp":"2026-11-05T09:30:10.000+0000",)"
                     R"("Trigger":{"MetricName":"Backlog","Threshold":1.0,"Dimensions":[]}})";
    run<void>("ExecuteAlarmAction", action);
  }
  std::int32_t desired() { return shown().DesiredCapacity; }
  // All that are pending run, and their warm-up is over.
  void warm_up() {
    settle();
    for (const auto& one : instances()) {
      if (one.LifecycleState == "Pending") start(one.InstanceId);
    }
    advance(std::chrono::seconds(301));
  }
};

}  // namespace services::autoscaling
