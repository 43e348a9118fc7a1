// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/alarms/transitions.h"

#include <algorithm>

#include "services/cloudwatch/alarms/action_loop.h"
#include "services/cloudwatch/alarms/action_target.h"
#include "services/cloudwatch/alarms/alarm_json.h"
#include "services/cloudwatch/alarms/alarm_schedule.h"
#include "services/cloudwatch/watched_series.h"
#include "services/shape_json.h"
#include "shapes/stoker/alarm_action.h"

namespace services::cloudwatch {

void add_history(Call& call, const Alarm& alarm, std::string_view type, const std::string& summary,
                 const std::string& data) {
  call.tx.exec("INSERT INTO cloudwatch_alarm_history (account, region, name, composite, at, type, summary, data) "
               "VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
               alarm.account, alarm.region, alarm.name, alarm.composite, call.now, type, summary, data);
}

void set_state(Call& call, Alarm& alarm, const StateChange& change) {
  const bool changed = change.state != alarm.state;
  if (changed) {
    add_history(call, alarm, "StateUpdate",
                "Alarm updated from " + std::string(to_text(alarm.state)) + " to " + std::string(to_text(change.state)),
                state_history({alarm.state, alarm.state_reason, alarm.state_reason_data},
                              {change.state, change.reason, change.data}));
    alarm.previous_state = alarm.state;
    alarm.state_transitioned_at = call.now;
    alarm.repeat_at.reset();
  }
  alarm.state = change.state;
  alarm.state_reason = change.reason;
  alarm.state_reason_data = change.data;
  alarm.state_updated_at = call.now;
}

void queue_actions(Call& call, Alarm& alarm, ActionSet set, const std::vector<double>& recent) {
  alarm.repeat_at.reset();
  if (!alarm.actions_enabled) return;
  bool queued = false;
  std::string message;
  // The state lasts: Amazon's repeated notifications name it twice.
  const AlarmState old_state = set == ActionSet::Repeated ? alarm.state : alarm.previous_state;
  for (const std::string& action : actions_for(alarm, alarm.state)) {
    const bool scaling = action_kind(action) == ActionKind::Scaling;
    if (scaling) alarm.repeat_at = call.now + kRepeatEvery;
    if (set == ActionSet::Repeated && !scaling) continue;
    if (message.empty()) message = action_message(alarm, old_state);
    shapes::stoker::ExecuteAlarmAction request{.actionArn = action,
                                               .account = alarm.account,
                                               .region = alarm.region,
                                               .alarmArn = alarm.arn(),
                                               .alarmName = alarm.name,
                                               .oldState = std::string(to_text(old_state)),
                                               .newState = std::string(to_text(alarm.state)),
                                               .reason = alarm.state_reason,
                                               .stateChangedAt = alarm.state_transitioned_at,
                                               .repeated = set == ActionSet::Repeated,
                                               .metricValue = {},
                                               .recentDatapoints = recent,
                                               .threshold = {},
                                               .comparisonOperator = {},
                                               .message = message};
    if (!recent.empty()) request.metricValue = recent.back();
    if (!alarm.composite) {
      const auto configuration = from_json<shapes::cloudwatch::PutMetricAlarmInput>(alarm.configuration);
      request.threshold = configuration.Threshold;
      request.comparisonOperator = configuration.ComparisonOperator.value_or("");
    }
    call.tx.insert("INSERT INTO cloudwatch_alarm_actions (account, region, name, composite, action, state_updated_at, "
                   "request) VALUES ($1, $2, $3, $4, $5, $6, $7)",
                   alarm.account, alarm.region, alarm.name, alarm.composite, action, alarm.state_updated_at,
                   to_json(request));
    queued = true;
  }
  if (queued) call.wake(kAlarmActionsTopic);
}

bool has_scaling_actions(const Alarm& alarm) {
  const auto actions = actions_for(alarm, alarm.state);
  return std::any_of(actions.begin(), actions.end(),
                     [](const std::string& action) { return action_kind(action) == ActionKind::Scaling; });
}

void wake_parents(Call& call, const Alarm& alarm) {
  auto parents = parents_of(call.tx, alarm.account, alarm.region, alarm.name);
  if (parents.empty()) return;
  AlarmSchedule& schedule = call.local<AlarmSchedule>();
  call.tx.on_end([&schedule, parents = std::move(parents)](bool committed) {
    if (!committed) return;
    for (AlarmId id : parents) schedule.mark(id);
  });
  call.wake(kAlarmsTopic);
}

}  // namespace services::cloudwatch
