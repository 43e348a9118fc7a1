// SPDX-License-Identifier: Apache-2.0
#include "services/autoscaling/policies/policy_validation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "autoscaler/step.h"
#include "services/autoscaling/policies/policy_errors.h"
#include "services/autoscaling/policies/policy_row.h"
#include "shapes/cloudwatch/alarm.h"

namespace services::autoscaling {
namespace {

using shapes::autoscaling::CustomizedMetricSpecification;
using shapes::autoscaling::MetricDimension;
using shapes::autoscaling::PutScalingPolicyType;
using shapes::autoscaling::StepAdjustment;
using shapes::autoscaling::TargetTrackingConfiguration;
using shapes::autoscaling::TargetTrackingMetricDataQuery;

constexpr double kMinTarget = 8.51592E-12, kMaxTarget = 1.174271E17;
constexpr std::size_t kMaxDimensions = 30;  // CloudWatch's
constexpr std::size_t kMaxMetricName = 255;

template <class T>
bool is_given(const std::optional<std::vector<T>>& list) {
  return list && !list->empty();
}

void reject_field(bool given, const std::string& field, const std::string& type) {
  if (given) throw invalid_request(field + " is not supported for a " + type + " policy");
}

bool is_percent(const PutScalingPolicyType& request) {
  return *request.AdjustmentType == "PercentChangeInCapacity";
}

void check_adjustment(const PutScalingPolicyType& request, const std::string& type) {
  if (!request.AdjustmentType) throw invalid_request("You must specify an AdjustmentType for policy type: " + type);
  if (!autoscaler::parse_adjustment_type(*request.AdjustmentType)) {
    throw invalid_request("AdjustmentType must be one of: ChangeInCapacity, ExactCapacity, PercentChangeInCapacity");
  }
  if (request.MinAdjustmentMagnitude && request.MinAdjustmentStep) {
    throw invalid_request("Specify MinAdjustmentMagnitude or MinAdjustmentStep, not both");
  }
  const auto magnitude = request.MinAdjustmentMagnitude ? request.MinAdjustmentMagnitude : request.MinAdjustmentStep;
  if (magnitude && !is_percent(request)) {
    throw invalid_request("MinAdjustmentMagnitude is not supported by the specified adjustment type");
  }
  if (magnitude && *magnitude <= 0) {
    throw invalid_request("If specified, MinAdjustmentMagnitude must be greater than zero");
  }
}

void check_not_negative(const std::optional<std::int32_t>& seconds, const std::string& field) {
  if (seconds && *seconds < 0) throw invalid_request(field + " must be non-negative");
}

PutScalingPolicyType checked_simple(PutScalingPolicyType request) {
  check_adjustment(request, kSimpleScaling);
  reject_field(request.MetricAggregationType.has_value(), "MetricAggregationType", kSimpleScaling);
  reject_field(is_given(request.StepAdjustments), "StepAdjustments", kSimpleScaling);
  reject_field(request.EstimatedInstanceWarmup.has_value(), "EstimatedInstanceWarmup", kSimpleScaling);
  reject_field(request.TargetTrackingConfiguration.has_value(), "TargetTrackingConfiguration", kSimpleScaling);
  if (!request.ScalingAdjustment) {
    throw invalid_request("You must specify a ScalingAdjustment for policy type: SimpleScaling");
  }
  if (*request.AdjustmentType == "ExactCapacity" && *request.ScalingAdjustment < 0) {
    throw invalid_request("The lower range for adjustment is 0 with the specified adjustment type");
  }
  check_not_negative(request.Cooldown, "Cooldown");
  request.StepAdjustments.reset();
  return request;
}

double lower_of(const StepAdjustment& step) {
  return step.MetricIntervalLowerBound.value_or(-std::numeric_limits<double>::infinity());
}

double upper_of(const StepAdjustment& step) {
  return step.MetricIntervalUpperBound.value_or(std::numeric_limits<double>::infinity());
}

void check_step(const StepAdjustment& step, bool exact) {
  if (!step.MetricIntervalLowerBound && !step.MetricIntervalUpperBound) {
    throw invalid_request("Both lower and upper bounds of a StepAdjustment cannot be left unspecified");
  }
  if (!(lower_of(step) < upper_of(step))) {
    throw invalid_request("LowerBound must be less than the UpperBound for StepAdjustment");
  }
  if (exact && step.ScalingAdjustment < 0) {
    throw invalid_request("The lowest value for ScalingAdjustment parameter is 0 with the specified adjustment type");
  }
}

void check_open_ends(const std::vector<StepAdjustment>& steps) {
  const auto count = [&](auto test) { return std::count_if(steps.begin(), steps.end(), test); };
  const auto open_below = count([](const StepAdjustment& step) { return !step.MetricIntervalLowerBound; });
  const auto open_above = count([](const StepAdjustment& step) { return !step.MetricIntervalUpperBound; });
  if (open_below > 1) throw invalid_request("At most one StepAdjustment may have an unspecified lower bound");
  if (open_above > 1) throw invalid_request("At most one StepAdjustment may have an unspecified upper bound");
  const auto negative = count([](const StepAdjustment& step) { return step.MetricIntervalLowerBound.value_or(0) < 0; });
  const auto positive = count([](const StepAdjustment& step) { return step.MetricIntervalUpperBound.value_or(0) > 0; });
  if (negative > 0 && open_below == 0) {
    throw invalid_request("There must be a StepAdjustment with an unspecified lower bound when one StepAdjustment has "
                           "a negative lower bound");
  }
  if (positive > 0 && open_above == 0) {
    throw invalid_request("There must be a StepAdjustment with an unspecified upper bound when one StepAdjustment has "
                           "a positive upper bound");
  }
}

void check_steps(std::vector<StepAdjustment> steps, bool exact) {
  if (steps.size() > kMaxSteps) throw invalid_request("A policy can have at most 20 StepAdjustments");
  for (const StepAdjustment& step : steps) check_step(step, exact);
  std::sort(steps.begin(), steps.end(),
            [](const StepAdjustment& a, const StepAdjustment& b) { return lower_of(a) < lower_of(b); });
  for (std::size_t i = 1; i < steps.size(); ++i) {
    if (lower_of(steps[i]) < upper_of(steps[i - 1])) throw invalid_request("StepAdjustment intervals cannot overlap");
    if (lower_of(steps[i]) > upper_of(steps[i - 1])) {
      throw invalid_request("StepAdjustment intervals cannot have gaps between them");
    }
  }
  check_open_ends(steps);
}

PutScalingPolicyType checked_steps(PutScalingPolicyType request) {
  check_adjustment(request, kStepScaling);
  reject_field(request.ScalingAdjustment.has_value(), "ScalingAdjustment", kStepScaling);
  reject_field(request.Cooldown.has_value(), "Cooldown", kStepScaling);
  reject_field(request.MinAdjustmentStep.has_value(), "MinAdjustmentStep", kStepScaling);
  reject_field(request.TargetTrackingConfiguration.has_value(), "TargetTrackingConfiguration", kStepScaling);
  if (!is_given(request.StepAdjustments)) {
    throw invalid_request("You must specify at least one StepAdjustment for policy type: StepScaling");
  }
  check_steps(*request.StepAdjustments, *request.AdjustmentType == "ExactCapacity");
  if (!request.MetricAggregationType) request.MetricAggregationType = "Average";
  if (!autoscaler::parse_aggregation(*request.MetricAggregationType)) {
    throw invalid_request("MetricAggregationType must be one of: Minimum, Maximum, Average");
  }
  check_not_negative(request.EstimatedInstanceWarmup, "EstimatedInstanceWarmup");
  return request;
}

void check_predefined(const TargetTrackingConfiguration& tracking) {
  const auto& metric = *tracking.PredefinedMetricSpecification;
  const std::string& type = metric.PredefinedMetricType;
  const bool needs_label = type == "ALBRequestCountPerTarget";
  if (needs_label && !metric.ResourceLabel) {
    throw invalid_request("Resource label should be specified for predefined metric type ALBRequestCountPerTarget");
  }
  if (!needs_label && metric.ResourceLabel) {
    throw invalid_request("Resource label should not be specified for predefined metric type " + type);
  }
  if (type == kCpuUtilization || type == kGpuUtilization) return;
  throw invalid_request("Stoker does not publish the metric of the predefined metric type " + type +
                         ": use a CustomizedMetricSpecification");
}

void check_metric_name(const std::optional<std::string>& text, const std::string& field) {
  if (!text || text->empty()) throw invalid_request(field + " must be specified for a customized metric");
  if (text->size() > kMaxMetricName) throw invalid_request(field + " must have at most 255 characters");
}

void check_unit(const std::optional<std::string>& unit) {
  const auto& units = shapes::cloudwatch::kStandardUnitValues;
  if (unit && std::find(std::begin(units), std::end(units), *unit) == std::end(units)) {
    throw invalid_request("Invalid metric unit: " + *unit);
  }
}

void check_dimensions(const std::optional<std::vector<MetricDimension>>& dimensions) {
  if (!dimensions) return;
  if (dimensions->size() > kMaxDimensions) throw invalid_request("A metric can have at most 30 dimensions");
  for (const MetricDimension& dimension : *dimensions) {
    check_metric_name(dimension.Name, "The name of a dimension");
    if (dimension.Value.empty()) throw invalid_request("The value of a dimension must not be empty");
  }
}

void check_period(std::int32_t period) {
  if (period > 60) throw invalid_request("A metric period greater than 60 isn't supported");
  if (period != 10 && period != 20 && period != 30 && period != 60) {
    throw invalid_request("The metric period must be 10, 20, 30 or 60");
  }
}

void check_metric_query(const TargetTrackingMetricDataQuery& query) {
  if (query.Expression.has_value() == query.MetricStat.has_value()) {
    throw invalid_request("Each element of the metrics list should have either an Expression or a MetricStat");
  }
  if (!query.MetricStat) return;
  check_metric_name(query.MetricStat->Metric.MetricName, "MetricName");
  check_metric_name(query.MetricStat->Metric.Namespace, "Namespace");
  check_dimensions(query.MetricStat->Metric.Dimensions);
  check_unit(query.MetricStat->Unit);
}

std::set<std::int32_t> metric_periods(const CustomizedMetricSpecification& metric) {
  std::set<std::int32_t> periods;
  if (metric.Period) periods.insert(*metric.Period);
  for (const auto& query : metric.Metrics.value_or(std::vector<TargetTrackingMetricDataQuery>())) {
    if (query.Period) periods.insert(*query.Period);
    if (query.MetricStat && query.MetricStat->Period) periods.insert(*query.MetricStat->Period);
  }
  return periods;
}

void check_metric_math(const CustomizedMetricSpecification& metric) {
  if (metric.MetricName || metric.Namespace || metric.Statistic || metric.Unit || metric.Period ||
      is_given(metric.Dimensions)) {
    throw invalid_request("Metrics cannot be specified together with the fields of a single metric");
  }
  std::size_t returned = 0;
  for (const auto& query : *metric.Metrics) {
    check_metric_query(query);
    if (query.ReturnData.value_or(true)) ++returned;
  }
  if (returned != 1) throw invalid_request("Exactly one element of the metrics list should return data");
}

void check_customized(const CustomizedMetricSpecification& metric) {
  if (is_given(metric.Metrics)) {
    check_metric_math(metric);
  } else {
    check_metric_name(metric.MetricName, "MetricName");
    check_metric_name(metric.Namespace, "Namespace");
    if (!metric.Statistic) throw invalid_request("Statistic must be specified for a customized metric");
    check_dimensions(metric.Dimensions);
    check_unit(metric.Unit);
  }
  const auto periods = metric_periods(metric);
  for (const std::int32_t period : periods) check_period(period);
  if (periods.size() > 1) throw invalid_request("All metrics of a policy must have the same period");
}

std::string fields_of_steps(const PutScalingPolicyType& request) {
  std::string fields;
  const auto add = [&](bool given, const char* name) {
    if (given) fields += (fields.empty() ? "" : ", ") + std::string(name);
  };
  add(request.AdjustmentType.has_value(), "AdjustmentType");
  add(request.ScalingAdjustment.has_value(), "ScalingAdjustment");
  add(request.MinAdjustmentMagnitude.has_value(), "MinAdjustmentMagnitude");
  add(request.MinAdjustmentStep.has_value(), "MinAdjustmentStep");
  add(request.Cooldown.has_value(), "Cooldown");
  add(request.MetricAggregationType.has_value(), "MetricAggregationType");
  add(is_given(request.StepAdjustments), "StepAdjustments");
  return fields;
}

PutScalingPolicyType checked_tracking(PutScalingPolicyType request) {
  const std::string fields = fields_of_steps(request);
  if (!fields.empty()) throw invalid_request(fields + " are not supported for a TargetTracking policy");
  if (!request.TargetTrackingConfiguration) throw invalid_request("You should provide a TargetTrackingConfiguration");
  TargetTrackingConfiguration& tracking = *request.TargetTrackingConfiguration;
  if (tracking.CustomizedMetricSpecification.has_value() == tracking.PredefinedMetricSpecification.has_value()) {
    throw invalid_request("You should provide either a CustomizedMetricSpecification or a "
                           "PredefinedMetricSpecification");
  }
  if (!(tracking.TargetValue >= kMinTarget && tracking.TargetValue <= kMaxTarget)) {
    throw invalid_request("Target value must be between 8.51592E-12 and 1.174271E17");
  }
  if (tracking.PredefinedMetricSpecification) {
    check_predefined(tracking);
  } else {
    check_customized(*tracking.CustomizedMetricSpecification);
  }
  check_not_negative(request.EstimatedInstanceWarmup, "EstimatedInstanceWarmup");
  if (!tracking.DisableScaleIn) tracking.DisableScaleIn = false;
  request.StepAdjustments.reset();
  return request;
}

// A zero counts as absent in members that the type of a policy does not have: Terraform's provider relies on it when it
// updates a policy.
void drop_zeros(PutScalingPolicyType& request) {
  const auto drop = [](std::optional<std::int32_t>& member) {
    if (member == 0) member.reset();
  };
  if (*request.PolicyType == kSimpleScaling) return drop(request.EstimatedInstanceWarmup);
  drop(request.Cooldown);
  drop(request.ScalingAdjustment);
}

}  // namespace

std::optional<std::int32_t> metric_period(const CustomizedMetricSpecification& metric) {
  const auto periods = metric_periods(metric);
  return periods.empty() ? std::nullopt : std::optional(*periods.begin());
}

PutScalingPolicyType checked_policy(PutScalingPolicyType request) {
  if (!request.PolicyType || request.PolicyType->empty()) request.PolicyType = kSimpleScaling;
  if (*request.PolicyType == "PredictiveScaling" || request.PredictiveScalingConfiguration) {
    throw invalid_request("Stoker does not support PredictiveScaling policies");
  }
  if (!request.Enabled) request.Enabled = true;
  drop_zeros(request);
  if (*request.PolicyType == kSimpleScaling) return checked_simple(std::move(request));
  if (*request.PolicyType == kStepScaling) return checked_steps(std::move(request));
  if (*request.PolicyType == kTargetTracking) return checked_tracking(std::move(request));
  throw invalid_request("Invalid policy type: " + *request.PolicyType + ". Valid policy types are: SimpleScaling, "
                         "StepScaling, TargetTrackingScaling, PredictiveScaling");
}

}  // namespace services::autoscaling
