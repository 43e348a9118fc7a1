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

}  // namespace

std::string invoking_alarms(const shapes::stoker::ExecuteAlarmAction& action) {
  boost::system::error_code error;
  const json::value parsed = json::parse(action.message, error);
  const json::object* message = error ? nullptr : parsed.if_object();
  if (!message) return "";
  json::object trigger;
  if (const json::value* found = message->if_contains("Trigger"); found && found->is_object()) {
    for (const std::string_view name : kTriggerMembers) {
      if (const json::value* member = found->get_object().if_contains(name)) trigger[name] = *member;
    }
  }
  json::object alarm;
  alarm["AlarmArn"] = action.alarmArn;
  alarm["Trigger"] = std::move(trigger);
  alarm["AlarmName"] = action.alarmName;
  alarm["AlarmDescription"] = member_of(*message, "AlarmDescription");
  alarm["AWSAccountId"] = action.account;
  alarm["OldStateValue"] = action.oldState;
  alarm["Region"] = member_of(*message, "Region");
  alarm["NewStateValue"] = action.newState;
  alarm["AlarmConfigurationUpdatedTimestamp"] = milliseconds(member_of(*message, "AlarmConfigurationUpdatedTimestamp"));
  alarm["StateChangeTime"] = base::to_millis(action.stateChangedAt);
  return json::serialize(json::array{std::move(alarm)});
}

}  // namespace services::autoscaling
