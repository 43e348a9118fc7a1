// SPDX-License-Identifier: Apache-2.0
#include "scheduler/gpu_choice.h"

#include <algorithm>

#include "base/check.h"

namespace scheduler {
namespace {

bool is_idle(const Machine& machine, std::size_t gpu) {
  return machine.gpu_uses()[gpu].healthy && machine.gpu_uses()[gpu].idle();
}

struct Run {
  std::size_t first = 0, length = 0;
};

// Runs of idle neighbours, in order.
std::vector<Run> idle_runs(const Machine& machine) {
  std::vector<Run> runs;
  bool in_run = false;
  for (std::size_t gpu = 0; gpu < machine.gpu_uses().size(); ++gpu) {
    bool idle = is_idle(machine, gpu);
    if (idle && !in_run) runs.push_back({gpu, 0});
    if (idle) ++runs.back().length;
    in_run = idle;
  }
  return runs;
}

std::vector<std::size_t> choose_whole(const Machine& machine, std::size_t count) {
  std::vector<std::size_t> chosen;
  const Run* best = nullptr;
  std::vector<Run> runs = idle_runs(machine);
  for (const Run& run : runs) {
    if (run.length >= count && (!best || run.length < best->length)) best = &run;
  }
  std::size_t first = best ? best->first : 0;
  for (std::size_t gpu = first; gpu < machine.gpu_uses().size() && chosen.size() < count; ++gpu) {
    if (is_idle(machine, gpu)) chosen.push_back(gpu);
  }
  return chosen;
}

// The shared GPU with the least sufficient memory left.
std::optional<std::size_t> joinable(const Machine& machine, std::int64_t memory_mib) {
  std::optional<std::size_t> best;
  for (std::size_t gpu = 0; gpu < machine.gpu_uses().size(); ++gpu) {
    std::int64_t left = machine.shareable_mib(gpu);
    if (left < memory_mib) continue;
    if (!best || left < machine.shareable_mib(*best)) best = gpu;
  }
  return best;
}

// The idle GPU to split: the smallest sufficient one, from the shortest run.
std::optional<std::size_t> breakable(const Machine& machine, std::int64_t memory_mib,
                                     const std::vector<std::size_t>& taken) {
  const std::vector<model::Gpu>& gpus = machine.instance().total.gpus;
  std::optional<std::size_t> best;
  std::size_t best_length = 0;
  for (const Run& run : idle_runs(machine)) {
    for (std::size_t gpu = run.first; gpu < run.first + run.length; ++gpu) {
      if (gpus[gpu].memory_mib < memory_mib || std::ranges::count(taken, gpu) > 0) continue;
      bool better = !best || gpus[gpu].memory_mib < gpus[*best].memory_mib ||
                    (gpus[gpu].memory_mib == gpus[*best].memory_mib && run.length < best_length);
      if (!better) continue;
      best = gpu;
      best_length = run.length;
    }
  }
  return best;
}

bool has_idle_with(const Machine& machine, std::int64_t memory_mib) {
  for (std::size_t gpu = 0; gpu < machine.gpu_uses().size(); ++gpu) {
    if (is_idle(machine, gpu) && machine.gpu_uses()[gpu].memory_mib >= memory_mib) return true;
  }
  return false;
}

// A task may need whole GPUs for one container and a share for another. The share is chosen first, so that the whole
// ones do not take the only GPU that is large enough for it.
std::optional<std::size_t> choose_shared(const Machine& machine, const GpuNeed& need) {
  if (need.shared_mib == 0) return std::nullopt;
  if (auto gpu = joinable(machine, need.shared_mib)) return gpu;
  if (machine.idle_gpus() <= need.whole) return std::nullopt;
  std::vector<std::size_t> whole = choose_whole(machine, static_cast<std::size_t>(need.whole));
  if (auto gpu = breakable(machine, need.shared_mib, whole)) return gpu;
  return breakable(machine, need.shared_mib, {});
}

}  // namespace

GpuNeed::GpuNeed(const model::TaskDemand& demand)
    : whole(demand.whole_gpus()), all(demand.all_gpus()), shared_mib(demand.shared_gpu_memory_mib()) {}

bool gpus_fit(const Machine& machine, const GpuNeed& need) {
  if (need.all) return machine.idle_gpus() > 0 && machine.idle_gpus() == machine.healthy_gpus();
  if (machine.idle_gpus() < need.whole) return false;
  if (need.shared_mib == 0 || joinable(machine, need.shared_mib)) return true;
  return machine.idle_gpus() > need.whole && has_idle_with(machine, need.shared_mib);
}

std::vector<model::GpuHold> choose_gpus(const Machine& machine, const model::TaskDemand& demand) {
  GpuNeed need(demand);
  CHECK(gpus_fit(machine, need)) << "chose GPUs on " << machine.instance().id.str() << ", where they do not fit";
  const std::vector<model::Gpu>& gpus = machine.instance().total.gpus;
  std::optional<std::size_t> shared = choose_shared(machine, need);
  bool breaks = shared && machine.gpu_uses()[*shared].idle();
  std::size_t count = need.all ? static_cast<std::size_t>(machine.idle_gpus()) : static_cast<std::size_t>(need.whole);
  std::vector<std::size_t> whole = choose_whole(machine, count);
  if (breaks && std::ranges::count(whole, *shared) > 0) {
    whole = choose_whole(machine, static_cast<std::size_t>(machine.idle_gpus()));
    std::erase(whole, *shared);
  }
  std::vector<model::GpuHold> holds;
  std::size_t next = 0;
  for (const model::GpuDemand& gpu : demand.gpus) {
    if (gpu.kind == model::GpuDemand::Kind::Shared) {
      holds.push_back({gpus[*shared].id, gpu.container, gpu.memory_mib});
      continue;
    }
    std::size_t of_container = gpu.kind == model::GpuDemand::Kind::All ? count : static_cast<std::size_t>(gpu.count);
    for (std::size_t i = 0; i < of_container; ++i) holds.push_back({gpus[whole[next++]].id, gpu.container, 0});
  }
  return holds;
}

std::int64_t gpu_waste(const Machine& machine, const GpuNeed& need) {
  if (need.shared_mib == 0 || need.whole > 0) return machine.idle_gpus();
  if (auto gpu = joinable(machine, need.shared_mib)) return machine.shareable_mib(*gpu);
  return kBreaksAnIdleGpu + machine.idle_gpus();
}

}  // namespace scheduler
