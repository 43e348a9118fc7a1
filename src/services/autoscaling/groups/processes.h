// SPDX-License-Identifier: Apache-2.0
// What a client can suspend of a group, in Amazon's order.
#pragma once

#include <string_view>

namespace services::autoscaling {

inline constexpr std::string_view kProcesses[] = {"AZRebalance",      "AddToLoadBalancer", "AlarmNotification",
                                                  "HealthCheck",      "InstanceRefresh",   "Launch",
                                                  "ReplaceUnhealthy", "ScheduledActions",  "Terminate"};

}  // namespace services::autoscaling
