// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/reconciliation/deployment_alarms.h"

#include "services/directory.h"
#include "services/invoke.h"
#include "shapes/cloudwatch/alarm.h"

namespace services::ecs {

using shapes::cloudwatch::DescribeAlarmsInput;
using shapes::cloudwatch::DescribeAlarmsOutput;

std::vector<std::string> alarms_in_alarm(Call& call, const state::Cluster& cluster, const std::string& service_arn,
                                         const std::vector<std::string>& names) {
  std::vector<std::string> found;
  // A test of ECS alone has no directory.
  if (!call.directory || !call.directory->find("cloudwatch", "DescribeAlarms")) return found;
  Caller caller = as_service(call, "ecs.amazonaws.com", service_arn, cluster.account);
  caller.region = cluster.region;
  DescribeAlarmsInput request;
  request.AlarmNames = names;
  request.AlarmTypes = std::vector<std::string>{"MetricAlarm", "CompositeAlarm"};
  request.StateValue = "ALARM";
  request.MaxRecords = 100;  // a deployment has fewer
  const auto response = invoke<DescribeAlarmsOutput>(call, caller, "cloudwatch", "DescribeAlarms", request);
  if (response.MetricAlarms) {
    for (const auto& alarm : *response.MetricAlarms) found.push_back(alarm.AlarmName.value_or(""));
  }
  if (response.CompositeAlarms) {
    for (const auto& alarm : *response.CompositeAlarms) found.push_back(alarm.AlarmName.value_or(""));
  }
  return found;
}

}  // namespace services::ecs
