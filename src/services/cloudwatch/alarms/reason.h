// SPDX-License-Identifier: Apache-2.0
// StateReason and StateReasonData, worded as by Amazon.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "services/cloudwatch/alarms/evaluation.h"

namespace services::cloudwatch {

// "Threshold Crossed: 1 datapoint [21.5 (02/10/19 17:03:00)] was greater than the threshold (21.0)."
std::string state_reason(const AlarmRules& rules, const AlarmDecision& decision);
// A JSON object.
std::string state_reason_data(const AlarmRules& rules, const AlarmDecision& decision, base::Time now);
// What such an object, or one of a client, has as recentDatapoints: the oldest first. None for other text.
std::vector<double> recent_datapoints(const std::optional<std::string>& data);

}  // namespace services::cloudwatch
