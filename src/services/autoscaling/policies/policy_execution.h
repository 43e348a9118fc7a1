// SPDX-License-Identifier: Apache-2.0
// What a scaling policy does to its group when an alarm or a user triggers it.
#pragma once

#include <span>
#include <string>

#include "autoscaler/step.h"
#include "services/autoscaling/policies/policy_row.h"
#include "services/call.h"
#include "shapes/stoker/alarm_action.h"

namespace services::autoscaling {

// ExecutePolicy.
void execute_by_request(Call& call, const PolicyRow& policy, const shapes::autoscaling::ExecutePolicyType& request);

// ExecuteAlarmAction, which CloudWatch invokes. The text of a wire::ApiError becomes part of the alarm's history.
void execute_alarm_action(Call& call, const shapes::stoker::ExecuteAlarmAction& action);

// The group as its policies count it; `warmup` is the policy's.
autoscaler::GroupCapacity count_capacity(Call& call, const Group& group, base::Duration warmup);

// The element of InvokingAlarms in the details of the activities that follow, as a JSON array.
std::string invoking_alarms(const shapes::stoker::ExecuteAlarmAction& action);

// As Java prints a list of doubles: "[0.14, 85.0]".
std::string java_text(double value);
std::string java_text(std::span<const double> values);

}  // namespace services::autoscaling
