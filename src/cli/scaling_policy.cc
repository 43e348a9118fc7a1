// SPDX-License-Identifier: Apache-2.0
#include "cli/scaling_policy.h"

#include "base/duration.h"
#include "cli/scaling_events.h"
#include "wire/timestamp.h"

namespace cli {
namespace {

// Both services have these members with the same names.
template <class Tracking>
std::string tracking_rule(const Tracking& tracking) {
  std::string metric = "a metric expression";
  if (tracking.PredefinedMetricSpecification) metric = tracking.PredefinedMetricSpecification->PredefinedMetricType;
  if (tracking.CustomizedMetricSpecification && tracking.CustomizedMetricSpecification->MetricName) {
    metric = *tracking.CustomizedMetricSpecification->MetricName;
  }
  return "keeps " + metric + " at " + number_text(tracking.TargetValue) +
         (tracking.DisableScaleIn.value_or(false) ? ", never scales in" : "");
}

template <class Steps>
std::string step_rule(const std::optional<std::string>& type, const Steps& steps) {
  const std::size_t count = steps ? steps->size() : 0;
  return type.value_or("") + " in " + std::to_string(count) + (count == 1 ? " step" : " steps");
}

std::string comparison_sign(const std::string& comparison) {
  if (comparison == "GreaterThanThreshold") return ">";
  if (comparison == "GreaterThanOrEqualToThreshold") return ">=";
  if (comparison == "LessThanThreshold") return "<";
  if (comparison == "LessThanOrEqualToThreshold") return "<=";
  return comparison;
}

}  // namespace

std::string policy_rule(const shapes::autoscaling::ScalingPolicy& policy) {
  if (policy.TargetTrackingConfiguration) return tracking_rule(*policy.TargetTrackingConfiguration);
  if (policy.PolicyType == "StepScaling") return step_rule(policy.AdjustmentType, policy.StepAdjustments);
  return policy.AdjustmentType.value_or("") + " " + std::to_string(policy.ScalingAdjustment.value_or(0));
}

std::string policy_rule(const shapes::application_autoscaling::ScalingPolicy& policy) {
  if (policy.TargetTrackingScalingPolicyConfiguration) {
    return tracking_rule(*policy.TargetTrackingScalingPolicyConfiguration);
  }
  if (!policy.StepScalingPolicyConfiguration) return "-";
  const auto& steps = *policy.StepScalingPolicyConfiguration;
  return step_rule(steps.AdjustmentType, steps.StepAdjustments);
}

std::string alarm_condition(const shapes::cloudwatch::MetricAlarm& alarm) {
  const int periods = alarm.EvaluationPeriods.value_or(1);
  const int needed = alarm.DatapointsToAlarm.value_or(periods);
  std::string text = comparison_sign(alarm.ComparisonOperator.value_or("")) + " ";
  text += number_text(alarm.Threshold.value_or(0)) + " for " + std::to_string(needed);
  if (needed != periods) text += " of " + std::to_string(periods);
  text += periods == 1 ? " period" : " periods";
  return alarm.Period ? text + " of " + std::to_string(*alarm.Period) + " s" : text;
}

std::string time_until(base::Time time, base::Time now) {
  return wire::to_iso8601(std::chrono::floor<std::chrono::seconds>(time)) +
         (time > now ? " (in " + base::duration_text(time - now) + ")" : "");
}

}  // namespace cli
