// SPDX-License-Identifier: Apache-2.0
// Runs scheduled actions when they are due. One that was due while the server was down runs once, at its start.
#include <algorithm>

#include "services/autoscaling/groups/activity.h"
#include "services/autoscaling/groups/capacity.h"
#include "services/autoscaling/groups/group.h"
#include "services/autoscaling/policies/policies.h"
#include "services/autoscaling/policies/schedule_row.h"

namespace services::autoscaling {
namespace {

constexpr std::int64_t kMaxSchedulesPerTurn = 100;

struct Sizes {
  std::int32_t min = 0, max = 0, desired = 0;
};

std::string constraints(const Sizes& sizes) {
  return "a scheduled action update of AutoScalingGroup constraints to min: " + std::to_string(sizes.min) +
         ", max: " + std::to_string(sizes.max) + ", desired: " + std::to_string(sizes.desired);
}

// The group's own sizes have changed since the action was put, so that they contradict each other.
void report_contradiction(Call& call, const Group& group, const ScheduleRow& schedule, const Sizes& sizes) {
  Activity activity;
  activity.group = group.number;
  activity.kind = ActivityKind::Note;
  activity.description = "Executing scheduled action " + schedule.name;
  activity.cause = cause_sentence(call.now, constraints(sizes));
  activity.started_at = call.now;
  insert_activity(call, group, activity);
  end_activity(call, group, activity, "Failed",
               "Desired capacity:" + std::to_string(sizes.desired) + " must be between the specified min size:" +
                   std::to_string(sizes.min) + " and max size:" + std::to_string(sizes.max));
}

void run_schedule(Call& call, const ScheduleRow& schedule) {
  auto group = load_group(call.tx, schedule.group);
  if (!group || group->status != GroupStatus::Active || group->is_suspended("ScheduledActions")) return;
  Sizes sizes{schedule.terms.MinSize.value_or(group->min), schedule.terms.MaxSize.value_or(group->max), 0};
  sizes.desired = schedule.terms.DesiredCapacity.value_or(
      std::max(sizes.min, std::min(group->desired, sizes.max)));
  if (sizes.desired < sizes.min || sizes.desired > sizes.max) {
    return report_contradiction(call, *group, schedule, sizes);
  }
  group->min = sizes.min;
  group->max = sizes.max;
  if (sizes.desired == group->desired) return save_and_wake(call, *group);
  set_desired(call, *group, sizes.desired, constraints(sizes));
}

void run_due(Call& call, const std::vector<ScheduleRow>& due) {
  for (const ScheduleRow& seen : due) {
    auto schedule = load_schedule(call.tx, seen.number);
    if (!schedule || schedule->next_at != seen.next_at) continue;
    run_schedule(call, *schedule);
    if (const auto next = next_run(schedule->terms, call.now)) {
      schedule->next_at = *next;
      save_schedule(call.tx, *schedule);
    } else {
      delete_schedule_row(call.tx, schedule->number);
    }
  }
}

}  // namespace

Loop schedule_loop() {
  return {.name = "autoscaling-schedules", .topic = kSchedulesTopic, .look = [](Call& call) {
            auto due = list_due_schedules(call.tx, call.now, kMaxSchedulesPerTurn);
            Decision decision;
            if (due.empty()) {
              decision.next = next_schedule(call.tx);
              return decision;
            }
            decision.next = call.now;  // to find out when the next one is due
            decision.apply = [due = std::move(due)](Call& write) { run_due(write, due); };
            return decision;
          }};
}

}  // namespace services::autoscaling
