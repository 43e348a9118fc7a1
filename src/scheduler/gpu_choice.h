// SPDX-License-Identifier: Apache-2.0
// Which GPUs of a machine a task gets, and what taking them there would waste.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/demand.h"
#include "scheduler/machine.h"

namespace scheduler {

// A task's demand for GPUs, added up over its containers.
struct GpuNeed {
  int whole = 0;
  bool all = false;
  std::int64_t shared_mib = 0;

  explicit GpuNeed(const model::TaskDemand& demand);
};

bool gpus_fit(const Machine& machine, const GpuNeed& need);

// Which GPUs, for each container. Whole ones are out of the shortest run of idle neighbours that is
// long enough, so that longer runs stay for larger tasks. Shares go on the GPU that is shared
// already and has least left, else on an idle one. CHECKs that they fit.
std::vector<model::GpuHold> choose_gpus(const Machine& machine, const model::TaskDemand& demand);

// Of two machines on which a task fits, it goes to the one with less of this:
//  - whole GPUs, all, or none: the idle GPUs there, so that full machines fill up and
//    empty ones stay empty (and a task without GPUs stays off machines that have some);
//  - a share alone: what is left of the shared GPU that it would join; and to break up an idle
//    GPU is worse than to join any, least so where fewest are idle.
std::int64_t gpu_waste(const Machine& machine, const GpuNeed& need);

inline constexpr std::int64_t kBreaksAnIdleGpu = std::int64_t{1} << 60;

}  // namespace scheduler
