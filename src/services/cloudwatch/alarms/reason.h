// SPDX-License-Identifier: Apache-2.0
// StateReason and StateReasonData, worded as by Amazon.
#pragma once

#include <string>

#include "services/cloudwatch/alarms/evaluation.h"

namespace services::cloudwatch {

// "Threshold Crossed: 1 datapoint [21.5 (02/10/19 17:03:00)] was greater than the threshold (21.0)."
std::string state_reason(const AlarmRules& rules, const AlarmDecision& decision);
// A JSON object.
std::string state_reason_data(const AlarmRules& rules, const AlarmDecision& decision, base::Time now);

}  // namespace services::cloudwatch
