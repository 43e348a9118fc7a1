// SPDX-License-Identifier: Apache-2.0
// Schedule expressions of Application Auto Scaling: at(...), rate(...) and cron(...).
#pragma once

#include <optional>
#include <string_view>
#include <variant>

#include "autoscaler/cron.h"
#include "base/result.h"
#include "base/time.h"
#include "base/time_zone.h"

namespace autoscaler {

// Once, at a local time; every so often; or by a cron expression.
using Schedule = std::variant<base::LocalTime, base::Duration, Cron>;

// The error is Amazon's text.
base::Result<Schedule> parse_schedule(std::string_view text);

// When a schedule applies. A rate counts from `anchor`: the start time or the creation.
struct ScheduleWindow {
  base::Time anchor;
  std::optional<base::Time> start = {}, end = {};
};

// The first due time after `after` and not before the start; nullopt where there is none until the end.
std::optional<base::Time> next_due(const Schedule& schedule, const base::TimeZone& zone, const ScheduleWindow& window,
                                   base::Time after);

}  // namespace autoscaler
