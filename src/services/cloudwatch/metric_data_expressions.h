// SPDX-License-Identifier: Apache-2.0
// The data behind GetMetricData's results: points of metrics, and expressions over them.
#pragma once

#include <string>
#include <vector>

#include "services/cloudwatch/math/math_series.h"
#include "services/cloudwatch/metric_data_query.h"

namespace services::cloudwatch {

struct MetricPoints {
  std::vector<MathPoint> points = {};  // in order of time
  std::optional<std::vector<shapes::cloudwatch::MessageData>> messages = {};
};

// Of one unit. Where the metric has several and the query names none: of the first by name, with Amazon's message.
MetricPoints read_metric(Call& call, const StatisticQuery& query);

// The metric behind a series, for labels that show its properties.
struct SeriesSource {
  telemetry::Metric metric;
  std::string statistic;
  std::int64_t period_s = 60;
};

struct ExpressionSeries {
  std::string label;  // unless the query has one
  std::vector<MathPoint> points = {};
  std::optional<std::vector<shapes::cloudwatch::MessageData>> messages = {};
  std::optional<SeriesSource> source = {};  // absent for what expressions made of several metrics
  bool in_array = false;
};

// For each query its series: one, or several for an expression that returns an array.
using ExpressionResults = std::vector<std::vector<ExpressionSeries>>;

// Throws wire::ApiError as MathProgram does.
ExpressionResults evaluate_expressions(Call& call, const shapes::cloudwatch::GetMetricDataInput& request,
                                       const std::vector<DataQuery>& queries);

}  // namespace services::cloudwatch
