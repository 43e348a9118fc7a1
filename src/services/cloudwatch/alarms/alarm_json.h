// SPDX-License-Identifier: Apache-2.0
// Alarms as JSON, in Amazon's order of members: for their history, and for the messages of actions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "services/cloudwatch/alarms/alarm_row.h"

namespace services::cloudwatch {

std::string json_quoted(std::string_view text);
std::string json_list(const std::vector<std::string>& texts);

// The configuration, as in HistoryData of a ConfigurationUpdate; `type` is Create, Update or Delete.
std::string configuration_history(const Alarm& alarm, std::string_view type);

struct StateText {
  AlarmState state;
  std::string reason;
  std::optional<std::string> data;
};
std::string state_history(const StateText& before, const StateText& after);

// HistoryData of an Action; `error` is "" for success.
std::string action_history(std::string_view action, base::Time state_updated_at, std::string_view message,
                           std::string_view error);

// The message that Amazon publishes to SNS.
std::string action_message(const Alarm& alarm, AlarmState old_state);

}  // namespace services::cloudwatch
