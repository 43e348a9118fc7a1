// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/bytes.h"
#include "services/cloudwatch/errors.h"
#include "services/cloudwatch/label.h"
#include "services/cloudwatch/metric_data_expressions.h"
#include "services/cloudwatch/metric_data_query.h"
#include "services/cloudwatch/operations.h"
#include "services/cloudwatch/units.h"

namespace services::cloudwatch {
namespace {

using namespace shapes::cloudwatch;

// Where the next page continues: at this query, beyond this time of its points.
struct PagePosition {
  std::size_t query = 0;
  std::optional<std::int64_t> after_s = {};
};

wire::ApiError invalid_data_token() { return validation_error("Request parameter NextToken is invalid"); }

std::string encode_page(const PagePosition& position) {
  return base::to_base64(std::to_string(position.query) + ":" + (position.after_s ? std::to_string(*position.after_s) : ""));
}

PagePosition decode_page(const std::string& token, std::size_t queries) {
  const auto text = base::from_base64(token);
  const std::size_t colon = text ? text->find(':') : std::string::npos;
  if (colon == std::string::npos || colon == 0 || colon > 4 || text->size() - colon > 15) throw invalid_data_token();
  const std::string query = text->substr(0, colon), after = text->substr(colon + 1);
  if ((query + after).find_first_not_of("0123456789") != std::string::npos) throw invalid_data_token();
  PagePosition position{.query = std::stoul(query)};
  if (!after.empty()) position.after_s = std::stoll(after);
  if (position.query >= queries) throw invalid_data_token();
  return position;
}

LabelFacts label_facts(const Call& call, const ExpressionSeries& series, base::Duration zone) {
  LabelFacts facts{.default_label = series.label, .points = series.points, .now = call.now, .zone = zone};
  facts.account = call.caller.account;
  facts.region = call.caller.region;
  if (!series.source) return facts;
  const telemetry::Metric& metric = series.source->metric;
  facts.space = metric.space;
  facts.name = metric.name;
  facts.statistic = series.source->statistic;
  facts.period = std::to_string(series.source->period_s);
  for (const telemetry::Dimension& one : metric.dimensions) facts.dimensions.emplace_back(one.name, one.value);
  return facts;
}

// One request on its way to its answer.
class DataReader {
 public:
  DataReader(Call& call, const GetMetricDataInput& request)
      : call_(call),
        request_(request),
        queries_(check_queries(call, request)),
        descending_(request.ScanBy.value_or("TimestampDescending") == "TimestampDescending"),
        left_(static_cast<std::size_t>(request.MaxDatapoints.value_or(kMaxQueryDatapoints))) {
    output_.MetricDataResults.emplace();
    output_.Messages.emplace();
    const std::string zone = request.LabelOptions && request.LabelOptions->Timezone ? *request.LabelOptions->Timezone : "+0000";
    const auto parsed = parse_zone(zone);
    if (!parsed) throw validation_error("The value " + zone + " for parameter LabelOptions.Timezone is not supported.");
    zone_ = *parsed;
  }

  GetMetricDataOutput run() {
    const bool math = std::any_of(queries_.begin(), queries_.end(), [](const DataQuery& q) { return !q.metric; });
    if (math) {
      run_expressions();
    } else {
      run_pages();
    }
    return std::move(output_);
  }

 private:
  void run_pages() {
    PagePosition position;
    if (request_.NextToken && !request_.NextToken->empty()) position = decode_page(*request_.NextToken, queries_.size());
    for (; position.query < queries_.size(); ++position.query, position.after_s.reset()) {
      const DataQuery& query = queries_[position.query];
      if (!query.returned) continue;
      if (left_ == 0) {
        output_.NextToken = encode_page(position);
        return;
      }
      MetricPoints read = read_metric(call_, *query.metric);
      MetricDataResult result = make_result(
          query, {.label = query.default_label,
                  .points = std::move(read.points),
                  .messages = std::move(read.messages),
                  .source = SeriesSource{query.metric->metric, query.statistic_name, query.metric->period_s}});
      if (position.after_s) skip_to(*position.after_s, result);
      if (result.Values->size() > left_) {
        result.Values->resize(left_);
        result.Timestamps->resize(left_);
        result.StatusCode = "PartialData";
        output_.NextToken = encode_page({position.query, base::to_seconds(result.Timestamps->back())});
      }
      left_ -= result.Values->size();
      output_.MetricDataResults->push_back(std::move(result));
      if (output_.NextToken) return;
    }
  }

  // Amazon does not page results of expressions.
  void run_expressions() {
    const ExpressionResults results = evaluate_expressions(call_, request_, queries_);
    for (std::size_t i = 0; i < queries_.size(); ++i) {
      if (!queries_[i].returned) continue;
      for (const ExpressionSeries& series : results[i]) {
        if (series.points.size() > left_) throw too_many_datapoints();
        left_ -= series.points.size();
        output_.MetricDataResults->push_back(make_result(queries_[i], series));
      }
    }
  }

  wire::ApiError too_many_datapoints() const {
    return validation_error("The expressions return more than " +
                            std::to_string(request_.MaxDatapoints.value_or(kMaxQueryDatapoints)) +
                            " datapoints, and their results have no pages: increase Period, or decrease the time range.");
  }

  MetricDataResult make_result(const DataQuery& query, const ExpressionSeries& series) const {
    const std::vector<MathPoint>& points = series.points;
    MetricDataResult result{.Id = query.shape->Id, .StatusCode = "Complete"};
    result.Label = series.label;
    result.Messages = series.messages;
    if (query.shape->Label) {
      result.Label = make_label(*query.shape->Label, label_facts(call_, series, zone_));
      // Documented: "Filled with 0: Errors" is the label of an expression, and that of a series.
      const bool is_dynamic = query.shape->Label->find("${") != std::string::npos;
      if (series.in_array && !is_dynamic) *result.Label += " " + series.label;
    }
    result.Timestamps.emplace();
    result.Values.emplace();
    result.Timestamps->reserve(points.size());
    result.Values->reserve(points.size());
    for (const MathPoint& point : points) {
      result.Timestamps->push_back(point.at);
      result.Values->push_back(point.value);
    }
    if (descending_) {
      std::reverse(result.Timestamps->begin(), result.Timestamps->end());
      std::reverse(result.Values->begin(), result.Values->end());
    }
    return result;
  }

  // Drops the points of the pages before.
  void skip_to(std::int64_t after_s, MetricDataResult& result) const {
    const base::Time after = base::from_seconds(after_s);
    const auto& times = *result.Timestamps;
    const auto seen = std::find_if(times.begin(), times.end(),
                                   [&](base::Time at) { return descending_ ? at < after : at > after; }) -
                      times.begin();
    result.Timestamps->erase(result.Timestamps->begin(), result.Timestamps->begin() + seen);
    result.Values->erase(result.Values->begin(), result.Values->begin() + seen);
  }

  Call& call_;
  const GetMetricDataInput& request_;
  std::vector<DataQuery> queries_;
  bool descending_;
  std::size_t left_;  // datapoints that this page may still have
  base::Duration zone_ = {};
  GetMetricDataOutput output_;
};

GetMetricDataOutput get_metric_data(Call& call, const GetMetricDataInput& request) {
  return DataReader(call, request).run();
}

}  // namespace

std::vector<Operation> get_metric_data_operations() {
  return {operation<&get_metric_data>("GetMetricData", Access::Read)};
}

}  // namespace services::cloudwatch
