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

// Of these alarms, the ones that are in ALARM. An alarm that does not exist is not.
std::vector<std::string> alarms_in_alarm(Call& call, const state::Cluster& cluster, const std::string& service_arn,
                                         const std::vector<std::string>& names);

}  // namespace services::ecs
