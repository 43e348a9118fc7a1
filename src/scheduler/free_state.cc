// SPDX-License-Identifier: Apache-2.0
#include "scheduler/free_state.h"

#include <algorithm>

namespace scheduler {
namespace {

std::uint8_t steps_down(std::int64_t amount, std::int64_t size) {
  return static_cast<std::uint8_t>(std::clamp<std::int64_t>(amount / size, 0, kMaxSteps));
}

}  // namespace

int steps_up(std::int64_t amount, std::int64_t size) {
  return static_cast<int>(std::clamp<std::int64_t>((amount + size - 1) / size, 0, kMaxSteps));
}

std::int64_t step_size(std::int64_t largest) {
  std::int64_t size = 1;
  while (size * kMaxSteps < largest) size *= 2;
  return size;
}

std::size_t HashOfFreeState::operator()(const FreeState& state) const {
  std::uint64_t hash = 0;
  for (std::uint64_t part : std::bit_cast<std::array<std::uint64_t, 3>>(state)) {
    hash = (hash ^ part) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29;
  }
  return hash;
}

FreeState state_of(const Machine& machine, const StepSizes& sizes) {
  FreeState state;
  state.idle = static_cast<std::uint8_t>(std::min(machine.idle_gpus(), 255));
  state.all_idle = state.idle > 0 && machine.idle_gpus() == machine.healthy_gpus() ? 1 : 0;
  state.idle_size = kMaxSteps;
  for (std::size_t gpu = 0; gpu < machine.gpu_uses().size(); ++gpu) {
    const GpuUse& use = machine.gpu_uses()[gpu];
    if (use.healthy && use.idle()) {
      state.idle_size = std::min(state.idle_size, steps_down(use.memory_mib, sizes.share_mib));
    }
    const std::uint8_t hole = steps_down(machine.shareable_mib(gpu), sizes.share_mib);
    if (hole == 0) continue;
    if (state.hole_count < FreeState::kMaxHoles) {
      state.holes[state.hole_count++] = hole;
      continue;
    }
    // Keeps the largest.
    auto smallest = std::ranges::min_element(state.holes);
    *smallest = std::max(*smallest, hole);
  }
  std::sort(state.holes.begin(), state.holes.begin() + state.hole_count);
  if (state.idle == 0) state.idle_size = 0;
  if (!state.has_gpus()) return state;
  state.cpu = steps_down(machine.free_cpu(), sizes.cpu);
  state.memory = steps_down(machine.free_memory_mib(), sizes.memory_mib);
  return state;
}

StepNeed::StepNeed(const model::TaskDemand& demand, const GpuNeed& need, const StepSizes& sizes)
    : gpus(need.whole),
      all(need.all),
      share(need.shared_mib > 0),
      cpu_floor(steps_down(demand.cpu, sizes.cpu)),
      memory_floor(steps_down(demand.memory_mib, sizes.memory_mib)),
      share_floor(steps_down(need.shared_mib, sizes.share_mib)),
      cpu(steps_up(demand.cpu, sizes.cpu)),
      memory(steps_up(demand.memory_mib, sizes.memory_mib)),
      share_size(steps_up(need.shared_mib, sizes.share_mib)) {}

bool may_fit(const FreeState& state, const StepNeed& need) {
  if (need.all && state.all_idle == 0) return false;
  if (state.idle < std::min(need.gpus, 255)) return false;
  // A share of less than a step may fit on a GPU that the state does not show.
  if (need.share && need.share_floor > 0 && state.idle <= need.gpus &&
      (state.hole_count == 0 || state.holes[state.hole_count - 1U] < need.share_floor)) {
    return false;
  }
  if (!state.has_gpus()) return true;
  return state.cpu >= need.cpu_floor && state.memory >= need.memory_floor;
}

}  // namespace scheduler
