// SPDX-License-Identifier: Apache-2.0
// The queries of GetMetricData, checked.
#pragma once

#include <string>
#include <vector>

#include "services/cloudwatch/metric_reading.h"
#include "shapes/cloudwatch/metric_query.h"

namespace services::cloudwatch {

inline constexpr std::int64_t kMaxQueryDatapoints = 100'800;

struct DataQuery {
  const shapes::cloudwatch::MetricDataQuery* shape = nullptr;
  bool returned = true;
  // Of a metric; an expression has none of these.
  std::optional<StatisticQuery> metric = {};
  std::string statistic_name = {};
  std::string default_label = {};
};

// Throws wire::ApiError for what Amazon rejects.
std::vector<DataQuery> check_queries(Call& call, const shapes::cloudwatch::GetMetricDataInput& request);

}  // namespace services::cloudwatch
