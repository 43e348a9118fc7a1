// SPDX-License-Identifier: Apache-2.0
// The free resources of a machine, rounded. Machines in the same state are equally good for any task, so a decision
// rates states instead of machines.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>

#include "scheduler/gpu_choice.h"
#include "scheduler/machine.h"

namespace scheduler {

// Steps into which the free resources of the largest machine with GPUs are divided, at most.
inline constexpr int kMaxSteps = 64;

// More idle GPUs of one machine are extrapolated.
inline constexpr int kMaxRatedGpus = 16;

// The size of a step of each resource. A power of two, so that it seldom changes when machines come and go.
struct StepSizes {
  std::int64_t cpu = 1, memory_mib = 1, share_mib = 1;
  int steps_of_gpu = 1;  // the memory of the largest GPU, in steps
  int most_gpus = 1;     // of one machine, at most kMaxRatedGpus
  bool operator==(const StepSizes&) const = default;
};

// The smallest size of which kMaxSteps are at least `largest`.
std::int64_t step_size(std::int64_t largest);
int steps_up(std::int64_t amount, std::int64_t size);

struct FreeState {
  static constexpr std::size_t kMaxHoles = 16;

  std::uint8_t idle = 0;                       // idle GPUs
  std::uint8_t all_idle = 0;                   // 1: there are idle GPUs and no others
  std::uint8_t idle_size = 0;                  // memory of the smallest idle GPU
  std::uint8_t cpu = 0, memory = 0;            // rounded down; 0 if no GPU is left, because then it does not matter
  std::uint8_t hole_count = 0;
  std::array<std::uint8_t, 2> unused{};
  std::array<std::uint8_t, kMaxHoles> holes{};  // memory left on shared GPUs, rounded down, ascending, none of them 0
  bool operator==(const FreeState&) const = default;

  bool has_gpus() const { return idle > 0 || hole_count > 0; }
};

struct HashOfFreeState {
  std::size_t operator()(const FreeState& state) const;
};

FreeState state_of(const Machine& machine, const StepSizes& sizes);

// A task's demand in steps, rounded down (a state below this has no machine that fits) and up.
struct StepNeed {
  int gpus = 0;
  bool all = false, share = false;
  int cpu_floor = 0, memory_floor = 0, share_floor = 0;
  int cpu = 0, memory = 0, share_size = 0;
  auto operator<=>(const StepNeed&) const = default;

  StepNeed(const model::TaskDemand& demand, const GpuNeed& need, const StepSizes& sizes);
};

// False if no machine in this state fits.
bool may_fit(const FreeState& state, const StepNeed& need);

}  // namespace scheduler
