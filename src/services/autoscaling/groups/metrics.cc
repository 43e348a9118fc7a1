// SPDX-License-Identifier: Apache-2.0
// Metrics of groups: AWS/AutoScaling, for groups that have enabled their collection.
#include <algorithm>
#include <array>

#include "services/autoscaling/errors.h"
#include "services/autoscaling/groups/group.h"
#include "services/autoscaling/groups/group_instances.h"
#include "services/autoscaling/groups/operations.h"

namespace services::autoscaling {
namespace {

using namespace shapes::autoscaling;

constexpr char kGranularity[] = "1Minute";
constexpr std::array<std::string_view, 13> kGroupMetrics = {
    "GroupMinSize",           "GroupMaxSize",          "GroupDesiredCapacity",      "GroupInServiceInstances",
    "GroupPendingInstances",  "GroupStandbyInstances", "GroupTerminatingInstances", "GroupTotalInstances",
    "GroupInServiceCapacity", "GroupPendingCapacity",  "GroupStandbyCapacity",      "GroupTerminatingCapacity",
    "GroupTotalCapacity"};

std::string list_metrics() {
  std::string list;
  for (const std::string_view name : kGroupMetrics) list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

// All of them where the request names none.
std::vector<std::string> named_metrics(const std::optional<std::vector<std::string>>& names) {
  if (!names || names->empty()) return {kGroupMetrics.begin(), kGroupMetrics.end()};
  for (const std::string& name : *names) {
    if (std::find(kGroupMetrics.begin(), kGroupMetrics.end(), name) == kGroupMetrics.end()) {
      throw validation_error("Valid metrics collection types are: [" + list_metrics() + "]");
    }
  }
  return *names;
}

void enable_metrics_collection(Call& call, const EnableMetricsCollectionQuery& request) {
  Group group = find_group(call, request.AutoScalingGroupName);
  if (request.Granularity != kGranularity) throw validation_error("Valid metrics granularity type is: [1Minute]");
  for (const std::string& name : named_metrics(request.Metrics)) {
    auto& metrics = group.settings.metrics;
    if (std::find(metrics.begin(), metrics.end(), name) == metrics.end()) metrics.push_back(name);
  }
  save_group(call.tx, group);
}

void disable_metrics_collection(Call& call, const DisableMetricsCollectionQuery& request) {
  Group group = find_group(call, request.AutoScalingGroupName);
  const std::vector<std::string> names = named_metrics(request.Metrics);
  std::erase_if(group.settings.metrics,
                [&](const std::string& one) { return std::find(names.begin(), names.end(), one) != names.end(); });
  save_group(call.tx, group);
}

DescribeMetricCollectionTypesAnswer describe_metric_collection_types(Call&, const NoMembers&) {
  DescribeMetricCollectionTypesAnswer answer;
  answer.Metrics.emplace();
  for (const std::string_view name : kGroupMetrics) answer.Metrics->push_back({.Metric = std::string(name)});
  answer.Granularities = {{{.Granularity = kGranularity}}};
  return answer;
}

struct GroupCounts {
  int in_service = 0, pending = 0, standby = 0, terminating = 0;
};

void count_one(GroupCounts& counts, Lifecycle lifecycle, std::int32_t units) {
  if (lifecycle == Lifecycle::InService) {
    counts.in_service += units;
  } else if (autoscaler::is_capacity(lifecycle)) {
    counts.pending += units;
  } else if (autoscaler::is_terminating(lifecycle)) {
    counts.terminating += units;
  } else {
    counts.standby += units;
  }
}

// Of GroupInServiceInstances and so on, and of GroupInServiceCapacity and so on, which count weights.
struct GroupSums {
  GroupCounts instances, capacity;
};

GroupSums count_instances(store::Tx& tx, const Group& group) {
  GroupSums sums;
  for (const GroupInstance& one : list_group_instances(tx, group.number)) {
    count_one(sums.instances, one.lifecycle, 1);
    count_one(sums.capacity, one.lifecycle, one.weight);
  }
  return sums;
}

double value_of(const std::string& metric, const Group& group, const GroupSums& sums) {
  const GroupCounts& counts = metric.ends_with("Capacity") ? sums.capacity : sums.instances;
  if (metric == "GroupMinSize") return group.min;
  if (metric == "GroupMaxSize") return group.max;
  if (metric == "GroupDesiredCapacity") return group.desired;
  if (metric.starts_with("GroupInService")) return counts.in_service;
  if (metric.starts_with("GroupPending")) return counts.pending;
  if (metric.starts_with("GroupStandby")) return counts.standby;
  if (metric.starts_with("GroupTerminating")) return counts.terminating;
  return counts.in_service + counts.pending + counts.standby + counts.terminating;
}

}  // namespace

Measured measure_groups(Call& call, const Due& due) {
  Measured measured;
  if (!due.minute && !due.second) return measured;
  for (const Group& group : list_measured_groups(call.tx)) {
    const GroupSums sums = count_instances(call.tx, group);
    for (const std::string& metric : group.settings.metrics) {
      Measurement point;
      point.metric = {group.account, group.region, "AWS/AutoScaling", metric, {{"AutoScalingGroupName", group.name}}};
      point.high_resolution = due.interest.contains(point.metric);
      if (!due.minute && !point.high_resolution) continue;
      point.unit = "None";
      point.at = call.now;
      point.values = {value_of(metric, group, sums)};
      point.counts = {1};
      measured.points.push_back(std::move(point));
    }
  }
  return measured;
}

std::vector<Operation> metric_operations() {
  return {operation<&enable_metrics_collection>("EnableMetricsCollection", Access::Write),
          operation<&disable_metrics_collection>("DisableMetricsCollection", Access::Write),
          operation<&describe_metric_collection_types>("DescribeMetricCollectionTypes", Access::Read)};
}

}  // namespace services::autoscaling
