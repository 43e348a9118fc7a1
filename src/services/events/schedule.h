// SPDX-License-Identifier: Apache-2.0
// Schedules of rules: rate(5 minutes) and cron(0 9 * * ? *), in UTC.
#pragma once

#include <optional>
#include <string_view>

#include "autoscaler/schedule.h"
#include "services/events/rule.h"
#include "services/module.h"

namespace services::events {

// Woken when a rule with a schedule changes.
inline constexpr char kSchedulesTopic[] = "events/schedules";

// nullopt for an expression that rules do not accept: a rate's unit must agree with its number, and a cron expression
// has six fields.
std::optional<autoscaler::Schedule> parse_rule_schedule(std::string_view text);

// Sets when a rule is due for the first time from now on: not at all without a schedule, or while it is disabled.
void start_schedule(Call& call, StoredRule& rule);

// Sends the events of rules that are due to their targets. What was missed while the server was down is sent once, late.
Loop schedule_loop();

}  // namespace services::events
