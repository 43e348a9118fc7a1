// SPDX-License-Identifier: Apache-2.0
#include "services/autoscaling/policies/schedule_row.h"

#include "autoscaler/cron.h"
#include "base/time_zone.h"
#include "services/shape_json.h"

namespace services::autoscaling {
namespace {

#define SCHEDULE_COLUMNS \
  "SELECT id, grp, account, region, group_name, name, uuid, terms, next_at FROM autoscaling_schedules "

ScheduleRow read_schedule(const store::Row& row) {
  ScheduleRow schedule;
  schedule.number = row.integer(0);
  schedule.group = row.integer(1);
  schedule.account = row.str(2);
  schedule.region = row.str(3);
  schedule.group_name = row.str(4);
  schedule.name = row.str(5);
  schedule.uuid = row.str(6);
  schedule.terms = from_json<shapes::autoscaling::ScheduledUpdateGroupActionRequest>(row.text(7));
  schedule.next_at = row.time(8);
  return schedule;
}

}  // namespace

std::string ScheduleRow::arn() const {
  return "arn:aws:autoscaling:" + region + ":" + account + ":scheduledUpdateGroupAction:" + uuid +
         ":autoScalingGroupName/" + group_name + ":scheduledActionName/" + name;
}

std::optional<ScheduleRow> load_schedule(store::Tx& tx, std::int64_t group, const std::string& name) {
  return tx.query(SCHEDULE_COLUMNS "WHERE grp = $1 AND name = $2", group, name).one(read_schedule);
}

std::optional<ScheduleRow> load_schedule(store::Tx& tx, std::int64_t number) {
  return tx.query(SCHEDULE_COLUMNS "WHERE id = $1", number).one(read_schedule);
}

std::vector<ScheduleRow> list_schedules(store::Tx& tx, std::int64_t group) {
  return tx.query(SCHEDULE_COLUMNS "WHERE grp = $1 ORDER BY id", group).all(read_schedule);
}

void each_schedule(Call& call, std::int64_t group, std::int64_t after, const std::function<void(ScheduleRow)>& use) {
  call.tx
      .query(SCHEDULE_COLUMNS "WHERE account = $1 AND region = $2 AND id > $3 AND (grp = $4 OR $4 = 0) ORDER BY id",
             call.caller.account, call.caller.region, after, group)
      .each([&](const store::Row& row) { use(read_schedule(row)); });
}

std::vector<ScheduleRow> list_due_schedules(store::Tx& tx, base::Time now, std::int64_t most) {
  return tx.query(SCHEDULE_COLUMNS "WHERE next_at <= $1 ORDER BY next_at, id LIMIT $2", now, most).all(read_schedule);
}

std::optional<base::Time> next_schedule(store::Tx& tx) {
  return tx.query("SELECT next_at FROM autoscaling_schedules ORDER BY next_at, id LIMIT 1")
      .one([](const store::Row& row) { return row.time(0); });
}

void save_schedule(store::Tx& tx, ScheduleRow& schedule) {
  const std::string terms = to_json(schedule.terms);
  if (schedule.number != 0) {
    tx.exec("UPDATE autoscaling_schedules SET terms = $2, next_at = $3 WHERE id = $1", schedule.number, terms,
            schedule.next_at);
    return;
  }
  schedule.number = tx.insert(
      "INSERT INTO autoscaling_schedules (grp, account, region, group_name, name, uuid, terms, next_at) "
      "VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
      schedule.group, schedule.account, schedule.region, schedule.group_name, schedule.name, schedule.uuid, terms,
      schedule.next_at);
}

void delete_schedule_row(store::Tx& tx, std::int64_t number) {
  tx.exec("DELETE FROM autoscaling_schedules WHERE id = $1", number);
}

std::optional<base::Time> next_run(const shapes::autoscaling::ScheduledUpdateGroupActionRequest& terms,
                                   base::Time after) {
  if (!terms.Recurrence) return std::nullopt;
  const auto cron = autoscaler::parse_group_cron(*terms.Recurrence);
  const auto zone = base::TimeZone::load(terms.TimeZone.value_or("UTC"));
  if (!cron || !zone) return std::nullopt;
  const auto next = autoscaler::next_after(*cron, *zone, after);
  if (next && terms.EndTime && *next > *terms.EndTime) return std::nullopt;
  return next;
}

}  // namespace services::autoscaling
