// SPDX-License-Identifier: Apache-2.0
// ECS/ContainerInsights: tasks, containers and machines of a cluster that has the setting.
#include <algorithm>

#include "services/ecs/metrics/cluster_metrics.h"

namespace services::ecs {
namespace {

using Dimensions = SampleSet::Dimensions;

// The sets of dimensions, beside ClusterName, under which something of a task is published.
std::vector<Dimensions> task_dimensions(const SeenTask& task, bool with_task_id) {
  std::vector<Dimensions> sets = {{}};
  if (!task.service.empty()) sets.push_back({{"ServiceName", task.service}});
  if (!task.family.empty()) sets.push_back({{"TaskDefinitionFamily", task.family}});
  if (!with_task_id) return sets;
  const std::size_t plain = sets.size();
  for (std::size_t i = 0; i < plain; ++i) {
    Dimensions with_id = sets[i];
    with_id["TaskId"] = task.id;
    sets.push_back(std::move(with_id));
  }
  return sets;
}

void add_to_all(SampleSet& into, const std::vector<Dimensions>& sets, const char* name, const char* unit, double value) {
  for (const Dimensions& dimensions : sets) into.add(kInsightsSpace, name, unit, dimensions, value);
}

void add_percent_to_all(SampleSet& into, const std::vector<Dimensions>& sets, const char* name, double part,
                        double whole) {
  if (whole > 0) add_to_all(into, sets, name, "Percent", part / whole * 100);
}

void add_containers(const SeenTask& task, SampleSet& into) {
  for (const SeenContainer& container : *task.used) {
    std::vector<Dimensions> sets = task_dimensions(task, true);
    for (Dimensions& dimensions : sets) {
      if (!dimensions.empty()) dimensions["ContainerName"] = container.name;
    }
    add_to_all(into, sets, "ContainerCpuUtilized", "None", container.cpu_units);
    add_to_all(into, sets, "ContainerMemoryUtilized", "Megabytes", container.memory_mib);
  }
}

void add_task(const SeenTask& task, bool enhanced, SampleSet& into) {
  const std::vector<Dimensions> sets = task_dimensions(task, enhanced);
  add_to_all(into, sets, "CpuReserved", "None", task.cpu_units);
  add_to_all(into, sets, "MemoryReserved", "Megabytes", task.memory_mib);
  if (!task.gpus.empty()) add_to_all(into, sets, "GpuReserved", "Count", static_cast<double>(task.gpus.size()));
  if (!task.used) return;
  double cpu = 0, memory = 0;
  for (const SeenContainer& container : *task.used) {
    cpu += container.cpu_units;
    memory += container.memory_mib;
  }
  add_to_all(into, sets, "CpuUtilized", "None", cpu);
  add_to_all(into, sets, "MemoryUtilized", "Megabytes", memory);
  if (!enhanced) return;
  add_percent_to_all(into, sets, "TaskCpuUtilization", cpu, task.cpu_units);
  add_percent_to_all(into, sets, "TaskMemoryUtilization", memory, task.memory_mib);
  add_containers(task, into);
}

void add_task_gpus(const SeenMachine& machine, const SeenTask& task, bool enhanced, SampleSet& into) {
  const std::vector<Dimensions> sets = task_dimensions(task, enhanced);
  for (const SeenGpu& gpu : machine.gpus) {
    if (std::ranges::find(task.gpus, gpu.id) == task.gpus.end()) continue;
    if (gpu.utilization) add_to_all(into, sets, "GpuUtilization", "Percent", *gpu.utilization);
    if (gpu.used_mib) add_to_all(into, sets, "GpuMemoryUtilized", "Megabytes", *gpu.used_mib);
  }
}

void add_machine(const SeenMachine& machine, SampleSet& into) {
  const std::vector<Dimensions> whole = {{}};
  const std::vector<Dimensions> both = {{}, {{"InstanceId", machine.name}, {"ContainerInstanceId", machine.id}}};
  double cpu = 0, memory = 0, running = 0, gpus = 0;
  for (const SeenTask& task : machine.tasks) {
    cpu += task.cpu_units;
    memory += task.memory_mib;
    running += task.running ? 1 : 0;
  }
  for (const SeenGpu& gpu : machine.gpus) gpus += gpu.reserved;
  add_percent_to_all(into, both, "instance_cpu_reserved_capacity", cpu, machine.cpu_units);
  add_percent_to_all(into, both, "instance_memory_reserved_capacity", memory, machine.memory_mib);
  add_percent_to_all(into, both, "instance_gpu_reserved_capacity", gpus, static_cast<double>(machine.gpus.size()));
  add_to_all(into, whole, "instance_cpu_limit", "None", machine.cpu_units);
  add_to_all(into, whole, "instance_memory_limit", "Bytes", machine.memory_mib * 1024 * 1024);
  add_to_all(into, whole, "instance_number_of_running_tasks", "Count", running);
}

}  // namespace

void add_insights(const SeenCluster& cluster, SampleSet& into) {
  const bool enhanced = cluster.insights == Insights::Enhanced;
  double tasks = 0, busy_machines = 0;
  std::map<std::string, std::pair<double, double>> services;  // running and pending tasks
  for (const SeenMachine& machine : cluster.machines) {
    add_machine(machine, into);
    busy_machines += machine.tasks.empty() ? 0 : 1;
    for (const SeenTask& task : machine.tasks) {
      tasks += task.running ? 1 : 0;
      if (!task.service.empty()) {
        auto& [running, pending] = services[task.service];
        (task.running ? running : pending) += 1;
      }
      if (!task.running) continue;
      add_task(task, enhanced, into);
      add_task_gpus(machine, task, enhanced, into);
    }
  }
  into.add(kInsightsSpace, "TaskCount", "Count", {}, tasks);
  into.add(kInsightsSpace, "ContainerInstanceCount", "Count", {}, busy_machines);
  for (const auto& [name, counts] : services) {
    into.add(kInsightsSpace, "RunningTaskCount", "Count", {{"ServiceName", name}}, counts.first);
    into.add(kInsightsSpace, "PendingTaskCount", "Count", {{"ServiceName", name}}, counts.second);
  }
}

}  // namespace services::ecs
