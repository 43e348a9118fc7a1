// SPDX-License-Identifier: Apache-2.0
// PutMetricAlarm and PutCompositeAlarm.
#include <algorithm>

#include "services/arn.h"
#include "services/cloudwatch/alarms/alarm_definition.h"
#include "services/cloudwatch/alarms/alarm_json.h"
#include "services/cloudwatch/alarms/alarm_operations.h"
#include "services/cloudwatch/alarms/alarm_rule.h"
#include "services/cloudwatch/alarms/alarm_schedule.h"
#include "services/cloudwatch/alarms/alarm_validation.h"
#include "services/cloudwatch/alarms/transitions.h"
#include "services/cloudwatch/errors.h"
#include "services/cloudwatch/watched_series.h"
#include "services/shape_json.h"

namespace services::cloudwatch {
namespace {

using shapes::cloudwatch::PutCompositeAlarmInput;
using shapes::cloudwatch::PutMetricAlarmInput;
using shapes::cloudwatch::Tag;

constexpr std::size_t kMaxParents = 150;  // Amazon's, of a child

struct AlarmInput {
  std::string name;
  bool composite = false;
  std::string configuration;
  bool actions_enabled = true;
  std::optional<std::vector<Tag>> tags;
  std::vector<std::string> metrics = {};
  AlarmLinks links = {};
};

Alarm new_alarm(Call& call, const AlarmInput& input) {
  Alarm alarm;
  alarm.account = call.caller.account;
  alarm.region = call.caller.region;
  alarm.name = input.name;
  alarm.composite = input.composite;
  // Not 1: the row of a deleted alarm may be reused, and a plan for that one must not fit.
  alarm.version = base::to_millis(call.now);
  alarm.state_reason = "Unchecked: Initial alarm creation";
  alarm.state_updated_at = alarm.state_transitioned_at = call.now;
  alarm.tags = to_json(add_tags({}, input.tags));
  return alarm;
}

// After the commit the alarm is evaluated at once.
void schedule_alarm(Call& call, const Alarm& alarm, const std::vector<std::string>& metrics) {
  AlarmSchedule& schedule = call.local<AlarmSchedule>();
  WatchedSeries& watched = call.local<WatchedSeries>();
  call.tx.on_end([&schedule, &watched, id = alarm.id, owner = alarm_owner(alarm), metrics](bool committed) {
    if (!committed) return;
    for (const std::string& key : metrics) watched.watch(key);
    for (const std::string& key : schedule.set(id, owner, metrics)) watched.unwatch(key);
    schedule.mark(id);
  });
  call.wake(kAlarmsTopic);
}

void put_alarm(Call& call, const AlarmInput& input) {
  check_storable(input.name, "AlarmName");
  auto existing = find_alarm(call, input.name);
  if (existing && existing->composite != input.composite) {
    throw validation_error("An alarm of another type with the name " + input.name + " exists already");
  }
  Alarm alarm = existing ? std::move(*existing) : new_alarm(call, input);
  if (!existing && call.local<AlarmSchedule>().count(alarm_owner(alarm)) >= kMaxAlarms) {
    throw wire::ApiError("LimitExceededFault",
                         "The maximum of " + std::to_string(kMaxAlarms) + " alarms has been reached.");
  }
  // Replacing the suppressor drops its wait and its extension; actions that were withheld stay so.
  if (existing && alarm_links(call.tx, alarm.id).suppressor != input.links.suppressor) alarm.suppression = {};
  alarm.configuration = input.configuration;
  alarm.configured_at = call.now;
  alarm.actions_enabled = input.actions_enabled;
  // The new configuration may add actions that repeat to the state that the alarm is in.
  if (existing && !alarm.repeat_at && has_scaling_actions(alarm)) alarm.repeat_at = call.now + kRepeatEvery;
  if (existing) {
    update_alarm(call.tx, alarm);
  } else {
    alarm.id = insert_alarm(call.tx, alarm);
  }
  set_alarm_metrics(call.tx, alarm.id, input.metrics);
  set_alarm_links(call.tx, alarm, input.links);
  add_history(call, alarm, "ConfigurationUpdate",
              "Alarm \"" + alarm.name + "\" " + (existing ? "updated" : "created"),
              configuration_history(alarm, existing ? "Update" : "Create"));
  schedule_alarm(call, alarm, input.metrics);
}

void put_metric_alarm(Call& call, const PutMetricAlarmInput& request) {
  check_metric_alarm(request, call.caller.account);
  AlarmInput input{.name = request.AlarmName, .composite = false, .configuration = {}, .tags = request.Tags};
  input.actions_enabled = request.ActionsEnabled.value_or(true);
  PutMetricAlarmInput stored = request;
  stored.Tags.reset();
  input.configuration = to_json(stored);
  input.metrics = metric_keys(define_alarm(call.caller.account, call.caller.region, request));
  put_alarm(call, input);
}

// The name of an alarm of the caller; nullopt for an ARN of another account or region.
std::optional<std::string> own_alarm_name(const Call& call, const std::string& reference) {
  if (!reference.starts_with("arn:")) return reference;
  const auto arn = parse_arn(reference, "cloudwatch");
  constexpr std::string_view kPrefix = "alarm:";
  if (!arn || arn->account != call.caller.account || arn->region != call.caller.region ||
      !arn->resource.starts_with(kPrefix)) {
    return std::nullopt;
  }
  return std::string(arn->resource.substr(kPrefix.size()));
}

std::vector<std::string> check_children(Call& call, const PutCompositeAlarmInput& request) {
  std::vector<std::string> names, missing;
  for (const std::string& reference : alarms_of(parse_alarm_rule(request.AlarmRule))) {
    const auto name = own_alarm_name(call, reference);
    if (name == request.AlarmName) {
      throw validation_error("A composite alarm cannot have a child relation with itself via its AlarmRule, as it would "
                             "introduce a circular dependency");
    }
    if (!name || !find_alarm(call, *name)) {
      missing.push_back(name ? alarm_arn(call.caller.region, call.caller.account, *name) : reference);
    } else if (std::find(names.begin(), names.end(), *name) == names.end()) {
      names.push_back(*name);
    }
  }
  if (!missing.empty()) {
    std::string list;
    for (const std::string& arn : missing) list += (list.empty() ? "" : ", ") + arn;
    throw validation_error("Could not save the composite alarm as alarms [" + list +
                           "] in the alarm rule do not exist");
  }
  if (names.size() > kMaxRuleChildren) throw validation_error("A composite alarm can have at most 100 children");
  for (const std::string& name : names) {
    if (parents_of(call.tx, call.caller.account, call.caller.region, name).size() > kMaxParents) {
      throw validation_error("The alarm " + name + " is used by 150 composite alarms already");
    }
  }
  return names;
}

void put_composite_alarm(Call& call, const PutCompositeAlarmInput& request) {
  check_suppressor(request);
  check_composite_actions(request);
  AlarmInput input{.name = request.AlarmName, .composite = true, .configuration = {}, .tags = request.Tags};
  input.links.children = check_children(call, request);
  if (request.ActionsSuppressor) {
    const auto name = own_alarm_name(call, *request.ActionsSuppressor);
    if (!name || name->empty()) {
      throw validation_error("ActionsSuppressor must be a valid CloudWatch Alarm ARN or an Alarm name");
    }
    input.links.suppressor = *name;
  }
  input.actions_enabled = request.ActionsEnabled.value_or(true);
  PutCompositeAlarmInput stored = request;
  stored.Tags.reset();
  input.configuration = to_json(stored);
  put_alarm(call, input);
}

}  // namespace

std::string alarm_owner(const Alarm& alarm) { return alarm.account + "/" + alarm.region; }

std::vector<Operation> put_alarm_operations() {
  return {operation<&put_composite_alarm>("PutCompositeAlarm", Access::Write),
          operation<&put_metric_alarm>("PutMetricAlarm", Access::Write)};
}

}  // namespace services::cloudwatch
