// SPDX-License-Identifier: Apache-2.0
// The running tasks of a service, published every second while an alarm reads them: ECS itself publishes a count only
// with Container Insights, and none for a service without tasks.
#include "services/application_autoscaling/operations.h"
#include "services/application_autoscaling/service_capacity.h"
#include "services/application_autoscaling/tracked_metric.h"

namespace services::application_autoscaling {

Measured measure_tasks(Call& call, const Due& due) {
  Measured measured;
  if (!due.minute && !due.second) return measured;
  for (const MetricKey& metric : due.interest) {
    if (metric.space != kTaskSpace || metric.name != kTaskMetric || metric.dimensions.size() != 2) continue;
    const auto cluster = metric.dimensions.find("ClusterName"), service = metric.dimensions.find("ServiceName");
    if (cluster == metric.dimensions.end() || service == metric.dimensions.end()) continue;
    const auto capacity =
        read_capacity(call.tx, metric.account, metric.region, "service/" + cluster->second + "/" + service->second);
    if (!capacity) continue;
    Measurement point;
    point.metric = metric;
    point.unit = "Count";
    point.at = call.now;
    point.high_resolution = true;
    point.values = {static_cast<double>(capacity->running)};
    point.counts = {1};
    measured.points.push_back(std::move(point));
  }
  return measured;
}

}  // namespace services::application_autoscaling
