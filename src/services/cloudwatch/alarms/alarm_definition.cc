// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/alarms/alarm_definition.h"

#include <algorithm>

#include "base/check.h"
#include "services/cloudwatch/metric_reading.h"
#include "services/cloudwatch/units.h"

namespace services::cloudwatch {
namespace {

using shapes::cloudwatch::MetricDataQuery;
using shapes::cloudwatch::PutMetricAlarmInput;

OpenSlot open_slot_of(const Statistic& statistic) {
  switch (statistic.kind) {
    case StatisticKind::SampleCount:
    case StatisticKind::Sum:
    case StatisticKind::Maximum:
    case StatisticKind::TrimmedCount:
    case StatisticKind::TrimmedSum: return OpenSlot::Grows;
    case StatisticKind::Minimum: return OpenSlot::Falls;
    default: return OpenSlot::Free;
  }
}

bool accumulates(const Statistic& statistic) {
  return open_slot_of(statistic) == OpenSlot::Grows && statistic.kind != StatisticKind::Maximum;
}

// The value of an expression over sums changes in unknown ways while they grow. A filler in an open slot must not
// breach a lower bound.
OpenSlot open_slot_of_math(const AlarmDefinition& definition) {
  const bool sums = std::any_of(definition.metrics.begin(), definition.metrics.end(),
                                [](const AlarmMetric& metric) { return accumulates(metric.statistic); });
  const bool downwards = definition.rules.comparison == Comparison::Less ||
                         definition.rules.comparison == Comparison::LessOrEqual;
  if (sums || (definition.rules.always_due && downwards)) return OpenSlot::Unusable;
  return OpenSlot::Free;
}

Statistic statistic_named(const std::string& name) {
  const auto statistic = parse_statistic(name);
  CHECK(statistic) << "a stored alarm has an invalid statistic";
  return *statistic;
}

std::optional<telemetry::Unit> unit_named(const std::optional<std::string>& name) {
  return name ? find_unit(*name) : std::nullopt;
}

void define_single(const Caller& owner, const PutMetricAlarmInput& input, AlarmDefinition& definition) {
  const std::string name = input.Statistic ? *input.Statistic : input.ExtendedStatistic.value_or("");
  const Statistic statistic = statistic_named(name);
  definition.rules.statistic = name;
  definition.rules.unit = input.Unit.value_or("");
  definition.rules.period_s = input.Period.value_or(60);
  definition.rules.open_slot = open_slot_of(statistic);
  if (statistic.kind == StatisticKind::Percentile && input.EvaluateLowSampleCountPercentile == "ignore") {
    definition.rules.ignored_below_samples = samples_needed(statistic.percentile);
  }
  definition.metrics.push_back({.id = "",
                                .metric = to_metric(owner, input.Namespace.value_or(""), input.MetricName.value_or(""),
                                                    input.Dimensions),
                                .statistic = statistic,
                                .unit = unit_named(input.Unit)});
}

void define_math(const Caller& owner, const std::vector<MetricDataQuery>& queries, AlarmDefinition& definition) {
  definition.program = MathProgram::compile(math_queries(queries));
  definition.rules.period_s = shared_period(queries).value_or(60);
  for (const MetricDataQuery& query : queries) {
    if (query.ReturnData.value_or(true)) definition.returned_id = query.Id;
    if (!query.MetricStat) continue;
    const auto& stat = *query.MetricStat;
    definition.metrics.push_back({.id = query.Id,
                                  .metric = to_metric(owner, stat.Metric.Namespace.value_or(""),
                                                      stat.Metric.MetricName.value_or(""), stat.Metric.Dimensions),
                                  .statistic = statistic_named(stat.Stat),
                                  .unit = unit_named(stat.Unit)});
  }
  definition.rules.always_due = definition.program->makes_points();
  definition.rules.open_slot = open_slot_of_math(definition);
}

// Without a unit, the one that Amazon chooses: the first by name.
std::vector<StatisticPoint> read_metric(Call& call, const AlarmMetric& metric, std::int64_t period_s, base::Time from,
                                        base::Time until) {
  auto units = read_statistic(call, {.metric = metric.metric,
                                     .statistic = metric.statistic,
                                     .period_s = period_s,
                                     .range = {from, until},
                                     .unit = metric.unit});
  return units.empty() ? std::vector<StatisticPoint>() : std::move(units.front().points);
}

std::vector<AlarmPoint> read_math(Call& call, const AlarmDefinition& definition, base::Time from, base::Time until) {
  // Functions that fill gaps must not fill the future.
  const std::int64_t period_s = definition.rules.period_s;
  const std::int64_t step_s = std::min<std::int64_t>(period_s, 60);
  const std::int64_t now_s = base::to_seconds(call.now);
  until = std::min(until, base::from_seconds(now_s - now_s % step_s + step_s));
  MathInput input{.range = {from, until, period_s}, .metrics = {}};
  for (const AlarmMetric& metric : definition.metrics) {
    MathSeries& series = input.metrics[metric.id];
    series.period_s = period_s;
    for (const StatisticPoint& point : read_metric(call, metric, period_s, from, until)) {
      series.points.push_back({point.at, point.value});
    }
  }
  std::vector<AlarmPoint> points;
  const MathResults results = definition.program->evaluate(input);
  for (const MathPoint& point : std::get<MathSeries>(results.at(definition.returned_id)).points) {
    points.push_back({point.at, point.value, 0});
  }
  return points;
}

}  // namespace

std::optional<Comparison> parse_comparison(std::string_view text) {
  if (text == "GreaterThanOrEqualToThreshold") return Comparison::GreaterOrEqual;
  if (text == "GreaterThanThreshold") return Comparison::Greater;
  if (text == "LessThanThreshold") return Comparison::Less;
  if (text == "LessThanOrEqualToThreshold") return Comparison::LessOrEqual;
  return std::nullopt;
}

std::optional<MissingData> parse_missing_data(std::string_view text) {
  if (text == "missing") return MissingData::Missing;
  if (text == "ignore") return MissingData::Ignore;
  if (text == "breaching") return MissingData::Breaching;
  if (text == "notBreaching") return MissingData::NotBreaching;
  return std::nullopt;
}

std::optional<std::int64_t> shared_period(const std::vector<MetricDataQuery>& metrics) {
  std::optional<std::int64_t> of_expression;
  for (const MetricDataQuery& query : metrics) {
    if (query.MetricStat) return query.MetricStat->Period;
    if (query.Period) of_expression = *query.Period;
  }
  return of_expression;
}

std::vector<MathQuery> math_queries(const std::vector<MetricDataQuery>& metrics) {
  std::vector<MathQuery> queries;
  for (const MetricDataQuery& query : metrics) queries.push_back({query.Id, query.Expression.value_or("")});
  return queries;
}

AlarmDefinition define_alarm(const std::string& account, const std::string& region, const PutMetricAlarmInput& input) {
  AlarmDefinition definition;
  AlarmRules& rules = definition.rules;
  rules.comparison = parse_comparison(input.ComparisonOperator.value_or("")).value_or(Comparison::Greater);
  rules.threshold = input.Threshold.value_or(0);
  rules.periods = static_cast<std::size_t>(input.EvaluationPeriods.value_or(1));
  rules.to_alarm = static_cast<std::size_t>(input.DatapointsToAlarm.value_or(input.EvaluationPeriods.value_or(1)));
  rules.to_alarm_set = input.DatapointsToAlarm.has_value();
  rules.missing = parse_missing_data(input.TreatMissingData.value_or("missing")).value_or(MissingData::Missing);
  const Caller owner{.account = account, .region = region};
  if (input.Metrics && !input.Metrics->empty()) {
    define_math(owner, *input.Metrics, definition);
  } else {
    define_single(owner, input, definition);
  }
  return definition;
}

std::vector<std::string> metric_keys(const AlarmDefinition& definition) {
  std::vector<std::string> keys;
  for (const AlarmMetric& metric : definition.metrics) {
    std::string key = telemetry::metric_key(metric.metric);
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(std::move(key));
  }
  return keys;
}

ReadSlots slot_reader(Call& call, const AlarmDefinition& definition) {
  return [&call, &definition](base::Time from, base::Time until) {
    if (definition.program) return read_math(call, definition, from, until);
    std::vector<AlarmPoint> points;
    for (const StatisticPoint& point :
         read_metric(call, definition.metrics[0], definition.rules.period_s, from, until)) {
      points.push_back({point.at, point.value, point.sample_count});
    }
    return points;
  };
}

}  // namespace services::cloudwatch
