// SPDX-License-Identifier: Apache-2.0
// The CloudWatch alarms of policies: target tracking policies have a pair of their own; step and simple policies are
// actions of alarms that others made.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "services/autoscaling/policies/policy_row.h"
#include "services/call.h"
#include "shapes/cloudwatch/alarm.h"

namespace services::autoscaling {

// The metric of a target tracking policy; that of a predefined type in the form of a customized one.
shapes::autoscaling::CustomizedMetricSpecification tracked_metric(const PolicyRow& policy);

// The service's own principal, which acts for the policy's account.
Caller policy_principal(const Call& call, const PolicyRow& policy);

// What a target tracking policy sends to PutMetricAlarm: AlarmHigh and, unless it never scales in, AlarmLow.
std::vector<shapes::cloudwatch::PutMetricAlarmInput> tracking_alarm_inputs(const PolicyRow& policy,
                                                                          std::int32_t default_period_s);

// Creates new alarms, deletes those that the policy had, and sets their names in the row.
void replace_tracking_alarms(Call& call, PolicyRow& policy);
void delete_tracking_alarms(Call& call, PolicyRow& policy);

// Removes a step or simple policy from the actions of alarms; the alarms stay.
void remove_alarm_actions(Call& call, const PolicyRow& policy);

// Alarms with a policy of the caller as an action, by the ARN of the policy.
using PolicyAlarms = std::map<std::string, std::vector<shapes::autoscaling::Alarm>>;
PolicyAlarms find_policy_alarms(Call& call);

// "ALARM"; "" for an alarm that does not exist.
std::string alarm_state(Call& call, const PolicyRow& policy, const std::string& alarm);

}  // namespace services::autoscaling
