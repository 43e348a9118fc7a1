// SPDX-License-Identifier: Apache-2.0
// SetAlarmState, EnableAlarmActions, DisableAlarmActions, DeleteAlarms, DescribeAlarmContributors.
#include <algorithm>
#include <boost/json/parse.hpp>
#include <set>

#include "services/cloudwatch/alarms/alarm_json.h"
#include "services/cloudwatch/alarms/alarm_operations.h"
#include "services/cloudwatch/alarms/alarm_schedule.h"
#include "services/cloudwatch/alarms/alarm_validation.h"
#include "services/cloudwatch/alarms/reason.h"
#include "services/cloudwatch/alarms/transitions.h"
#include "services/cloudwatch/errors.h"
#include "services/cloudwatch/watched_series.h"
#include "services/shape_json.h"

namespace services::cloudwatch {
namespace {

using namespace shapes::cloudwatch;

// How long a state that was set by hand lasts, unless a point arrives: Amazon evaluates once a minute.
constexpr base::Duration kSetStateLasts = std::chrono::minutes(1);

// Amazon's has no message.
wire::ApiError alarm_not_found() { return wire::ApiError("ResourceNotFound", ""); }

void check_reason_data(const std::optional<std::string>& data) {
  if (!data) return;
  boost::system::error_code error;
  const boost::json::value parsed = boost::json::parse(*data, error);
  if (!error && parsed.is_object()) return;
  throw wire::ApiError("InvalidFormatFault", "StateReasonData must be a JSON object.");
}

// Whether the actions of a composite alarm run now that its state was set.
bool step_own_suppression(Call& call, Alarm& alarm) {
  const auto input = from_json<PutCompositeAlarmInput>(alarm.configuration);
  const AlarmLinks links = alarm_links(call.tx, alarm.id);
  std::optional<Alarm> suppressor;
  if (links.suppressor) suppressor = find_alarm(call, *links.suppressor);
  const SuppressionStep step = step_suppression(suppressor_rules(input), alarm.suppression, true,
                                                suppressor && suppressor->state == AlarmState::Alarm, call.now);
  alarm.suppression = step.next;
  return step.run_actions;
}

void set_alarm_state(Call& call, const SetAlarmStateInput& request) {
  auto alarm = find_alarm(call, request.AlarmName);
  if (!alarm) throw alarm_not_found();
  check_storable(request.StateReason, "StateReason");
  check_reason_data(request.StateReasonData);
  const StateChange change{.state = *parse_alarm_state(request.StateValue),
                           .reason = request.StateReason,
                           .data = request.StateReasonData};
  const bool changed = change.state != alarm->state;
  set_state(call, *alarm, change);
  bool run = true;
  if (alarm->composite && changed) run = step_own_suppression(call, *alarm);
  if (run) {
    queue_actions(call, *alarm, changed ? ActionSet::All : ActionSet::Repeated, recent_datapoints(change.data));
  }
  update_alarm(call.tx, *alarm);
  if (changed) wake_parents(call, *alarm);
  // A metric alarm returns to its true state at its next evaluation. Not at once: a person wants to see the state. A
  // composite alarm keeps the state until a child changes, or a suppression ends.
  if (alarm->composite && !alarm->suppression.ends) return;
  AlarmSchedule& schedule = call.local<AlarmSchedule>();
  const base::Time at = alarm->composite ? *alarm->suppression.ends : call.now + kSetStateLasts;
  call.tx.on_end([&schedule, id = alarm->id, at](bool committed) {
    if (committed) schedule.postpone(id, at);
  });
  call.wake(kAlarmsTopic);
}

void set_actions_enabled(Call& call, const std::vector<std::string>& names, bool enabled) {
  for (const std::string& name : names) {
    auto alarm = find_alarm(call, name);
    if (!alarm || alarm->actions_enabled == enabled) continue;
    alarm->actions_enabled = enabled;
    alarm->configured_at = call.now;
    alarm->repeat_at.reset();
    if (enabled && has_scaling_actions(*alarm)) alarm->repeat_at = call.now;
    update_alarm(call.tx, *alarm);
    add_history(call, *alarm, "ConfigurationUpdate", "Alarm \"" + alarm->name + "\" updated",
                configuration_history(*alarm, "Update"));
    if (!alarm->repeat_at) continue;
    AlarmSchedule& schedule = call.local<AlarmSchedule>();
    call.tx.on_end([&schedule, id = alarm->id](bool committed) {
      if (committed) schedule.mark(id);
    });
    call.wake(kAlarmsTopic);
  }
}

void enable_alarm_actions(Call& call, const EnableAlarmActionsInput& request) {
  set_actions_enabled(call, request.AlarmNames, true);
}

void disable_alarm_actions(Call& call, const DisableAlarmActionsInput& request) {
  set_actions_enabled(call, request.AlarmNames, false);
}

void check_unused(Call& call, const Alarm& alarm) {
  std::string users;
  for (AlarmId id : parents_of(call.tx, alarm.account, alarm.region, alarm.name)) {
    const AlarmLinks links = alarm_links(call.tx, id);
    const auto parent = find_alarm(call.tx, id);
    const bool child = std::find(links.children.begin(), links.children.end(), alarm.name) != links.children.end();
    if (parent && child) users += (users.empty() ? "" : ", ") + parent->arn();
  }
  if (users.empty()) return;
  throw validation_error("Could not delete the alarm " + alarm.name + " as composite alarms [" + users + "] use it");
}

void delete_alarms(Call& call, const DeleteAlarmsInput& request) {
  std::vector<Alarm> alarms;
  std::size_t composites = 0;
  for (const std::string& name : std::set<std::string>(request.AlarmNames.begin(), request.AlarmNames.end())) {
    auto alarm = find_alarm(call, name);
    if (!alarm) continue;
    composites += alarm->composite;
    alarms.push_back(std::move(*alarm));
  }
  // Documented: alarms are deleted although other names are wrong.
  if (alarms.empty() && !request.AlarmNames.empty()) throw alarm_not_found();
  if (composites > 1) throw validation_error("At most one composite alarm can be deleted at once");
  for (const Alarm& alarm : alarms) check_unused(call, alarm);
  AlarmSchedule& schedule = call.local<AlarmSchedule>();
  WatchedSeries& watched = call.local<WatchedSeries>();
  for (const Alarm& alarm : alarms) {
    wake_parents(call, alarm);  // those that it suppresses
    delete_alarm(call.tx, alarm.id);
    add_history(call, alarm, "ConfigurationUpdate", "Alarm \"" + alarm.name + "\" deleted",
                configuration_history(alarm, "Delete"));
    call.tx.on_end([&schedule, &watched, id = alarm.id](bool committed) {
      if (!committed) return;
      for (const std::string& key : schedule.remove(id)) watched.unwatch(key);
    });
  }
}

// Contributors are the time series of an alarm on a query with several; Stoker has no such alarms.
DescribeAlarmContributorsOutput describe_alarm_contributors(Call& call, const DescribeAlarmContributorsInput& request) {
  if (!find_alarm(call, request.AlarmName)) throw wire::ApiError("ResourceNotFoundException", "");
  return {};
}

}  // namespace

std::vector<Operation> alarm_state_operations() {
  return {operation<&delete_alarms>("DeleteAlarms", Access::Write),
          operation<&describe_alarm_contributors>("DescribeAlarmContributors", Access::Read),
          operation<&disable_alarm_actions>("DisableAlarmActions", Access::Write),
          operation<&enable_alarm_actions>("EnableAlarmActions", Access::Write),
          operation<&set_alarm_state>("SetAlarmState", Access::Write)};
}

}  // namespace services::cloudwatch
