// SPDX-License-Identifier: Apache-2.0
#include "services/autoscaling/policies/tracking_alarms.h"

#include <algorithm>
#include <set>

#include "autoscaler/target_tracking.h"
#include "base/random.h"
#include "services/autoscaling/policies/policy_validation.h"
#include "services/invoke.h"
#include "services/tracking_period.h"
#include "services/shape_json.h"

namespace services::autoscaling {
namespace {

using autoscaler::TrackingAlarm;
using autoscaler::TrackingAlarmTerms;
using shapes::autoscaling::CustomizedMetricSpecification;
using shapes::autoscaling::MetricDimension;
using shapes::autoscaling::TargetTrackingMetricDataQuery;
using shapes::cloudwatch::DeleteAlarmsInput;
using shapes::cloudwatch::DescribeAlarmsInput;
using shapes::cloudwatch::DescribeAlarmsOutput;
using shapes::cloudwatch::MetricAlarm;
using shapes::cloudwatch::PutMetricAlarmInput;

constexpr char kScalingService[] = "autoscaling.amazonaws.com";

using AlarmDimensions = std::optional<std::vector<shapes::cloudwatch::Dimension>>;

AlarmDimensions alarm_dimensions(const std::optional<std::vector<MetricDimension>>& dimensions) {
  if (!dimensions || dimensions->empty()) return std::nullopt;
  std::vector<shapes::cloudwatch::Dimension> out;
  for (const MetricDimension& dimension : *dimensions) out.push_back({dimension.Name, dimension.Value});
  return out;
}

shapes::cloudwatch::MetricDataQuery alarm_query(const TargetTrackingMetricDataQuery& query, std::int32_t period) {
  shapes::cloudwatch::MetricDataQuery out{.Id = query.Id};
  out.Expression = query.Expression;
  out.Label = query.Label;
  out.ReturnData = query.ReturnData.value_or(true);
  if (!query.MetricStat) return out;
  out.MetricStat.emplace();
  out.MetricStat->Metric.Namespace = query.MetricStat->Metric.Namespace;
  out.MetricStat->Metric.MetricName = query.MetricStat->Metric.MetricName;
  out.MetricStat->Metric.Dimensions = alarm_dimensions(query.MetricStat->Metric.Dimensions);
  out.MetricStat->Period = period;
  out.MetricStat->Stat = query.MetricStat->Stat;
  out.MetricStat->Unit = query.MetricStat->Unit;
  return out;
}

void set_metric(PutMetricAlarmInput& alarm, const CustomizedMetricSpecification& metric, std::int32_t period) {
  if (metric.Metrics && !metric.Metrics->empty()) {
    alarm.Metrics.emplace();
    for (const auto& query : *metric.Metrics) alarm.Metrics->push_back(alarm_query(query, period));
    return;
  }
  alarm.MetricName = metric.MetricName;
  alarm.Namespace = metric.Namespace;
  alarm.Statistic = metric.Statistic;
  alarm.Dimensions = alarm_dimensions(metric.Dimensions);
  alarm.Unit = metric.Unit;
  alarm.Period = period;
}

PutMetricAlarmInput alarm_input(const PolicyRow& policy, const TrackingAlarm& terms) {
  PutMetricAlarmInput alarm{.AlarmName = terms.name};
  alarm.AlarmDescription = autoscaler::tracking_alarm_description(autoscaler::Tracker::Group, policy.arn());
  alarm.ActionsEnabled = true;
  alarm.AlarmActions = {{policy.arn()}};
  alarm.EvaluationPeriods = terms.evaluation_periods;
  alarm.Threshold = terms.threshold;
  alarm.ComparisonOperator = std::string(terms.comparison);
  alarm.TreatMissingData = "missing";
  set_metric(alarm, tracked_metric(policy), terms.period_s);
  return alarm;
}

void remove_action(std::optional<std::vector<std::string>>& actions, const std::string& arn) {
  if (actions) actions->erase(std::remove(actions->begin(), actions->end(), arn), actions->end());
}

// Metric alarms with an action that begins like this.
std::vector<MetricAlarm> alarms_with_action(Call& call, const Caller& principal, const std::string& prefix) {
  std::vector<MetricAlarm> found;
  DescribeAlarmsInput input;
  input.ActionPrefix = prefix;
  do {
    auto page = invoke<DescribeAlarmsOutput>(call, principal, "cloudwatch", "DescribeAlarms", input);
    if (page.MetricAlarms) found.insert(found.end(), page.MetricAlarms->begin(), page.MetricAlarms->end());
    input.NextToken = page.NextToken;
  } while (input.NextToken);
  return found;
}

}  // namespace

CustomizedMetricSpecification tracked_metric(const PolicyRow& policy) {
  const auto& tracking = *policy.terms.TargetTrackingConfiguration;
  if (tracking.CustomizedMetricSpecification) return *tracking.CustomizedMetricSpecification;
  const bool gpus = tracking.PredefinedMetricSpecification->PredefinedMetricType == kGpuUtilization;
  CustomizedMetricSpecification metric;
  metric.Namespace = gpus ? "ECS/ContainerInsights/Prometheus" : "AWS/EC2";
  metric.MetricName = gpus ? "DCGM_FI_DEV_GPU_UTIL" : "CPUUtilization";
  metric.Dimensions = {{{.Name = "AutoScalingGroupName", .Value = policy.group_name}}};
  metric.Statistic = "Average";
  metric.Unit = "Percent";
  return metric;
}

Caller policy_principal(const Call& call, const PolicyRow& policy) {
  Caller principal = as_service(call, kScalingService, policy.arn(), policy.account);
  principal.region = policy.region;
  return principal;
}

std::vector<PutMetricAlarmInput> tracking_alarm_inputs(const PolicyRow& policy, std::int32_t default_period_s) {
  const auto& tracking = *policy.terms.TargetTrackingConfiguration;
  const CustomizedMetricSpecification metric = tracked_metric(policy);
  const TrackingAlarmTerms terms{
      .tracker = autoscaler::Tracker::Group,
      .subject = policy.group_name,
      .target = tracking.TargetValue,
      .period_s = metric_period(metric).value_or(default_period_s),
      .capacity_provider_reservation =
          autoscaler::is_capacity_provider_reservation(metric.Namespace.value_or(""), metric.MetricName.value_or("")),
  };
  std::vector<PutMetricAlarmInput> alarms = {alarm_input(policy, alarm_high(terms, base::random_uuid()))};
  if (!tracking.DisableScaleIn.value_or(false)) {
    alarms.push_back(alarm_input(policy, alarm_low(terms, base::random_uuid())));
  }
  return alarms;
}

void replace_tracking_alarms(Call& call, PolicyRow& policy) {
  delete_tracking_alarms(call, policy);
  const auto alarms = tracking_alarm_inputs(policy, call.local<TrackingPeriod>().seconds);
  const Caller principal = policy_principal(call, policy);
  for (const PutMetricAlarmInput& alarm : alarms) invoke(call, principal, "cloudwatch", "PutMetricAlarm", alarm);
  policy.alarm_high = alarms[0].AlarmName;
  if (alarms.size() > 1) policy.alarm_low = alarms[1].AlarmName;
}

// Somebody may have deleted them already, and CloudWatch rejects a deletion of alarms none of which exists.
void delete_tracking_alarms(Call& call, PolicyRow& policy) {
  DeleteAlarmsInput input;
  if (!policy.alarm_high.empty()) input.AlarmNames.push_back(policy.alarm_high);
  if (!policy.alarm_low.empty()) input.AlarmNames.push_back(policy.alarm_low);
  policy.alarm_high.clear();
  policy.alarm_low.clear();
  if (input.AlarmNames.empty()) return;
  const Caller principal = policy_principal(call, policy);
  DescribeAlarmsInput known;
  known.AlarmNames = input.AlarmNames;
  const auto found = invoke<DescribeAlarmsOutput>(call, principal, "cloudwatch", "DescribeAlarms", known);
  DeleteAlarmsInput present;
  for (const MetricAlarm& alarm : found.MetricAlarms.value_or(std::vector<MetricAlarm>())) {
    present.AlarmNames.push_back(alarm.AlarmName.value_or(""));
  }
  if (!present.AlarmNames.empty()) invoke(call, principal, "cloudwatch", "DeleteAlarms", present);
}

void remove_alarm_actions(Call& call, const PolicyRow& policy) {
  const Caller principal = policy_principal(call, policy);
  for (const MetricAlarm& alarm : alarms_with_action(call, principal, policy.arn())) {
    // Their members have the same names.
    auto input = from_json<PutMetricAlarmInput>(to_json(alarm));
    remove_action(input.OKActions, policy.arn());
    remove_action(input.AlarmActions, policy.arn());
    remove_action(input.InsufficientDataActions, policy.arn());
    invoke(call, principal, "cloudwatch", "PutMetricAlarm", input);
  }
}

PolicyAlarms find_policy_alarms(Call& call) {
  const std::string prefix =
      "arn:aws:autoscaling:" + call.caller.region + ":" + call.caller.account + ":scalingPolicy:";
  Caller principal = as_service(call, kScalingService, "", call.caller.account);
  PolicyAlarms found;
  for (const MetricAlarm& alarm : alarms_with_action(call, principal, prefix)) {
    std::set<std::string> actions;
    for (const auto* list : {&alarm.AlarmActions, &alarm.OKActions, &alarm.InsufficientDataActions}) {
      if (*list) actions.insert((*list)->begin(), (*list)->end());
    }
    for (const std::string& action : actions) found[action].push_back({alarm.AlarmName, alarm.AlarmArn});
  }
  return found;
}

std::string alarm_state(Call& call, const PolicyRow& policy, const std::string& alarm) {
  DescribeAlarmsInput input;
  input.AlarmNames = {{alarm}};
  const auto found =
      invoke<DescribeAlarmsOutput>(call, policy_principal(call, policy), "cloudwatch", "DescribeAlarms", input);
  if (!found.MetricAlarms || found.MetricAlarms->empty()) return "";
  return found.MetricAlarms->front().StateValue.value_or("");
}

}  // namespace services::autoscaling
