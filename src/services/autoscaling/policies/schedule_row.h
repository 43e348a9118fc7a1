// SPDX-License-Identifier: Apache-2.0
// Scheduled actions of groups: rows, and when they are due.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "services/call.h"
#include "shapes/autoscaling/scheduled_action.h"

namespace services::autoscaling {

struct ScheduleRow {
  std::int64_t number = 0;
  std::int64_t group = 0;
  std::string account, region, group_name, name, uuid;
  shapes::autoscaling::ScheduledUpdateGroupActionRequest terms;
  base::Time next_at;  // when it runs next

  std::string arn() const;
};

// Woken when a scheduled action was put or deleted.
inline constexpr char kSchedulesTopic[] = "autoscaling/schedules";

std::optional<ScheduleRow> load_schedule(store::Tx& tx, std::int64_t group, const std::string& name);
std::optional<ScheduleRow> load_schedule(store::Tx& tx, std::int64_t number);
std::vector<ScheduleRow> list_schedules(store::Tx& tx, std::int64_t group);
// Those of the caller, of all groups or one (0: all), after a number.
void each_schedule(Call& call, std::int64_t group, std::int64_t after, const std::function<void(ScheduleRow)>& use);
// Due at `now` or before, in the order in which they were due.
std::vector<ScheduleRow> list_due_schedules(store::Tx& tx, base::Time now, std::int64_t most);
std::optional<base::Time> next_schedule(store::Tx& tx);

// Sets its number where that is 0.
void save_schedule(store::Tx& tx, ScheduleRow& schedule);
void delete_schedule_row(store::Tx& tx, std::int64_t number);

// The first run of a recurring action after `after`; nullopt where it does not recur, or not before its end.
std::optional<base::Time> next_run(const shapes::autoscaling::ScheduledUpdateGroupActionRequest& terms,
                                   base::Time after);

}  // namespace services::autoscaling
