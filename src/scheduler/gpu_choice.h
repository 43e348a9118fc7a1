// SPDX-License-Identifier: Apache-2.0
// Chooses the GPUs of a machine for a task, and rates the waste of doing so.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/demand.h"
#include "scheduler/machine.h"

namespace scheduler {

// A task's demand for GPUs, summed over its containers.
struct GpuNeed {
  int whole = 0;
  bool all = false;
  std::int64_t shared_mib = 0;

  explicit GpuNeed(const model::TaskDemand& demand);
};

bool gpus_fit(const Machine& machine, const GpuNeed& need);

// The GPUs of each container. Whole GPUs come from the shortest sufficient run of idle neighbours, so that
// longer runs remain for larger tasks. A share goes to the shared GPU with the least sufficient memory left,
// else to an idle GPU. CHECKs that the task fits.
std::vector<model::GpuHold> choose_gpus(const Machine& machine, const model::TaskDemand& demand);

// Of two machines that fit, the task goes to the one with less waste:
//  - for whole GPUs, all GPUs, or no GPU: the number of idle GPUs, so that full machines fill up, empty ones
//    stay empty, and a task without GPUs avoids GPU machines;
//  - for a share alone: the memory left on the shared GPU that it joins. Splitting an idle GPU is worse than
//    joining any shared one, and least bad where the fewest GPUs are idle.
std::int64_t gpu_waste(const Machine& machine, const GpuNeed& need);

inline constexpr std::int64_t kBreaksAnIdleGpu = std::int64_t{1} << 60;

}  // namespace scheduler
