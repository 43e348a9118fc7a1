// SPDX-License-Identifier: Apache-2.0
// The loop that moves alarms from state to state. It looks at the alarms whose metrics got points, whose children
// changed, or whose time has come, and at no others.
#include "services/cloudwatch/alarms/alarm_loop.h"

#include <algorithm>
#include <map>

#include "base/log.h"
#include "services/cloudwatch/alarms/alarm_definition.h"
#include "services/cloudwatch/alarms/alarm_json.h"
#include "services/cloudwatch/alarms/alarm_row.h"
#include "services/cloudwatch/alarms/alarm_rule.h"
#include "services/cloudwatch/alarms/alarm_schedule.h"
#include "services/cloudwatch/alarms/alarm_text.h"
#include "services/cloudwatch/alarms/reason.h"
#include "services/cloudwatch/alarms/transitions.h"
#include "services/cloudwatch/watched_series.h"
#include "services/shape_json.h"

namespace services::cloudwatch {
namespace {

using shapes::cloudwatch::PutCompositeAlarmInput;
using shapes::cloudwatch::PutMetricAlarmInput;

// Per turn: the writer must not be occupied for long.
constexpr std::size_t kMaxEvaluations = 200;
// An alarm whose evaluation fails is evaluated again after this.
constexpr base::Duration kAfterFailure = std::chrono::minutes(1);

// What the evaluation of one alarm decided.
struct AlarmPlan {
  AlarmSchedule::Due due;
  std::int64_t version = 0;
  std::optional<StateChange> change = {};
  std::optional<Suppression> suppression = {};  // of a composite alarm, if it changes
  bool run_actions = false, repeat_actions = false;
  std::vector<double> recent = {};  // the evaluated points, the oldest first
  std::optional<base::Time> next = {};

