// SPDX-License-Identifier: Apache-2.0
// GPUs with the names of NVIDIA's DCGM: for each GPU, and for the task, the service and the cluster that it works for.
#include <algorithm>

#include "services/ecs/metrics/cluster_metrics.h"

namespace services::ecs {
namespace {

struct GpuField {
  const char* name;
  const char* unit;
  std::optional<double> SeenGpu::*value;
};
constexpr GpuField kGpuFields[] = {
    {"DCGM_FI_DEV_GPU_UTIL", "Percent", &SeenGpu::utilization},
    {"DCGM_FI_DEV_GPU_TEMP", "None", &SeenGpu::celsius},
    {"DCGM_FI_DEV_FB_USED", "Megabytes", &SeenGpu::used_mib},
    {"DCGM_FI_DEV_FB_FREE", "Megabytes", &SeenGpu::free_mib},
    {"DCGM_FI_DEV_POWER_USAGE", "None", &SeenGpu::watts},
    {"DCGM_FI_DEV_SM_CLOCK", "None", &SeenGpu::sm_clock_mhz},
    {"DCGM_FI_DEV_XID_ERRORS", "None", &SeenGpu::xid},
};

std::vector<SampleSet::Dimensions> dimensions_of(const SeenMachine& machine, const SeenGpu& gpu) {
  std::vector<SampleSet::Dimensions> sets = {{}, {{"ContainerInstanceId", machine.id}, {"GpuId", gpu.id}}};
  for (const SeenTask& task : machine.tasks) {
    if (!task.running || std::ranges::find(task.gpus, gpu.id) == task.gpus.end()) continue;
    sets.push_back({{"TaskId", task.id}});
    SampleSet::Dimensions service = {{"ServiceName", task.service}};
    // Several tasks of a service may share the GPU: it is one sample of the service.
    if (!task.service.empty() && std::ranges::find(sets, service) == sets.end()) sets.push_back(std::move(service));
  }
  return sets;
}

}  // namespace

void add_gpu_metrics(const SeenCluster& cluster, SampleSet& into) {
  for (const SeenMachine& machine : cluster.machines) {
    for (const SeenGpu& gpu : machine.gpus) {
      const auto sets = dimensions_of(machine, gpu);
      for (const GpuField& field : kGpuFields) {
        const std::optional<double>& value = gpu.*field.value;
        if (!value) continue;
        for (const SampleSet::Dimensions& dimensions : sets) into.add(kGpuSpace, field.name, field.unit, dimensions, *value);
      }
    }
  }
}

}  // namespace services::ecs
