// SPDX-License-Identifier: Apache-2.0
// What alarms and dashboards add to CloudWatch's module.
#pragma once

#include <string>
#include <vector>

#include "services/module.h"

namespace services::cloudwatch {

std::vector<std::string> alarm_steps();        // of the migrations
std::vector<Operation> alarm_operations();     // of alarms, their history, tags and dashboards
std::vector<Operation> internal_alarm_operations();
std::vector<Loop> alarm_loops();
void add_alarm_memory(Locals& locals);
void recover_alarms(Call& call);

}  // namespace services::cloudwatch
