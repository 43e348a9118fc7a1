// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/metrics/live_usage.h"

#include <cmath>

namespace services::ecs {
namespace {

// The mean of the samples; 0 where an agent sent none, or no number.
double mean_of(const std::optional<shapes::agent::CWStatsSet>& set) {
  if (!set || set->sampleCount.value_or(0) <= 0) return 0;
  const double mean = set->sum.value_or(0) / static_cast<double>(*set->sampleCount);
  return std::isfinite(mean) && mean > 0 ? mean : 0;
}

TaskUsage usage_in(const shapes::agent::TaskMetric& metric, base::Time now) {
  TaskUsage usage{.at = now};
  for (const shapes::agent::ContainerMetric& container : metric.containerMetrics) {
    if (usage.containers.size() >= LiveUsage::kMaxContainers) break;
    if (container.containerName.size() > LiveUsage::kMaxContainerName) continue;
    usage.containers[container.containerName] = {mean_of(container.cpuStatsSet), mean_of(container.memoryStatsSet)};
  }
  return usage;
}

}  // namespace

// Amazon's agent sends the tasks of a machine in several messages.
void LiveUsage::put(const model::InstanceId& instance, base::Time now,
                    const shapes::agent::PublishMetricsRequest& request) {
  tasks_.with([&](auto& all) {
    auto& tasks = all[instance];
    std::erase_if(tasks, [&](const auto& task) { return now - task.second.at > kValidFor; });
    for (const shapes::agent::TaskMetric& metric : request.taskMetrics) {
      tasks[metric.taskArn.substr(metric.taskArn.rfind('/') + 1)] = usage_in(metric, now);
    }
  });
}

void LiveUsage::forget(const model::InstanceId& instance) {
  tasks_.with([&](auto& all) { all.erase(instance); });
}

std::map<std::string, TaskUsage> LiveUsage::of(const model::InstanceId& instance, base::Time now) const {
  return tasks_.with([&](const auto& all) {
    std::map<std::string, TaskUsage> valid;
    auto found = all.find(instance);
    if (found == all.end()) return valid;
    for (const auto& [id, usage] : found->second) {
      if (now - usage.at <= kValidFor) valid.emplace_hint(valid.end(), id, usage);
    }
    return valid;
  });
}

void LiveUsage::set_fast(std::set<state::ClusterNumber> clusters) {
  fast_.with([&](auto& fast) { fast = std::move(clusters); });
}

bool LiveUsage::fast(state::ClusterNumber cluster) const {
  return fast_.with([&](const auto& fast) { return fast.contains(cluster); });
}

}  // namespace services::ecs
