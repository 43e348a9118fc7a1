// SPDX-License-Identifier: Apache-2.0
// Changes of an alarm, each with its history and its actions in the same transaction.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/call.h"
#include "services/cloudwatch/alarms/alarm_row.h"

namespace services::cloudwatch {

// Auto Scaling actions run again after this time while the state lasts.
inline constexpr base::Duration kRepeatEvery = std::chrono::minutes(1);

void add_history(Call& call, const Alarm& alarm, std::string_view type, const std::string& summary,
                 const std::string& data);

struct StateChange {
  AlarmState state = AlarmState::InsufficientData;
  std::string reason;
  std::optional<std::string> data = {};
};

// Which actions of the current state are written to the outbox.
enum class ActionSet { All, Repeated };

// Sets the alarm's state, not yet in the database; and writes the history if the state is another.
void set_state(Call& call, Alarm& alarm, const StateChange& change);
// Writes the actions of the alarm's state for execution, and sets repeat_at, not yet in the database.
// `recent` are the evaluated points, the oldest first.
void queue_actions(Call& call, Alarm& alarm, ActionSet set, const std::vector<double>& recent);
// Whether the alarm's state has actions that repeat.
bool has_scaling_actions(const Alarm& alarm);
// After the commit: the composite alarms that depend on the alarm are evaluated.
void wake_parents(Call& call, const Alarm& alarm);

}  // namespace services::cloudwatch
