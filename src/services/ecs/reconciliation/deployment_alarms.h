// SPDX-License-Identifier: Apache-2.0
// CloudWatch alarms that a deployment watches.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "services/call.h"
#include "state/cluster.h"

namespace services::ecs {

// Statuses of a deployment's monitors, in Amazon's words.
inline constexpr std::string_view kMonitoringDisabled = "DISABLED", kMonitoring = "MONITORING",
                                  kMonitoringComplete = "MONITORING_COMPLETE", kTriggered = "TRIGGERED";

// While a deployment watches alarms. Amazon polls as well.
inline constexpr base::Duration kAlarmsEvery = std::chrono::seconds(5);

// Amazon's: the longest bake time of a deployment.
inline constexpr base::Duration kLongestBake = std::chrono::hours(24);

struct AlarmReport {
  std::vector<std::string> in_alarm = {};  // names. An alarm that does not exist is not
  // The time that the slowest of them takes to see a fault: all periods that it evaluates.
  base::Duration slowest = {};
};
AlarmReport read_alarm_states(Call& call, const state::Cluster& cluster, const std::string& service_arn,
                              const std::vector<std::string>& names);

}  // namespace services::ecs
