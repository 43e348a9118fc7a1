// SPDX-License-Identifier: Apache-2.0
// Test support: a workload to pack. Tasks arrive one after another, none ends, and one that does not fit is gone.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "scheduler/test_machines.h"

namespace scheduler::test {

// Shares are in thousandths of a GPU, so a GPU has 1000 MiB.
inline constexpr std::int64_t kWholeGpu = 1000;

struct TraceMachine {
  std::int64_t cpu = 0, memory_mib = 0;
  int gpus = 0;
  std::string model;
};

struct TraceTask {
  std::int64_t cpu = 0, memory_mib = 0;
  int gpus = 0;
  std::int64_t share = 0;           // of one GPU; 0: whole GPUs or none
  std::vector<std::string> models;  // empty: any
  auto operator<=>(const TraceTask&) const = default;

  std::int64_t gpu_demand() const { return share > 0 ? share : gpus * kWholeGpu; }
};

struct Trace {
  std::vector<TraceMachine> machines;
  std::vector<TraceTask> tasks;

  std::int64_t gpu_total() const {
    std::int64_t sum = 0;
    for (const TraceMachine& machine : machines) sum += machine.gpus * kWholeGpu;
    return sum;
  }
};

// The tasks in random order, and then more of them until they demand 130 % of the GPUs.
inline std::vector<TraceTask> arrivals(const Trace& trace, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<TraceTask> tasks = trace.tasks;
  for (std::size_t i = tasks.size(); i > 1; --i) std::swap(tasks[i - 1], tasks[random() % i]);
  std::int64_t demand = 0;
  for (const TraceTask& task : tasks) demand += task.gpu_demand();
  while (demand * 10 < trace.gpu_total() * 13) {
    tasks.push_back(trace.tasks[random() % trace.tasks.size()]);
    demand += tasks.back().gpu_demand();
  }
  return tasks;
}

inline model::Instance instance_of(const TraceMachine& machine, std::size_t number) {
  std::string name = std::to_string(number);
  name = "machine-" + std::string(6 - std::min<std::size_t>(6, name.size()), '0') + name;
  model::Instance instance = box(name);
  instance.total.cpu = machine.cpu;
  instance.total.memory_mib = machine.memory_mib;
  instance.attributes["gpu"] = machine.model;
  for (int i = 0; i < machine.gpus; ++i) {
    instance.total.gpus.push_back({model::GpuId(name + "/" + std::to_string(i)), machine.model, kWholeGpu});
  }
  return instance;
}

inline Request request_of(const TraceTask& traced, std::size_t number) {
  Request request = task("task-" + std::to_string(number), traced.cpu, traced.memory_mib);
  if (traced.share > 0) {
    request.demand.gpus = {share(traced.share)};
  } else if (traced.gpus > 0) {
    request.demand.gpus = {whole(traced.gpus)};
  }
  if (traced.models.empty()) return request;
  std::string list;
  for (const std::string& model : traced.models) list += (list.empty() ? "" : ", ") + model;
  member_of(request, "attribute:gpu in [" + list + "]");
  return request;
}

// Machines with different amounts of CPU for a GPU; mostly small tasks, of which a third share GPUs.
inline Trace synthetic_trace(std::uint64_t seed, int machines = 60) {
  std::mt19937_64 random(seed);
  auto pick = [&](const auto& choices) { return choices[random() % std::size(choices)]; };
  const TraceMachine kinds[] = {{96000, 393216, 8, "large"}, {96000, 393216, 8, "large"}, {104000, 524288, 2, "wide"},
                                {16000, 122880, 2, "lean"},  {32000, 131072, 4, "lean"}};
  const TraceTask shapes[] = {{3000, 6000, 1, 810},     {11400, 48000, 1},      {8000, 30000, 1, 470},
                              {4000, 22000, 1, 320},    {12000, 24000, 1},      {12000, 47000, 1, 650},
                              {18000, 64000, 1},        {4000, 16000, 1, 160},  {3000, 6000, 1},
                              {4000, 30000, 1, 230},    {16000, 50000, 0},      {8000, 30000, 0}};
  const TraceTask large_shapes[] = {{24000, 90000, 2}, {48000, 180000, 4}, {90000, 360000, 8}};
  Trace trace;
  for (int i = 0; i < machines; ++i) trace.machines.push_back(pick(kinds));
  std::int64_t demand = 0;
  while (demand < trace.gpu_total()) {
    trace.tasks.push_back(random() % 50 == 0 ? pick(large_shapes) : pick(shapes));
    demand += trace.tasks.back().gpu_demand();
  }
  return trace;
}

}  // namespace scheduler::test
