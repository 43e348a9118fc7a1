// SPDX-License-Identifier: Apache-2.0
// Alarms in the database.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "services/call.h"
#include "services/cloudwatch/alarms/evaluation.h"
#include "services/cloudwatch/alarms/suppression.h"
#include "shapes/cloudwatch/alarm.h"

namespace services::cloudwatch {

using AlarmId = std::int64_t;

struct Alarm {
  AlarmId id = 0;
  std::string account, region, name;
  bool composite = false;
  // Grows with each change: a plan that was made for another version is rejected.
  std::int64_t version = 0;
  std::string configuration;  // the input of its Put operation as JSON, without tags
  base::Time configured_at;
  bool actions_enabled = true;
  AlarmState state = AlarmState::InsufficientData;
  AlarmState previous_state = AlarmState::InsufficientData;
  std::string state_reason;
  std::optional<std::string> state_reason_data;
  base::Time state_updated_at, state_transitioned_at;
  std::optional<base::Time> repeat_at;  // when its Auto Scaling actions run again
  Suppression suppression;
  std::string tags;  // a JSON object

  std::string arn() const;
};

std::string alarm_arn(std::string_view region, std::string_view account, std::string_view name);

std::optional<Alarm> find_alarm(store::Tx& tx, AlarmId id);
std::optional<Alarm> find_alarm(Call& call, const std::string& name);  // of the caller
std::optional<Alarm> find_alarm(store::Tx& tx, std::string_view account, std::string_view region,
                                std::string_view name);
// The columns of an Alarm, for statements that end in a condition of their own.
inline constexpr char kAlarmColumns[] =
    "id, account, region, name, composite, version, configuration, configured_at, actions_enabled, state, "
    "previous_state, state_reason, state_reason_data, state_updated_at, state_transitioned_at, repeat_at, "
    "suppressed_by, suppression_ends, withheld, tags";
Alarm read_alarm(const store::Row& row);

// Returns its id.
AlarmId insert_alarm(store::Tx& tx, const Alarm& alarm);
// Writes all but the id and the name, if the row still has this version, and raises the version.
bool update_alarm(store::Tx& tx, Alarm& alarm);
void delete_alarm(store::Tx& tx, AlarmId id);

// The metrics that it reads, by telemetry::metric_key().
void set_alarm_metrics(store::Tx& tx, AlarmId id, const std::vector<std::string>& keys);
std::vector<std::string> alarm_metrics(store::Tx& tx, AlarmId id);

// The alarms that a composite alarm refers to, by name: those of its rule, and its suppressor.
struct AlarmLinks {
  std::vector<std::string> children;
  std::optional<std::string> suppressor;
};
void set_alarm_links(store::Tx& tx, const Alarm& alarm, const AlarmLinks& links);
AlarmLinks alarm_links(store::Tx& tx, AlarmId id);
// Composite alarms whose rule or suppressor names this alarm.
std::vector<AlarmId> parents_of(store::Tx& tx, std::string_view account, std::string_view region,
                                std::string_view name);
// Whether the alarm is among its own children's children. Looks at no more than kMaxCycleSearch alarms.
inline constexpr std::size_t kMaxCycleSearch = 2000;
bool is_in_cycle(store::Tx& tx, const Alarm& alarm);

SuppressorRules suppressor_rules(const shapes::cloudwatch::PutCompositeAlarmInput& input);

// The alarm's actions for a state.
std::vector<std::string> actions_for(const Alarm& alarm, AlarmState state);

}  // namespace services::cloudwatch
