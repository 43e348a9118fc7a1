// SPDX-License-Identifier: Apache-2.0
// Rows of scheduled actions, and when they are due.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "shapes/application_autoscaling/scheduled_action.h"
#include "store/store.h"

namespace services::application_autoscaling {

// Woken when a scheduled action changes.
inline constexpr char kSchedulesTopic[] = "application-autoscaling/schedules";

struct StoredSchedule {
  std::int64_t number = 0, target = 0;
  shapes::application_autoscaling::ScheduledAction body;
  std::optional<base::Time> due_at = {};  // absent: never again
};

std::optional<StoredSchedule> find_schedule(store::Tx& tx, std::int64_t target, const std::string& name);
// Inserts it if its number is 0.
void save_schedule(store::Tx& tx, StoredSchedule& schedule);

// The first due time after `after`. A rate counts from the start time, or from the creation.
std::optional<base::Time> next_due_time(const shapes::application_autoscaling::ScheduledAction& action, base::Time after);

}  // namespace services::application_autoscaling
