// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "services/cloudwatch/errors.h"
#include "services/cloudwatch/metric_reading.h"
#include "services/cloudwatch/operations.h"
#include "services/cloudwatch/units.h"
#include "shapes/cloudwatch/metric_query.h"

namespace services::cloudwatch {
namespace {

using namespace shapes::cloudwatch;

constexpr std::int64_t kMaxDatapoints = 1440;

struct NamedStatistic {
  std::string name;
  Statistic statistic;
};

std::vector<NamedStatistic> parse_extended(const GetMetricStatisticsInput& request) {
  std::vector<NamedStatistic> parsed;
  if (!request.ExtendedStatistics) return parsed;
  for (const std::string& name : *request.ExtendedStatistics) {
    const auto statistic = parse_statistic(name);
    if (!statistic || !statistic->needs_values()) {
      throw invalid_value("The value " + name + " for parameter ExtendedStatistics is not supported.");
    }
    parsed.push_back({name, *statistic});
  }
  return parsed;
}

void check_range(const GetMetricStatisticsInput& request, base::Time from) {
  if (!is_valid_period(request.Period)) {
    throw invalid_value("The parameter Period must be 1, 5, 10, 20, 30 or a multiple of 60.");
  }
  if (base::to_seconds(request.StartTime) >= base::to_seconds(request.EndTime)) {
    throw invalid_value("The parameter StartTime must be less than the parameter EndTime.");
  }
  const std::int64_t seconds = base::to_seconds(request.EndTime) - base::to_seconds(from);
  const std::int64_t requested = (seconds + request.Period - 1) / request.Period;
  if (requested <= kMaxDatapoints) return;
  throw invalid_combination("You have requested up to " + std::to_string(requested) +
                            " datapoints, which exceeds the limit of " + std::to_string(kMaxDatapoints) +
                            ". You may reduce the datapoints requested by increasing Period, or decreasing the time"
                            " range.");
}

Datapoint make_datapoint(const telemetry::Bucket& bucket, telemetry::Unit unit, const GetMetricStatisticsInput& request,
                         const std::vector<NamedStatistic>& extended) {
  Datapoint point;
  point.Timestamp = base::from_seconds(bucket.start_s);
  point.Unit = std::string(unit_name(unit));
  for (const std::string& name : request.Statistics.value_or(std::vector<std::string>())) {
    if (name == "SampleCount") point.SampleCount = bucket.aggregate.count;
    if (name == "Average") point.Average = bucket.aggregate.average();
    if (name == "Sum") point.Sum = bucket.aggregate.sum;
    if (name == "Minimum") point.Minimum = bucket.aggregate.min;
    if (name == "Maximum") point.Maximum = bucket.aggregate.max;
  }
  for (const NamedStatistic& one : extended) {
    const auto value = compute(one.statistic, bucket.aggregate);
    if (!value) continue;
    if (!point.ExtendedStatistics) point.ExtendedStatistics.emplace();
    (*point.ExtendedStatistics)[one.name] = *value;
  }
  return point;
}

GetMetricStatisticsOutput get_metric_statistics(Call& call, const GetMetricStatisticsInput& request) {
  const bool plain = request.Statistics && !request.Statistics->empty();
  const auto extended = parse_extended(request);
  if (plain != extended.empty()) throw invalid_combination("Must specify either Statistics or ExtendedStatistics");
  check_range(request, is_valid_period(request.Period) ? rounded_start(request.StartTime, call.now, request.Period)
                                                       : request.StartTime);
  const TimeRange range = readable_range(request.StartTime, request.EndTime, call.now, request.Period);
  GetMetricStatisticsOutput output{.Label = request.MetricName, .Datapoints = std::vector<Datapoint>()};
  const telemetry::Metric metric = to_metric(call.caller, request.Namespace, request.MetricName, request.Dimensions);
  note_reader(call, metric, request.EndTime);
  if (range.from >= range.until) return output;
  const telemetry::ReadRange read{.from = range.from,
                                  .until = range.until,
                                  .period_s = request.Period,
                                  .unit = request.Unit ? find_unit(*request.Unit) : std::nullopt,
                                  .values = !extended.empty()};
  for (const telemetry::UnitBuckets& unit : call.local<telemetry::MetricStore>().read(call.tx, metric, read)) {
    for (const telemetry::Bucket& bucket : unit.buckets) {
      Datapoint point = make_datapoint(bucket, unit.unit, request, extended);
      // Amazon has no datapoint where none of the percentiles is known.
      if (plain || point.ExtendedStatistics) output.Datapoints->push_back(std::move(point));
    }
  }
  return output;
}

}  // namespace

std::vector<Operation> get_metric_statistics_operations() {
  return {operation<&get_metric_statistics>("GetMetricStatistics", Access::Read)};
}

}  // namespace services::cloudwatch
