// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/metric_data_expressions.h"

#include <algorithm>
#include <map>

#include "services/cloudwatch/errors.h"
#include "services/cloudwatch/math/math_program.h"
#include "services/cloudwatch/math/metric_search.h"
#include "services/cloudwatch/units.h"

namespace services::cloudwatch {
namespace {

using namespace shapes::cloudwatch;

// Points that the metrics of a request with expressions may have together: those of 500 metrics on a full page each
// would take minutes.
constexpr std::int64_t kMaxExpressionPoints = 5'000'000;
// Metrics are searched among those with data in the last two weeks, as on Amazon.
constexpr base::Duration kSearchedFor = std::chrono::hours(14 * 24);
constexpr std::int64_t kDefaultSearchPeriod = 300;

MessageData multiple_units(const std::vector<UnitPoints>& units) {
  std::string names;
  for (const UnitPoints& one : units) names += (names.empty() ? "" : ", ") + std::string(unit_name(one.unit));
  return {.Code = "MultipleUnits", .Value = "Multiple units returned: '[" + names + "]'"};
}

std::int64_t point_count(const StatisticQuery& query) {
  if (query.range.from >= query.range.until) return 0;
  return (query.range.until - query.range.from) / std::chrono::seconds(query.period_s);
}

// The period that scalars and functions of time are spread over.
std::int64_t math_period(const std::vector<DataQuery>& queries) {
  std::optional<std::int64_t> shortest;
  for (const DataQuery& query : queries) {
    std::optional<std::int64_t> period;
    if (query.metric) period = query.metric->period_s;
    if (query.shape->Period) period = *query.shape->Period;
    if (period) shortest = std::min(shortest.value_or(*period), *period);
  }
  return shortest.value_or(kDefaultSearchPeriod);
}

std::vector<telemetry::Metric> search_metrics(Call& call, const SearchQuery& query) {
  telemetry::MetricFilter filter{.account = call.caller.account, .region = call.caller.region};
  if (query.has_schema && !query.metric_namespace.empty()) filter.space = query.metric_namespace;
  filter.active_since = call.now - kSearchedFor;
  std::vector<telemetry::Metric> found;
  while (found.size() < kMaxSearchSeries) {
    const auto page = call.local<telemetry::MetricStore>().list(call.tx, filter);
    for (const telemetry::Metric& metric : page->metrics) {
      std::vector<std::pair<std::string, std::string>> dimensions;
      for (const telemetry::Dimension& one : metric.dimensions) dimensions.emplace_back(one.name, one.value);
      if (found.size() < kMaxSearchSeries && query.matches({metric.space, metric.name, dimensions})) found.push_back(metric);
    }
    if (page->next.empty()) break;
    filter.after = page->next;
  }
  return found;
}

// The values of dimensions and the name, as far as they differ between the series.
std::vector<std::string> search_labels(const std::vector<telemetry::Metric>& metrics) {
  std::vector<std::string> labels(metrics.size());
  const auto differ = [&](auto part) {
    return std::any_of(metrics.begin(), metrics.end(), [&](const auto& one) { return part(one) != part(metrics.front()); });
  };
  const auto values = [](const telemetry::Metric& metric) {
    std::string text;
    for (const telemetry::Dimension& one : metric.dimensions) text += (text.empty() ? "" : " ") + one.value;
    return text;
  };
  const auto name = [](const telemetry::Metric& metric) { return metric.name; };
  const bool by_values = differ(values), by_name = differ(name) || !by_values;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    if (by_values) labels[i] = values(metrics[i]);
    if (by_name) labels[i] += (labels[i].empty() ? "" : " ") + metrics[i].name;
  }
  return labels;
}

class Expressions {
 public:
  Expressions(Call& call, const GetMetricDataInput& request, const std::vector<DataQuery>& queries)
      : call_(call), request_(request), queries_(queries), period_s_(math_period(queries)) {}

  ExpressionResults run() {
    std::vector<MathQuery> math;
    for (const DataQuery& query : queries_) math.push_back({query.shape->Id, query.shape->Expression.value_or("")});
    const MathProgram program = MathProgram::compile(math);
    check_types(program);
    const TimeRange range = readable_range(request_.StartTime, request_.EndTime, call_.now, period_s_);
    MathInput input{.range = {range.from, range.until, period_s_}};
    for (const DataQuery& query : queries_) {
      if (query.metric) input.metrics.emplace(query.shape->Id, read_series(query));
    }
    input.search = [this](const MathSearch& search) { return run_search(search); };
    MathResults values = program.evaluate(input);
    ExpressionResults results;
    for (const DataQuery& query : queries_) results.push_back(to_series(query, values.at(query.shape->Id)));
    return results;
  }

