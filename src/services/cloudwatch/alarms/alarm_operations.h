// SPDX-License-Identifier: Apache-2.0
// The operations on alarms; each source exports its own.
#pragma once

#include <string>
#include <vector>

#include "services/cloudwatch/alarms/alarm_row.h"
#include "services/module.h"

namespace services::cloudwatch {

std::vector<Operation> put_alarm_operations();
std::vector<Operation> describe_alarm_operations();
std::vector<Operation> alarm_state_operations();
std::vector<Operation> alarm_history_operations();
std::vector<Operation> tag_operations();
std::vector<Operation> dashboard_operations();

// Deletes history that is older than Amazon keeps it.
Loop alarm_history_loop();

// The account and region of an alarm, as AlarmSchedule counts them.
std::string alarm_owner(const Alarm& alarm);

}  // namespace services::cloudwatch
