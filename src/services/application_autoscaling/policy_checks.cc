// SPDX-License-Identifier: Apache-2.0
// What a policy may look like.
#include <algorithm>
#include <limits>

#include "autoscaler/step.h"
#include "services/application_autoscaling/errors.h"
#include "services/application_autoscaling/policy.h"
#include "services/application_autoscaling/tracked_metric.h"

namespace services::application_autoscaling {
namespace {

using namespace shapes::application_autoscaling;

// Amazon's.
constexpr std::size_t kMaxSteps = 20;
constexpr double kLeastTarget = 8.515920e-109;
constexpr double kMostTarget = 1.174271e108;
constexpr double kNoBound = std::numeric_limits<double>::infinity();

double lower_of(const StepAdjustment& step) { return step.MetricIntervalLowerBound.value_or(-kNoBound); }
double upper_of(const StepAdjustment& step) { return step.MetricIntervalUpperBound.value_or(kNoBound); }

void check_intervals(std::vector<StepAdjustment> steps) {
  for (const StepAdjustment& step : steps) {
    if (!step.MetricIntervalLowerBound && !step.MetricIntervalUpperBound) {
      throw validation_error("Both lower and upper bounds of a step adjustment cannot be left unspecified");
    }
    if (lower_of(step) >= upper_of(step)) {
      throw validation_error("The lower bound of a step adjustment must be less than its upper bound");
    }
  }
  std::sort(steps.begin(), steps.end(),
            [](const StepAdjustment& a, const StepAdjustment& b) { return lower_of(a) < lower_of(b); });
  for (std::size_t i = 1; i < steps.size(); ++i) {
    if (lower_of(steps[i]) < upper_of(steps[i - 1])) {
      throw validation_error("Step adjustment intervals cannot overlap");
    }
    if (lower_of(steps[i]) > upper_of(steps[i - 1])) {
      throw validation_error("Step adjustment intervals cannot have gaps between them");
    }
  }
  const bool positive = std::any_of(steps.begin(), steps.end(),
                                    [](const StepAdjustment& step) { return step.MetricIntervalUpperBound > 0; });
  if (positive && steps.back().MetricIntervalUpperBound) {
    throw validation_error(
        "There must be a step adjustment with an unspecified upper bound when one step adjustment has a positive upper "
        "bound");
  }
  const bool negative = std::any_of(steps.begin(), steps.end(), [](const StepAdjustment& step) {
    return step.MetricIntervalLowerBound && *step.MetricIntervalLowerBound < 0;
  });
  if (negative && steps.front().MetricIntervalLowerBound) {
    throw validation_error(
        "There must be a step adjustment with an unspecified lower bound when one step adjustment has a negative lower "
        "bound");
  }
}

void check_cooldown(const char* name, const std::optional<std::int32_t>& seconds) {
  if (seconds && *seconds < 0) throw validation_error(std::string(name) + " must be non-negative");
}

}  // namespace

void check_step_scaling(const StepScalingPolicyConfiguration& configuration) {
  if (!configuration.AdjustmentType) throw validation_error("Adjustment type must be specified");
  if (!configuration.StepAdjustments || configuration.StepAdjustments->empty()) {
    throw validation_error("At least one step adjustment must be specified");
  }
  if (configuration.StepAdjustments->size() > kMaxSteps) throw limit_exceeded("20 step adjustments");
  check_intervals(*configuration.StepAdjustments);
  const auto type = autoscaler::parse_adjustment_type(*configuration.AdjustmentType);
  for (const StepAdjustment& step : *configuration.StepAdjustments) {
    if (type == autoscaler::AdjustmentType::ExactCapacity && step.ScalingAdjustment < 0) {
      throw validation_error("The lowest value for ScalingAdjustment is 0 with the adjustment type ExactCapacity");
    }
  }
  if (configuration.MinAdjustmentMagnitude) {
    if (type != autoscaler::AdjustmentType::PercentChangeInCapacity) {
      throw validation_error("MinAdjustmentMagnitude is not supported by the specified adjustment type");
    }
    if (*configuration.MinAdjustmentMagnitude < 1) {
      throw validation_error("MinAdjustmentMagnitude must be greater than zero");
    }
  }
  check_cooldown("Cooldown", configuration.Cooldown);
}

void check_target_tracking(const StoredTarget& target, const TargetTrackingScalingPolicyConfiguration& configuration) {
  if (!(configuration.TargetValue >= kLeastTarget && configuration.TargetValue <= kMostTarget)) {
    throw validation_error("TargetValue must be between 8.515920e-109 and 1.174271e+108 (Base 10)");
  }
  check_cooldown("ScaleOutCooldown", configuration.ScaleOutCooldown);
  check_cooldown("ScaleInCooldown", configuration.ScaleInCooldown);
  const bool predefined = configuration.PredefinedMetricSpecification.has_value();
  if (predefined == configuration.CustomizedMetricSpecification.has_value()) {
    throw validation_error(
        "Exactly one of PredefinedMetricSpecification and CustomizedMetricSpecification must be specified");
  }
  if (predefined) {
    check_predefined_metric(target, *configuration.PredefinedMetricSpecification);
  } else {
    check_customized_metric(*configuration.CustomizedMetricSpecification);
  }
}

}  // namespace services::application_autoscaling
