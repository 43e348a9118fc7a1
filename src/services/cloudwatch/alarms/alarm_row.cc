// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/alarms/alarm_row.h"

#include <set>

#include "services/shape_json.h"

namespace services::cloudwatch {
namespace {

using shapes::cloudwatch::PutCompositeAlarmInput;
using shapes::cloudwatch::PutMetricAlarmInput;

template <class Input>
std::vector<std::string> chosen_actions(const Input& input, AlarmState state) {
  const auto& list = state == AlarmState::Ok      ? input.OKActions
                     : state == AlarmState::Alarm ? input.AlarmActions
                                                  : input.InsufficientDataActions;
  return list.value_or(std::vector<std::string>());
}

AlarmState state_in_row(const store::Row& row, int column) {
  return parse_alarm_state(row.text(column)).value_or(AlarmState::InsufficientData);
}

std::vector<std::string> children_of(store::Tx& tx, AlarmId id) {
  return tx.query("SELECT child FROM cloudwatch_alarm_links WHERE parent = $1 AND suppressor = 0 ORDER BY child", id)
      .all([](const store::Row& row) { return row.str(0); });
}

}  // namespace

std::string alarm_arn(std::string_view region, std::string_view account, std::string_view name) {
  return "arn:aws:cloudwatch:" + std::string(region) + ":" + std::string(account) + ":alarm:" + std::string(name);
}

std::string Alarm::arn() const { return alarm_arn(region, account, name); }

Alarm read_alarm(const store::Row& row) {
  Alarm alarm;
  alarm.id = row.integer(0);
  alarm.account = row.str(1);
  alarm.region = row.str(2);
  alarm.name = row.str(3);
  alarm.composite = row.boolean(4);
  alarm.version = row.integer(5);
  alarm.configuration = row.str(6);
  alarm.configured_at = row.time(7);
  alarm.actions_enabled = row.boolean(8);
  alarm.state = state_in_row(row, 9);
  alarm.previous_state = state_in_row(row, 10);
  alarm.state_reason = row.str(11);
  alarm.state_reason_data = row.maybe_str(12);
  alarm.state_updated_at = row.time(13);
  alarm.state_transitioned_at = row.time(14);
  alarm.repeat_at = row.maybe_time(15);
  alarm.suppression = {parse_suppressed_by(row.text(16)), row.maybe_time(17), row.boolean(18)};
  alarm.tags = row.str(19);
  return alarm;
}

std::optional<Alarm> find_alarm(store::Tx& tx, AlarmId id) {
  static const std::string sql = std::string("SELECT ") + kAlarmColumns + " FROM cloudwatch_alarms WHERE id = $1";
  return tx.query(sql, id).one(&read_alarm);
}

std::optional<Alarm> find_alarm(store::Tx& tx, std::string_view account, std::string_view region,
                                std::string_view name) {
  static const std::string sql = std::string("SELECT ") + kAlarmColumns +
                                 " FROM cloudwatch_alarms WHERE account = $1 AND region = $2 AND name = $3";
  if (name.find('\0') != name.npos) return std::nullopt;
  return tx.query(sql, account, region, name).one(&read_alarm);
}

std::optional<Alarm> find_alarm(Call& call, const std::string& name) {
  return find_alarm(call.tx, call.caller.account, call.caller.region, name);
}

AlarmId insert_alarm(store::Tx& tx, const Alarm& alarm) {
  return tx.insert(
      "INSERT INTO cloudwatch_alarms (account, region, name, composite, version, configuration, configured_at, "
      "actions_enabled, state, previous_state, state_reason, state_reason_data, state_updated_at, "
      "state_transitioned_at, repeat_at, suppressed_by, suppression_ends, withheld, tags) "
      "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)",
      alarm.account, alarm.region, alarm.name, alarm.composite, alarm.version, alarm.configuration,
      alarm.configured_at, alarm.actions_enabled, to_text(alarm.state), to_text(alarm.previous_state),
      alarm.state_reason, alarm.state_reason_data, alarm.state_updated_at, alarm.state_transitioned_at,
      alarm.repeat_at, to_text(alarm.suppression.by), alarm.suppression.ends, alarm.suppression.withheld, alarm.tags);
}

bool update_alarm(store::Tx& tx, Alarm& alarm) {
  const std::int64_t changed = tx.exec(
      "UPDATE cloudwatch_alarms SET version = version + 1, configuration = $3, configured_at = $4, "
      "actions_enabled = $5, state = $6, previous_state = $7, state_reason = $8, state_reason_data = $9, "
      "state_updated_at = $10, state_transitioned_at = $11, repeat_at = $12, suppressed_by = $13, "
      "suppression_ends = $14, withheld = $15, tags = $16 WHERE id = $1 AND version = $2",
      alarm.id, alarm.version, alarm.configuration, alarm.configured_at, alarm.actions_enabled, to_text(alarm.state),
      to_text(alarm.previous_state), alarm.state_reason, alarm.state_reason_data, alarm.state_updated_at,
      alarm.state_transitioned_at, alarm.repeat_at, to_text(alarm.suppression.by), alarm.suppression.ends,
      alarm.suppression.withheld, alarm.tags);
  if (changed == 1) ++alarm.version;
  return changed == 1;
}

void delete_alarm(store::Tx& tx, AlarmId id) {
  tx.exec("DELETE FROM cloudwatch_alarms WHERE id = $1", id);
  tx.exec("DELETE FROM cloudwatch_alarm_metrics WHERE alarm = $1", id);
  tx.exec("DELETE FROM cloudwatch_alarm_links WHERE parent = $1", id);
}

void set_alarm_metrics(store::Tx& tx, AlarmId id, const std::vector<std::string>& keys) {
  tx.exec("DELETE FROM cloudwatch_alarm_metrics WHERE alarm = $1", id);
  for (const std::string& key : std::set<std::string>(keys.begin(), keys.end())) {
    tx.exec("INSERT INTO cloudwatch_alarm_metrics (series, alarm) VALUES ($1, $2)", store::BlobView{key}, id);
  }
}

std::vector<std::string> alarm_metrics(store::Tx& tx, AlarmId id) {
  return tx.query("SELECT series FROM cloudwatch_alarm_metrics WHERE alarm = $1", id)
      .all([](const store::Row& row) { return row.str(0); });
}

void set_alarm_links(store::Tx& tx, const Alarm& alarm, const AlarmLinks& links) {
  tx.exec("DELETE FROM cloudwatch_alarm_links WHERE parent = $1", alarm.id);
  const auto insert = [&](const std::string& child, bool suppressor) {
    tx.exec("INSERT INTO cloudwatch_alarm_links (account, region, child, parent, suppressor) "
            "VALUES ($1, $2, $3, $4, $5)",
            alarm.account, alarm.region, child, alarm.id, suppressor);
  };
  for (const std::string& child : links.children) insert(child, false);
  if (links.suppressor) insert(*links.suppressor, true);
}

AlarmLinks alarm_links(store::Tx& tx, AlarmId id) {
  AlarmLinks links{.children = children_of(tx, id), .suppressor = {}};
  links.suppressor = tx.query("SELECT child FROM cloudwatch_alarm_links WHERE parent = $1 AND suppressor = 1", id)
                         .one([](const store::Row& row) { return row.str(0); });
  return links;
}

std::vector<AlarmId> parents_of(store::Tx& tx, std::string_view account, std::string_view region,
                                std::string_view name) {
  return tx.query("SELECT DISTINCT parent FROM cloudwatch_alarm_links WHERE account = $1 AND region = $2 AND child = $3 "
                  "ORDER BY parent",
                  account, region, name)
      .all([](const store::Row& row) { return row.integer(0); });
}

bool is_in_cycle(store::Tx& tx, const Alarm& alarm) {
  std::set<std::string> seen;
  std::vector<std::string> next = children_of(tx, alarm.id);
  while (!next.empty()) {
    const std::string name = std::move(next.back());
    next.pop_back();
    if (name == alarm.name) return true;
    if (!seen.insert(name).second) continue;
    if (seen.size() > kMaxCycleSearch) return true;
    const auto child = find_alarm(tx, alarm.account, alarm.region, name);
    if (!child || !child->composite) continue;
    for (std::string& below : children_of(tx, child->id)) next.push_back(std::move(below));
  }
  return false;
}

SuppressorRules suppressor_rules(const PutCompositeAlarmInput& input) {
  return {.present = input.ActionsSuppressor.has_value(),
          .wait = std::chrono::seconds(input.ActionsSuppressorWaitPeriod.value_or(0)),
          .extension = std::chrono::seconds(input.ActionsSuppressorExtensionPeriod.value_or(0))};
}

std::vector<std::string> actions_for(const Alarm& alarm, AlarmState state) {
  if (alarm.composite) return chosen_actions(from_json<PutCompositeAlarmInput>(alarm.configuration), state);
  return chosen_actions(from_json<PutMetricAlarmInput>(alarm.configuration), state);
}

}  // namespace services::cloudwatch
