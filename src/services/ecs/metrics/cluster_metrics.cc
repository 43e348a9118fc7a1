// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/metrics/cluster_metrics.h"

namespace services::ecs {
namespace {

struct Amount {
  double cpu = 0, memory = 0;
};

Amount used_by(const SeenTask& task) {
  Amount used;
  for (const SeenContainer& container : *task.used) {
    used.cpu += container.cpu_units;
    used.memory += container.memory_mib;
  }
  return used;
}

struct ClusterSums {
  Amount registered, reserved, used;
  double gpus = 0, reserved_gpus = 0;
  bool running = false, usage = false;
};

ClusterSums sums_of(const SeenCluster& cluster) {
  ClusterSums sums;
  for (const SeenMachine& machine : cluster.machines) {
    sums.registered.cpu += machine.cpu_units;
    sums.registered.memory += machine.memory_mib;
    for (const SeenGpu& gpu : machine.gpus) {
      sums.gpus += 1;
      sums.reserved_gpus += gpu.reserved;
    }
    for (const SeenTask& task : machine.tasks) {
      if (!task.running) continue;
      sums.running = true;
      sums.reserved.cpu += task.cpu_units;
      sums.reserved.memory += task.memory_mib;
      if (!task.used) continue;
      sums.usage = true;
      sums.used.cpu += used_by(task).cpu;
      sums.used.memory += used_by(task).memory;
    }
  }
  return sums;
}

void add_percent(SampleSet& into, const std::string& name, const SampleSet::Dimensions& dimensions, double part,
                 double whole) {
  if (whole > 0) into.add(kEcsSpace, name, "Percent", dimensions, part / whole * 100);
}

// Amazon: only while the cluster has tasks in the RUNNING state.
void add_cluster(const SeenCluster& cluster, SampleSet& into) {
  const ClusterSums sums = sums_of(cluster);
  if (!sums.running) return;
  add_percent(into, "CPUReservation", {}, sums.reserved.cpu, sums.registered.cpu);
  add_percent(into, "MemoryReservation", {}, sums.reserved.memory, sums.registered.memory);
  add_percent(into, "GPUReservation", {}, sums.reserved_gpus, sums.gpus);
  if (!sums.usage) return;
  add_percent(into, "CPUUtilization", {}, sums.used.cpu, sums.registered.cpu);
  add_percent(into, "MemoryUtilization", {}, sums.used.memory, sums.registered.memory);
}

// Of what the definition reserves, so it may exceed 100.
void add_services(const SeenCluster& cluster, SampleSet& into) {
  struct Sums {
    Amount reserved, used;
  };
  std::map<std::string, Sums> services;
  for (const SeenMachine& machine : cluster.machines) {
    for (const SeenTask& task : machine.tasks) {
      if (!task.running || !task.used || task.service.empty()) continue;
      Sums& sums = services[task.service];
      sums.reserved.cpu += task.cpu_units;
      sums.reserved.memory += task.memory_mib;
      sums.used.cpu += used_by(task).cpu;
      sums.used.memory += used_by(task).memory;
    }
  }
  for (const auto& [name, sums] : services) {
    add_percent(into, "CPUUtilization", {{"ServiceName", name}}, sums.used.cpu, sums.reserved.cpu);
    add_percent(into, "MemoryUtilization", {{"ServiceName", name}}, sums.used.memory, sums.reserved.memory);
  }
}

}  // namespace

void SampleSet::add(const char* space, const std::string& name, const char* unit, const Dimensions& dimensions,
                    double value) {
  MetricKey key{cluster_.account, cluster_.region, space, name, dimensions};
  key.dimensions["ClusterName"] = cluster_.name;
  auto& [known_unit, values] = samples_[std::move(key)];
  known_unit = unit;
  values[value] += 1;
}

std::vector<Measurement> SampleSet::take() {
  std::vector<Measurement> all;
  for (auto& [key, samples] : samples_) {
    Measurement& one = all.emplace_back();
    one.metric = key;
    one.unit = samples.first;
    one.at = now_;
    for (const auto& [value, count] : samples.second) {
      one.values.push_back(value);
      one.counts.push_back(count);
    }
  }
  samples_.clear();
  return all;
}

std::vector<Measurement> measure_cluster(const SeenCluster& cluster, base::Time now) {
  SampleSet samples(cluster, now);
  add_cluster(cluster, samples);
  add_services(cluster, samples);
  if (cluster.insights != Insights::Off) add_insights(cluster, samples);
  add_gpu_metrics(cluster, samples);
  return samples.take();
}

}  // namespace services::ecs
