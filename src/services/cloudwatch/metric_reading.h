// SPDX-License-Identifier: Apache-2.0
// What the operations that read metrics have in common: periods, the rounding of times, and statistics over buckets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "services/call.h"
#include "services/cloudwatch/statistic.h"
#include "shapes/cloudwatch/alarm.h"
#include "telemetry/metrics/metric_store.h"

namespace services::cloudwatch {

// 1, 5, 10, 20, 30 or a multiple of 60.
bool is_valid_period(std::int64_t period_s);

telemetry::Metric to_metric(const Caller& caller, const std::string& space, const std::string& name,
                            const std::optional<std::vector<shapes::cloudwatch::Dimension>>& dimensions);

// Readers of a built-in metric get it every second for a while, unless they read only the past.
void note_reader(Call& call, const telemetry::Metric& metric, base::Time until);

// Rounds the start down as Amazon does: to the minute, or further for times long ago.
base::Time rounded_start(base::Time start, base::Time now, std::int64_t period_s);

struct TimeRange {
  base::Time from, until;
};

// The range to read: buckets step from `from`. Periods that are too fine for the age of their data have none, so the
// range begins where there can be data.
TimeRange readable_range(base::Time start, base::Time end, base::Time now, std::int64_t period_s);

struct StatisticPoint {
  base::Time at;
  double value = 0;
  double sample_count = 0;
  bool operator==(const StatisticPoint&) const = default;
};

// The points of one unit, in order of time.
struct UnitPoints {
  telemetry::Unit unit = 0;
  std::vector<StatisticPoint> points = {};
};

struct StatisticQuery {
  telemetry::Metric metric;
  Statistic statistic;
  std::int64_t period_s = 60;
  TimeRange range = {};  // readable_range()
  std::optional<telemetry::Unit> unit = {};
};

// The units are in the order of their names.
std::vector<UnitPoints> read_statistic(Call& call, const StatisticQuery& query);

}  // namespace services::cloudwatch
