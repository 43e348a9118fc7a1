// SPDX-License-Identifier: Apache-2.0
// Scaling policies of groups and services as text.
#pragma once

#include <string>

#include "base/time.h"
#include "shapes/application_autoscaling/policy.h"
#include "shapes/autoscaling/policy.h"
#include "shapes/cloudwatch/alarm.h"

namespace cli {

// "keeps DCGM_FI_DEV_GPU_UTIL at 75", "ChangeInCapacity in 2 steps", "ExactCapacity 1"
std::string policy_rule(const shapes::autoscaling::ScalingPolicy& policy);
std::string policy_rule(const shapes::application_autoscaling::ScalingPolicy& policy);

// "> 0 for 1 period of 10 s"
std::string alarm_condition(const shapes::cloudwatch::MetricAlarm& alarm);

// "2026-11-18T09:00:00Z (in 5 min)"
std::string time_until(base::Time time, base::Time now);

}  // namespace cli