 private:
  void check_types(const MathProgram& program) const {
    for (const DataQuery& query : queries_) {
      if (!query.returned || program.type_of(query.shape->Id) != MathType::Scalar) continue;
      throw validation_error("Error in expression '" + query.shape->Id +
                             "': The expression must return a time series or an array of time series.");
    }
  }

  void count_points(std::int64_t count) {
    points_ += count;
    if (points_ <= kMaxExpressionPoints) return;
    throw validation_error("The metrics of these expressions have up to " + std::to_string(points_) +
                           " datapoints, which exceeds the limit of " + std::to_string(kMaxExpressionPoints) + ".");
  }

  MathSeries read_series(const DataQuery& query) {
    count_points(point_count(*query.metric));
    MetricPoints read = read_metric(call_, *query.metric);
    if (read.messages) messages_[query.shape->Id] = *read.messages;
    return {.label = query.default_label,
            .period_s = query.metric->period_s,
            .points = std::move(read.points),
            .source = add_source({query.metric->metric, query.statistic_name, query.metric->period_s})};
  }

  MathArray run_search(const MathSearch& search) {
    const auto statistic = parse_statistic(search.statistic);
    if (!statistic) throw validation_error("The value " + search.statistic + " is not a statistic.");
    const std::int64_t period = search.period_s.value_or(period_s_);
    if (!is_valid_period(period)) throw validation_error("The period of a search must be 1, 5, 10, 20, 30 or a multiple of 60.");
    const auto metrics = search_metrics(call_, parse_search(search.query));
    const auto labels = search_labels(metrics);
    MathArray found;
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      const StatisticQuery query{.metric = metrics[i],
                                 .statistic = *statistic,
                                 .period_s = period,
                                 .range = readable_range(request_.StartTime, request_.EndTime, call_.now, period)};
      count_points(point_count(query));
      found.push_back({.label = labels[i],
                       .period_s = period,
                       .points = read_metric(call_, query).points,
                       .source = add_source({metrics[i], search.statistic, period})});
    }
    return found;
  }

  std::vector<ExpressionSeries> to_series(const DataQuery& query, MathValue& value) {
    std::vector<ExpressionSeries> series;
    if (auto* one = std::get_if<MathSeries>(&value)) {
      series.push_back({.label = query.default_label, .points = std::move(one->points)});
      if (query.metric && one->source) series[0].source = sources_[*one->source];
      if (auto found = messages_.find(query.shape->Id); found != messages_.end()) series[0].messages = found->second;
    } else if (auto* array = std::get_if<MathArray>(&value)) {
      for (MathSeries& each : *array) {
        series.push_back({.label = each.label.empty() ? query.default_label : each.label, .points = std::move(each.points)});
        if (each.source) series.back().source = sources_[*each.source];
        series.back().in_array = true;
      }
    }
    return series;
  }

  std::size_t add_source(SeriesSource source) {
    sources_.push_back(std::move(source));
    return sources_.size() - 1;
  }

  Call& call_;
  const GetMetricDataInput& request_;
  const std::vector<DataQuery>& queries_;
  std::int64_t period_s_;
  std::int64_t points_ = 0;
  std::vector<SeriesSource> sources_;
  std::map<std::string, std::vector<MessageData>> messages_;  // of metrics, by id
};

}  // namespace

MetricPoints read_metric(Call& call, const StatisticQuery& query) {
  MetricPoints result;
  const std::vector<UnitPoints> units = read_statistic(call, query);
  if (units.empty()) return result;
  if (units.size() > 1) result.messages = {multiple_units(units)};
  result.points.reserve(units.front().points.size());
  for (const StatisticPoint& point : units.front().points) result.points.push_back({point.at, point.value});
  return result;
}

ExpressionResults evaluate_expressions(Call& call, const GetMetricDataInput& request,
                                       const std::vector<DataQuery>& queries) {
  return Expressions(call, request, queries).run();
}

}  // namespace services::cloudwatch