  bool writes() const { return change || suppression || run_actions || repeat_actions; }
};

void include_time(std::optional<base::Time>& next, const std::optional<base::Time>& time) {
  if (time && (!next || *time < *next)) next = time;
}

void evaluate_metric_alarm(Call& call, const Alarm& alarm, AlarmPlan& plan) {
  const AlarmDefinition definition =
      define_alarm(alarm.account, alarm.region, from_json<PutMetricAlarmInput>(alarm.configuration));
  const AlarmOutcome outcome = evaluate_alarm(definition.rules, alarm.state, alarm.state_transitioned_at, call.now,
                                              slot_reader(call, definition));
  plan.next = outcome.next;
  const AlarmDecision& decision = outcome.decision;
  for (auto point = decision.points.rbegin(); point != decision.points.rend(); ++point) {
    plan.recent.push_back(point->value);
  }
  if (!decision.keep && decision.state != alarm.state) {
    plan.change = StateChange{.state = decision.state,
                              .reason = state_reason(definition.rules, decision),
                              .data = state_reason_data(definition.rules, decision, call.now)};
    plan.run_actions = true;
    return;
  }
  if (!alarm.repeat_at || !alarm.actions_enabled) return;
  plan.repeat_actions = *alarm.repeat_at <= call.now;
  // Without new points the state rests on those that it was decided by.
  if (plan.repeat_actions && decision.keep && plan.recent.empty()) {
    plan.recent = recent_datapoints(alarm.state_reason_data);
  }
  include_time(plan.next, plan.repeat_actions ? call.now + kRepeatEvery : *alarm.repeat_at);
}

// "web" of "web" and of "arn:aws:cloudwatch:us-east-1:111111111111:alarm:web".
std::string_view name_in_rule(std::string_view reference) {
  constexpr std::string_view kMark = ":alarm:";
  const std::size_t mark = reference.starts_with("arn:") ? reference.find(kMark) : reference.npos;
  return mark == reference.npos ? reference : reference.substr(mark + kMark.size());
}

StateChange composite_change(const Alarm& alarm, AlarmState state, const std::map<std::string, Alarm>& children) {
  const Alarm* latest = nullptr;
  for (const auto& [name, child] : children) {
    if (!latest || child.state_transitioned_at > latest->state_transitioned_at) latest = &child;
  }
  StateChange change{.state = state, .reason = {}};
  if (latest && latest->state_transitioned_at > alarm.configured_at) {
    change.reason = latest->arn() + " transitioned to " + std::string(to_text(latest->state)) + " at " +
                    time_in_sentence(latest->state_transitioned_at);
  } else if (alarm.state == AlarmState::InsufficientData) {
    change.reason = alarm.arn() + " was created and its alarm rule evaluates to " + std::string(to_text(state));
  } else {
    change.reason = alarm.arn() + " was updated and its new alarm rule evaluates to " + std::string(to_text(state));
  }
  if (latest) {
    change.data = "{\"triggeringAlarms\":[{\"arn\":" + json_quoted(latest->arn()) + ",\"state\":{\"value\":\"" +
                  std::string(to_text(latest->state)) + "\",\"timestamp\":\"" +
                  time_in_data(latest->state_transitioned_at) + "\"}}]}";
  }
  return change;
}

void evaluate_composite_alarm(Call& call, const Alarm& alarm, AlarmPlan& plan) {
  const auto input = from_json<PutCompositeAlarmInput>(alarm.configuration);
  const AlarmLinks links = alarm_links(call.tx, alarm.id);
  const bool cycle = is_in_cycle(call.tx, alarm);
  if (!cycle) {
    std::map<std::string, Alarm> children;
    for (const std::string& name : links.children) {
      if (auto child = find_alarm(call.tx, alarm.account, alarm.region, name)) children.emplace(name, std::move(*child));
    }
    const bool holds = rule_holds(parse_alarm_rule(input.AlarmRule), [&](const std::string& reference) {
      auto found = children.find(std::string(name_in_rule(reference)));
      return found == children.end() ? AlarmState::InsufficientData : found->second.state;
    });
    const AlarmState state = holds ? AlarmState::Alarm : AlarmState::Ok;
    if (state != alarm.state) plan.change = composite_change(alarm, state, children);
  }
  std::optional<Alarm> suppressor;
  if (links.suppressor) suppressor = find_alarm(call.tx, alarm.account, alarm.region, *links.suppressor);
  const SuppressionStep step =
      step_suppression(suppressor_rules(input), alarm.suppression, plan.change.has_value(),
                       suppressor && suppressor->state == AlarmState::Alarm, call.now);
  if (step.next != alarm.suppression) plan.suppression = step.next;
  plan.run_actions = step.run_actions;
  plan.next = step.next.ends;
}

// nullopt: the snapshot does not have the alarm. It is either newer, or deleted and about to leave the schedule.
std::optional<AlarmPlan> plan_for(Call& call, const AlarmSchedule::Due& due) {
  const auto alarm = find_alarm(call.tx, due.id);
  if (!alarm) return std::nullopt;
  AlarmPlan plan{.due = due, .version = alarm->version};
  try {
    if (alarm->composite) {
      evaluate_composite_alarm(call, *alarm, plan);
    } else {
      evaluate_metric_alarm(call, *alarm, plan);
    }
    return plan;
  } catch (const store::Error& error) {
    // Damaged points concern this alarm; all else concerns the database.
    if (error.kind() != store::ErrorKind::Damaged) throw;
    base::log_error("alarm not evaluated", {{"alarm", alarm->arn()}, {"error", error.what()}});
  } catch (const std::exception& error) {
    // One broken alarm must not stop the others.
    base::log_error("alarm not evaluated", {{"alarm", alarm->arn()}, {"error", error.what()}});
  }
  return AlarmPlan{.due = due, .version = alarm->version, .next = call.now + kAfterFailure};
}

void apply_plan(Call& call, const AlarmPlan& plan) {
  auto alarm = find_alarm(call.tx, plan.due.id);
  // The plan is stale: the alarm stays due.
  if (!alarm || alarm->version != plan.version) return;
  if (plan.change) set_state(call, *alarm, *plan.change);
  if (plan.suppression) alarm->suppression = *plan.suppression;
  std::optional<base::Time> next = plan.next;
  if (plan.run_actions || plan.repeat_actions) {
    queue_actions(call, *alarm, plan.run_actions ? ActionSet::All : ActionSet::Repeated, plan.recent);
    include_time(next, alarm->repeat_at);
  }
  update_alarm(call.tx, *alarm);
  AlarmSchedule& schedule = call.local<AlarmSchedule>();
  call.tx.on_end([&schedule, due = plan.due, next](bool committed) {
    if (committed) schedule.done(due, next);
  });
  if (plan.change) wake_parents(call, *alarm);
}

Decision look_at_alarms(Call& call) {
  AlarmSchedule& schedule = call.local<AlarmSchedule>();
  schedule.mark_metrics(call.local<WatchedSeries>().take_marked());
  std::vector<AlarmPlan> plans;
  for (const AlarmSchedule::Due& due : schedule.due(call.now, kMaxEvaluations)) {
    auto plan = plan_for(call, due);
    if (!plan) continue;
    if (plan->writes()) {
      plans.push_back(std::move(*plan));
    } else {
      schedule.done(due, plan->next);
    }
  }
  Decision decision{.apply = {}, .next = schedule.next(call.now)};
  if (!plans.empty()) {
    decision.apply = [plans = std::move(plans)](Call& write) {
      for (const AlarmPlan& plan : plans) apply_plan(write, plan);
    };
  }
  return decision;
}

}  // namespace

Loop alarm_loop() { return {.name = "cloudwatch-alarms", .topic = kAlarmsTopic, .look = &look_at_alarms}; }

}  // namespace services::cloudwatch
