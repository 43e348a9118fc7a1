// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/reconciliation/deployment_alarms.h"

#include <algorithm>

#include "services/directory.h"
#include "services/invoke.h"
#include "shapes/cloudwatch/alarm.h"

namespace services::ecs {

using shapes::cloudwatch::DescribeAlarmsInput;
using shapes::cloudwatch::DescribeAlarmsOutput;

namespace {

constexpr std::string_view kInAlarm = "ALARM";

// An alarm on an expression has the periods of its metrics.
base::Duration evaluated_time(const shapes::cloudwatch::MetricAlarm& alarm) {
  std::int32_t period = alarm.Period.value_or(0);
  const auto metrics = alarm.Metrics.value_or(std::vector<shapes::cloudwatch::MetricDataQuery>());
  for (const shapes::cloudwatch::MetricDataQuery& query : metrics) {
    period = std::max(period, query.MetricStat ? query.MetricStat->Period : query.Period.value_or(0));
  }
  return std::chrono::seconds(std::int64_t{period} * alarm.EvaluationPeriods.value_or(1));
}

}  // namespace

AlarmReport read_alarm_states(Call& call, const state::Cluster& cluster, const std::string& service_arn,
                              const std::vector<std::string>& names) {
  AlarmReport report;
  // A test of ECS alone has no directory.
  if (!call.directory || !call.directory->find("cloudwatch", "DescribeAlarms")) return report;
  Caller caller = as_service(call, "ecs.amazonaws.com", service_arn, cluster.account);
  caller.region = cluster.region;
  DescribeAlarmsInput request;
  request.AlarmNames = names;
  request.AlarmTypes = std::vector<std::string>{"MetricAlarm", "CompositeAlarm"};
  request.MaxRecords = 100;  // a deployment has fewer
  const auto response = invoke<DescribeAlarmsOutput>(call, caller, "cloudwatch", "DescribeAlarms", request);
  for (const auto& alarm : response.MetricAlarms.value_or(std::vector<shapes::cloudwatch::MetricAlarm>())) {
    report.slowest = std::max(report.slowest, evaluated_time(alarm));
    if (alarm.StateValue == kInAlarm) report.in_alarm.push_back(alarm.AlarmName.value_or(""));
  }
  if (!response.CompositeAlarms) return report;
  for (const auto& alarm : *response.CompositeAlarms) {
    if (alarm.StateValue == kInAlarm) report.in_alarm.push_back(alarm.AlarmName.value_or(""));
  }
  return report;
}

}  // namespace services::ecs
