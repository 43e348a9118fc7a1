// SPDX-License-Identifier: Apache-2.0
// The metric that a target tracking policy follows, as CloudWatch's alarms read it.
#pragma once

#include <optional>
#include <string>

#include "autoscaler/target_tracking.h"
#include "services/application_autoscaling/scalable_target.h"
#include "shapes/application_autoscaling/policy.h"
#include "shapes/cloudwatch/alarm.h"

namespace services::application_autoscaling {

// Our own metric types: see docs/compatibility.md.
inline constexpr char kBacklogPerTask[] = "SQSBacklogPerTask";
// The number of running tasks of a service, published for policies of that type.
inline constexpr char kTaskSpace[] = "AWS/ApplicationAutoScaling";
inline constexpr char kTaskMetric[] = "RunningTaskCount";

// Both throw ValidationException.
void check_predefined_metric(const StoredTarget& target,
                             const shapes::application_autoscaling::PredefinedMetricSpecification& metric);
void check_customized_metric(const shapes::application_autoscaling::CustomizedMetricSpecification& metric);

bool tracks_backlog(const shapes::application_autoscaling::TargetTrackingScalingPolicyConfiguration& configuration);

// Sets what the alarm reads: a metric with its statistic and unit, or metric math.
void set_metric(const StoredTarget& target,
                const shapes::application_autoscaling::TargetTrackingScalingPolicyConfiguration& configuration,
                std::int32_t period_s, shapes::cloudwatch::PutMetricAlarmInput& alarm);

}  // namespace services::application_autoscaling
