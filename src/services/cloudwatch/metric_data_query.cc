// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/metric_data_query.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "services/cloudwatch/errors.h"
#include "services/cloudwatch/units.h"

namespace services::cloudwatch {
namespace {

using namespace shapes::cloudwatch;

constexpr std::size_t kMaxQueries = 500;

bool is_query_id(std::string_view id) {
  const bool starts = !id.empty() && id[0] >= 'a' && id[0] <= 'z';
  return starts && std::all_of(id.begin(), id.end(), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
         });
}

StatisticQuery to_statistic_query(Call& call, const GetMetricDataInput& request, const MetricStat& stat,
                                  const std::string& path) {
  if (!stat.Metric.Namespace) throw validation_error("The parameter " + path + ".Metric.Namespace is required.\n");
  if (!stat.Metric.MetricName) throw validation_error("The parameter " + path + ".Metric.MetricName is required.\n");
  if (!is_valid_period(stat.Period)) {
    throw validation_error("The parameter " + path + ".Period must be 1, 5, 10, 20, 30 or a multiple of 60.");
  }
  const auto statistic = parse_statistic(stat.Stat);
  if (!statistic) throw validation_error("The value " + stat.Stat + " for parameter " + path + ".Stat is not supported.");
  return {.metric = to_metric(call.caller, *stat.Metric.Namespace, *stat.Metric.MetricName, stat.Metric.Dimensions),
          .statistic = *statistic,
          .period_s = stat.Period,
          .range = readable_range(request.StartTime, request.EndTime, call.now, stat.Period),
          .unit = stat.Unit ? find_unit(*stat.Unit) : std::nullopt};
}

DataQuery check_query(Call& call, const GetMetricDataInput& request, std::size_t index) {
  const MetricDataQuery& query = request.MetricDataQueries[index];
  const std::string path = "MetricDataQueries.member." + std::to_string(index + 1);
  if (!is_query_id(query.Id)) {
    throw validation_error("The value " + query.Id + " for parameter " + path +
                           ".Id is not matching the expected pattern ^[a-z][a-zA-Z0-9_]*$.");
  }
  if (query.AccountId && *query.AccountId != call.caller.account) throw unsupported_parameter(path + ".AccountId");
  if (query.MetricStat && query.Expression) {
    throw validation_error("The parameters " + path + ".Expression and " + path +
                           ".MetricStat are mutually exclusive and you have specified both.");
  }
  if (query.MetricStat && query.Period) {
    throw validation_error("The parameters " + path + ".Period and " + path +
                           ".MetricStat are mutually exclusive and you have specified both.");
  }
  DataQuery checked{.shape = &query, .returned = query.ReturnData.value_or(true)};
  if (query.MetricStat) {
    checked.metric = to_statistic_query(call, request, *query.MetricStat, path + ".MetricStat");
    checked.statistic_name = query.MetricStat->Stat;
    return checked;
  }
  if (!query.Expression) throw validation_error("The parameter " + path + ".MetricStat is required.\n");
  if (query.Period && !is_valid_period(*query.Period)) {
    throw validation_error("The parameter " + path + ".Period must be 1, 5, 10, 20, 30 or a multiple of 60.");
  }
  checked.default_label = query.Id;
  return checked;
}

// A metric's name, and what distinguishes the metrics of this request beside it.
void set_default_labels(std::vector<DataQuery>& queries) {
  std::set<std::string> statistics;
  std::set<std::int64_t> periods;
  for (const DataQuery& query : queries) {
    if (!query.metric) continue;
    statistics.insert(query.statistic_name);
    periods.insert(query.metric->period_s);
  }
  for (DataQuery& query : queries) {
    if (!query.metric) continue;
    query.default_label = query.metric->metric.name;
    if (statistics.size() > 1) query.default_label += " " + query.statistic_name;
    if (periods.size() > 1) query.default_label += " " + std::to_string(query.metric->period_s);
  }
}

}  // namespace

std::vector<DataQuery> check_queries(Call& call, const GetMetricDataInput& request) {
  if (request.MetricDataQueries.empty()) throw validation_error("The parameter MetricDataQueries is required.\n");
  if (request.MetricDataQueries.size() > kMaxQueries) {
    throw validation_error("The collection MetricDataQueries must not have a size greater than " +
                           std::to_string(kMaxQueries) + ".");
  }
  const std::int64_t start = base::to_seconds(request.StartTime), end = base::to_seconds(request.EndTime);
  if (start == end) throw validation_error("The parameter StartTime must not equal parameter EndTime.");
  if (start > end) throw validation_error("The parameter EndTime must be greater than StartTime.");
  const std::int32_t most = request.MaxDatapoints.value_or(kMaxQueryDatapoints);
  if (most < 1 || most > kMaxQueryDatapoints) {
    throw validation_error("The parameter MaxDatapoints must be between 1 and " + std::to_string(kMaxQueryDatapoints) + ".");
  }
  std::vector<DataQuery> queries;
  std::set<std::string> ids;
  for (std::size_t i = 0; i < request.MetricDataQueries.size(); ++i) {
    queries.push_back(check_query(call, request, i));
    if (!ids.insert(request.MetricDataQueries[i].Id).second) {
      throw validation_error("The values for parameter id in MetricDataQueries are not unique.");
    }
  }
  set_default_labels(queries);
  return queries;
}

}  // namespace services::cloudwatch
