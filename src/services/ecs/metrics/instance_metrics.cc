// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/metrics/instance_metrics.h"

namespace services::ecs {
namespace {

// nullopt: a task runs whose usage has not been reported yet.
std::optional<double> cpu_percent(const SeenMachine& machine) {
  double used = 0;
  for (const SeenTask& task : machine.tasks) {
    if (!task.running) continue;
    if (!task.used) return std::nullopt;
    for (const SeenContainer& container : *task.used) used += container.cpu_units;
  }
  if (machine.cpu_units <= 0) return std::nullopt;
  return used / machine.cpu_units * 100;
}

class InstanceSamples {
 public:
  InstanceSamples(const SeenCluster& cluster, base::Time now) : cluster_(cluster), now_(now) {}

  void add(const char* space, const char* name, const char* dimension, const std::string& of, double value) {
    values_[{cluster_.account, cluster_.region, space, name, {{dimension, of}}}][value] += 1;
  }

  std::vector<Measurement> take() const {
    std::vector<Measurement> all;
    for (const auto& [key, values] : values_) {
      Measurement& one = all.emplace_back();
      one.metric = key;
      one.unit = "Percent";
      one.at = now_;
      for (const auto& [value, count] : values) {
        one.values.push_back(value);
        one.counts.push_back(count);
      }
    }
    return all;
  }

 private:
  const SeenCluster& cluster_;
  const base::Time now_;
  std::map<MetricKey, std::map<double, double>> values_;
};

}  // namespace

std::vector<Measurement> measure_instances(const SeenCluster& cluster, base::Time now) {
  InstanceSamples samples(cluster, now);
  for (const SeenMachine& machine : cluster.machines) {
    if (!machine.ec2_group) continue;
    const std::string& group = *machine.ec2_group;
    if (const auto cpu = cpu_percent(machine)) {
      samples.add(kEc2Space, "CPUUtilization", "InstanceId", machine.name, *cpu);
      if (!group.empty()) samples.add(kEc2Space, "CPUUtilization", "AutoScalingGroupName", group, *cpu);
    }
    for (const SeenGpu& gpu : machine.gpus) {
      if (group.empty() || !gpu.utilization) continue;
      samples.add(kGpuSpace, "DCGM_FI_DEV_GPU_UTIL", "AutoScalingGroupName", group, *gpu.utilization);
    }
  }
  return samples.take();
}

}  // namespace services::ecs
