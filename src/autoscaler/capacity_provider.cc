// SPDX-License-Identifier: Apache-2.0
#include "autoscaler/capacity_provider.h"

#include <algorithm>
#include <limits>

namespace autoscaler {
namespace {

constexpr double kBalanced = 100, kFromZero = 200;  // Amazon's

// Of mixed types, a task counts by the largest value of each parameter, and only if it fits the smallest.
MachineSize combine(const std::vector<MachineSize>& sizes,
                    const std::int64_t& (*choose)(const std::int64_t&, const std::int64_t&)) {
  MachineSize combined = sizes.front();
  for (const MachineSize& size : sizes) {
    combined.cpu = choose(combined.cpu, size.cpu);
    combined.memory_mib = choose(combined.memory_mib, size.memory_mib);
    combined.gpus = choose(combined.gpus, size.gpus);
    combined.gpu_memory_mib = choose(combined.gpu_memory_mib, size.gpu_memory_mib);
  }
  return combined;
}

// Machines that the waiting tasks need, by the group that needs the most: a lower bound, which grows with the next
// look. nullopt: no task fits any machine.
std::optional<std::int64_t> machines_for(const ProviderView& view) {
  if (view.sizes.empty()) return 1;
  const MachineSize smallest = combine(view.sizes, &std::min<std::int64_t>);
  const MachineSize largest = combine(view.sizes, &std::max<std::int64_t>);
  std::optional<std::int64_t> most;
  for (const WaitingTasks& tasks : view.waiting) {
    if (tasks_per_machine(smallest, tasks.size) == 0) continue;
    const std::int64_t fit = tasks_per_machine(largest, tasks.size);
    most = std::max(most.value_or(0), tasks.count / fit + (tasks.count % fit > 0 ? 1 : 0));
  }
  return most;
}

}  // namespace

std::optional<std::size_t> next_share(std::span<const StrategyShare> shares) {
  std::optional<std::size_t> best;
  double least = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const StrategyShare& share = shares[i];
    if (share.assigned < share.base) return i;
    if (share.weight <= 0) continue;
    const double load = static_cast<double>(share.assigned - share.base) / share.weight;
    if (best && load >= least) continue;
    best = i;
    least = load;
  }
  return best;
}

std::int64_t tasks_per_machine(const MachineSize& machine, const TaskSize& task) {
  std::int64_t most = task.alone ? 1 : std::numeric_limits<std::int64_t>::max();
  const auto limit = [&](std::int64_t has, std::int64_t needs) {
    if (needs > 0) most = std::min(most, std::max<std::int64_t>(has, 0) / needs);
  };
  limit(machine.cpu, task.cpu);
  limit(machine.memory_mib, task.memory_mib);
  limit(machine.gpus, task.gpus);
  if (task.all_gpus) most = machine.gpus > 0 ? std::min<std::int64_t>(most, 1) : 0;
  if (task.shared_mib > 0) limit(machine.gpu_memory_mib / task.shared_mib * machine.gpus, 1);
  return most;
}

Reservation capacity_reservation(const ProviderView& view) {
  if (view.waiting.empty()) {
    if (view.running == 0) return {0, kBalanced};
    return {view.busy, 100.0 * static_cast<double>(view.busy) / static_cast<double>(view.running)};
  }
  if (view.running == 0) return {1, kFromZero};
  const auto count = machines_for(view);
  if (!count) return {view.running, kBalanced};
  const std::int64_t needed = view.running + std::clamp(*count, view.minimum_step, view.maximum_step);
  return {needed, 100.0 * static_cast<double>(needed) / static_cast<double>(view.running)};
}

}  // namespace autoscaler
