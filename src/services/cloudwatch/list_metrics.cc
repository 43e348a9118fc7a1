// SPDX-License-Identifier: Apache-2.0
#include "base/bytes.h"
#include "services/cloudwatch/errors.h"
#include "services/cloudwatch/operations.h"
#include "shapes/cloudwatch/metric_query.h"
#include "telemetry/metrics/metric_store.h"

namespace services::cloudwatch {
namespace {

using namespace shapes::cloudwatch;

constexpr std::size_t kMetricsPerPage = 500;
constexpr base::Duration kListedFor = std::chrono::hours(14 * 24);
constexpr base::Duration kRecently = std::chrono::hours(3);

telemetry::MetricFilter to_filter(Call& call, const ListMetricsInput& request) {
  telemetry::MetricFilter filter{.account = call.caller.account, .region = call.caller.region};
  filter.space = request.Namespace;
  filter.name = request.MetricName;
  for (const DimensionFilter& one : request.Dimensions.value_or(std::vector<DimensionFilter>())) {
    filter.dimensions.push_back({one.Name, one.Value});
  }
  filter.active_since = call.now - (request.RecentlyActive ? kRecently : kListedFor);
  filter.most = kMetricsPerPage;
  return filter;
}

Metric to_shape(const telemetry::Metric& metric) {
  Metric shape{.Namespace = metric.space, .MetricName = metric.name, .Dimensions = std::vector<Dimension>()};
  for (const telemetry::Dimension& one : metric.dimensions) shape.Dimensions->push_back({one.name, one.value});
  return shape;
}

wire::ApiError invalid_token() { return invalid_value("Request parameter NextToken is invalid"); }

ListMetricsOutput list_metrics(Call& call, const ListMetricsInput& request) {
  if (request.IncludeLinkedAccounts.value_or(false)) throw unsupported_parameter("IncludeLinkedAccounts");
  if (request.OwningAccount) throw unsupported_parameter("OwningAccount");
  telemetry::MetricFilter filter = to_filter(call, request);
  if (request.NextToken && !request.NextToken->empty()) {
    auto after = base::from_base64(*request.NextToken);
    if (!after || after->empty()) throw invalid_token();
    filter.after = std::move(*after);
  }
  const auto listed = call.local<telemetry::MetricStore>().list(call.tx, filter);
  if (!listed) throw invalid_token();
  ListMetricsOutput output{.Metrics = std::vector<Metric>()};
  for (const telemetry::Metric& metric : listed->metrics) output.Metrics->push_back(to_shape(metric));
  if (!listed->next.empty()) output.NextToken = base::to_base64(listed->next);
  return output;
}

}  // namespace

std::vector<Operation> list_metrics_operations() { return {operation<&list_metrics>("ListMetrics", Access::Read)}; }

}  // namespace services::cloudwatch
