// SPDX-License-Identifier: Apache-2.0
// What a machine lacks for a task: for `stoker explain`, which shows everything that is missing and not only the first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shapes/ecs/container_instance.h"
#include "shapes/ecs/task_definition.h"
#include "shapes/stoker/explain.h"
#include "shapes/stoker/gpu.h"

namespace cli {

struct TaskNeeds {
  std::int64_t gpus = 0;  // whole ones
  bool all_gpus = false;
  std::int64_t cpu_units = 0, memory_mib = 0;
};
TaskNeeds needs_of(const shapes::ecs::TaskDefinition& definition);

struct Shortage {
  std::vector<std::string> texts;  // "2 GPUs are needed, 1 of 4 is free (held by 3fa94c1b2d77)"
  std::int64_t gpus = 0;           // how many have to be freed
  double memory_share = 0;         // of the machine's memory, to be freed
  double cpu_share = 0;
};
// `gpus`: those of the machine.
Shortage shortage_of(const TaskNeeds& needs, const shapes::ecs::ContainerInstance& machine,
                     const std::vector<shapes::stoker::StokerGpuState>& gpus);

struct MachineReport {
  shapes::stoker::StokerMachineVerdict verdict;
  Shortage shortage;
};
// Those that fit, then those where the least has to be freed, then those that cannot run it for another reason.
void sort_by_cost(std::vector<MachineReport>& reports);

}  // namespace cli
