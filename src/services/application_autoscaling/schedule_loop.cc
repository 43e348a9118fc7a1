// SPDX-License-Identifier: Apache-2.0
// Runs scheduled actions when they are due. What was missed while the server was down runs once, late.
#include "autoscaler/schedule.h"
#include "base/check.h"
#include "services/application_autoscaling/activity.h"
#include "services/application_autoscaling/operations.h"
#include "services/application_autoscaling/scalable_target.h"
#include "services/application_autoscaling/scheduled_action.h"
#include "services/shape_json.h"

namespace services::application_autoscaling {
namespace {

using shapes::application_autoscaling::ScheduledAction;

constexpr std::int64_t kMaxActionsPerTurn = 50;

StoredSchedule read_schedule(const store::Row& row) {
  return {row.integer(0), row.integer(1), from_json<ScheduledAction>(row.text(2)), row.maybe_time(3)};
}

std::vector<StoredSchedule> due_schedules(store::Tx& tx, base::Time now) {
  return tx
      .query("SELECT id, target, body, due_at FROM scalable_target_schedules WHERE due_at IS NOT NULL AND due_at <= $1 "
             "ORDER BY due_at, id LIMIT $2",
             now, kMaxActionsPerTurn)
      .all(read_schedule);
}

void run_schedule(Call& call, const StoredSchedule& schedule, StoredTarget target) {
  const auto& action = *schedule.body.ScalableTargetAction;
  const autoscaler::Bounds bounds{action.MinCapacity.value_or(target.bounds.min),
                                  action.MaxCapacity.value_or(target.bounds.max)};
  const bool valid = bounds.min <= bounds.max;
  record_bounds(call, target, {.action = schedule.body.ScheduledActionName,
                               .min = action.MinCapacity,
                               .max = action.MaxCapacity,
                               .valid = valid});
  if (!valid) return;
  target.bounds = bounds;
  update_target(call.tx, target);
  enforce_bounds(call, target);
}

void run_due_schedules(Call& call) {
  for (StoredSchedule& schedule : due_schedules(call.tx, call.now)) {
    auto target = find_target(call.tx, schedule.target);
    CHECK(target) << "a scheduled action without its target";
    const bool suspended = target->suspended.ScheduledScalingSuspended.value_or(false);
    if (!suspended) run_schedule(call, schedule, std::move(*target));
    schedule.due_at = next_due_time(schedule.body, call.now);
    save_schedule(call.tx, schedule);
  }
}

std::optional<base::Time> first_due(store::Tx& tx) {
  const auto first =
      tx.query("SELECT min(due_at) FROM scalable_target_schedules WHERE due_at IS NOT NULL")
          .one([](const store::Row& row) { return row.maybe_time(0); });
  return first.value_or(std::nullopt);
}

Decision look_at_schedules(Call& call) {
  const auto next = first_due(call.tx);
  if (!next || *next > call.now) return {.next = next};
  // What comes after these is known once they are applied.
  return {.apply = &run_due_schedules, .next = call.now};
}

}  // namespace

std::optional<StoredSchedule> find_schedule(store::Tx& tx, std::int64_t target, const std::string& name) {
  return tx
      .query("SELECT id, target, body, due_at FROM scalable_target_schedules WHERE target = $1 AND name = $2", target,
             name)
      .one(read_schedule);
}

void save_schedule(store::Tx& tx, StoredSchedule& schedule) {
  if (schedule.number != 0) {
    tx.exec("UPDATE scalable_target_schedules SET body = $2, due_at = $3 WHERE id = $1", schedule.number,
            to_json(schedule.body), schedule.due_at);
    return;
  }
  schedule.number = tx.insert(
      "INSERT INTO scalable_target_schedules (target, name, body, due_at) VALUES ($1, $2, $3, $4)", schedule.target,
      schedule.body.ScheduledActionName, to_json(schedule.body), schedule.due_at);
}

std::optional<base::Time> next_due_time(const ScheduledAction& action, base::Time after) {
  const auto schedule = autoscaler::parse_schedule(action.Schedule);
  const auto zone = base::TimeZone::load(action.Timezone.value_or("UTC"));
  // The operating system may have lost a time zone since.
  if (!schedule || !zone) return std::nullopt;
  const autoscaler::ScheduleWindow window{.anchor = action.StartTime.value_or(action.CreationTime),
                                          .start = action.StartTime,
                                          .end = action.EndTime};
  return autoscaler::next_due(*schedule, *zone, window, after);
}

Loop schedule_loop() {
  return {.name = "application-autoscaling-schedules", .topic = kSchedulesTopic, .look = &look_at_schedules};
}

}  // namespace services::application_autoscaling
