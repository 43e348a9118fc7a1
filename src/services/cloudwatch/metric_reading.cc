// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/metric_reading.h"

#include <algorithm>

#include "services/cloudwatch/units.h"
#include "services/metric_interest.h"

namespace services::cloudwatch {
namespace {

// Amazon keeps points of seconds for three hours, of minutes for 15 days, of five minutes for 63 days.
struct Resolution {
  base::Duration kept_for;
  std::int64_t next_s;  // the resolution of older points
};
constexpr Resolution kResolutions[] = {
    {std::chrono::hours(3), 60},
    {std::chrono::hours(15 * 24), 300},
    {std::chrono::hours(63 * 24), 3600},
};

base::Time floor_to(base::Time time, std::int64_t seconds) {
  const std::int64_t at = base::to_seconds(time);
  return base::from_seconds(at - at % seconds);
}

}  // namespace

bool is_valid_period(std::int64_t period_s) {
  if (period_s > 0 && period_s % 60 == 0) return true;
  return period_s == 1 || period_s == 5 || period_s == 10 || period_s == 20 || period_s == 30;
}

telemetry::Metric to_metric(const Caller& caller, const std::string& space, const std::string& name,
                            const std::optional<std::vector<shapes::cloudwatch::Dimension>>& dimensions) {
  telemetry::Metric metric{caller.account, caller.region, space, name, {}};
  if (!dimensions) return metric;
  for (const auto& one : *dimensions) metric.dimensions.push_back({one.Name, one.Value});
  return metric;
}

void note_reader(Call& call, const telemetry::Metric& metric, base::Time until) {
  if (until <= call.now - MetricInterest::kLasts) return;
  MetricKey key{metric.account, metric.region, metric.space, metric.name, {}};
  for (const telemetry::Dimension& one : metric.dimensions) key.dimensions.emplace(one.name, one.value);
  use_metric(call, key);
}

base::Time rounded_start(base::Time start, base::Time now, std::int64_t period_s) {
  start = std::max(start, base::Time());
  if (period_s < 60) return floor_to(start, period_s);
  if (start >= now - kResolutions[1].kept_for) return floor_to(start, 60);
  return floor_to(start, start >= now - kResolutions[2].kept_for ? 300 : 3600);
}

TimeRange readable_range(base::Time start, base::Time end, base::Time now, std::int64_t period_s) {
  TimeRange range{rounded_start(start, now, period_s), end};
  for (const Resolution& resolution : kResolutions) {
    if (period_s % resolution.next_s == 0) continue;
    const base::Time oldest = now - resolution.kept_for;
    if (range.from >= oldest) break;
    const std::int64_t missing_s = base::to_seconds(oldest) - base::to_seconds(range.from);
    range.from += std::chrono::seconds((missing_s + period_s - 1) / period_s * period_s);
    break;
  }
  return range;
}

std::vector<UnitPoints> read_statistic(Call& call, const StatisticQuery& query) {
  note_reader(call, query.metric, query.range.until);
  if (query.range.from >= query.range.until) return {};
  const telemetry::ReadRange range{.from = query.range.from,
                                   .until = query.range.until,
                                   .period_s = query.period_s,
                                   .unit = query.unit,
                                   .values = query.statistic.needs_values()};
  std::vector<UnitPoints> all;
  for (const telemetry::UnitBuckets& unit : call.local<telemetry::MetricStore>().read(call.tx, query.metric, range)) {
    UnitPoints points{.unit = unit.unit};
    for (const telemetry::Bucket& bucket : unit.buckets) {
      const auto value = compute(query.statistic, bucket.aggregate);
      if (value) points.points.push_back({base::from_seconds(bucket.start_s), *value, bucket.aggregate.count});
    }
    all.push_back(std::move(points));
  }
  std::sort(all.begin(), all.end(),
            [](const UnitPoints& a, const UnitPoints& b) { return unit_name(a.unit) < unit_name(b.unit); });
  return all;
}

}  // namespace services::cloudwatch
