// SPDX-License-Identifier: Apache-2.0
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "services/autoscaling/policies/policy_execution.h"
#include "wire/timestamp.h"

namespace services::autoscaling {
namespace {

namespace json = boost::json;

constexpr std::string_view kTriggerMembers[] = {
    "MetricName",    "EvaluateLowSampleCountPercentile", "ComparisonOperator", "TreatMissingData",
    "Statistic",     "StatisticType",                    "Period",             "EvaluationPeriods",
    "Unit",          "Namespace",                        "Threshold"};

json::value member_of(const json::object& object, std::string_view name) {
  const json::value* found = object.if_contains(name);
  return found ? *found : json::value();
}

// "2026-11-05T09:30:10.000+0000" as milliseconds.
json::value milliseconds(const json::value& text) {
  if (!text.is_string()) return nullptr;
  const std::string_view whole = text.get_string();
  const auto time = wire::from_iso8601(std::string(whole.substr(0, whole.find('+', 10))) +
                                       (whole.find('+', 10) == whole.npos ? "" : "Z"));
  return time ? json::value(base::to_millis(*time)) : json::value();
}

// The notification that CloudWatch would publish to SNS; empty where it is not an object.
json::object notification_of(const shapes::stoker::ExecuteAlarmAction& action) {
  boost::system::error_code error;
  json::value parsed = json::parse(action.message, error);
  return error || !parsed.is_object() ? json::object() : std::move(parsed.get_object());
}

json::object trigger_of(const json::object& message) {
  json::object trigger;
  const json::value* found = message.if_contains("Trigger");
  if (!found || !found->is_object()) return trigger;
  for (const std::string_view name : kTriggerMembers) {
    if (const json::value* member = found->get_object().if_contains(name)) trigger[name] = *member;
  }
  return trigger;
}

}  // namespace

std::string invoking_alarms(const shapes::stoker::ExecuteAlarmAction& action) {
  const json::object message = notification_of(action);
  if (message.empty()) return "";
  json::object alarm;
  alarm["AlarmArn"] = action.alarmArn;
  alarm["Trigger"] = trigger_of(message);
  alarm["AlarmName"] = action.alarmName;
  alarm["AlarmDescription"] = member_of(message, "AlarmDescription");
  alarm["AWSAccountId"] = action.account;
  alarm["OldStateValue"] = action.oldState;
  alarm["Region"] = member_of(message, "Region");
  alarm["NewStateValue"] = action.newState;
  alarm["AlarmConfigurationUpdatedTimestamp"] = milliseconds(member_of(message, "AlarmConfigurationUpdatedTimestamp"));
  alarm["StateChangeTime"] = base::to_millis(action.stateChangedAt);
  return json::serialize(json::array{std::move(alarm)});
}

}  // namespace services::autoscaling
