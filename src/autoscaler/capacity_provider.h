// SPDX-License-Identifier: Apache-2.0
// Decisions of ECS capacity providers: which of them gets the next task, and how much of a provider's capacity is in
// demand. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace autoscaler {

// A provider in a strategy, with the tasks that it has.
struct StrategyShare {
  std::int32_t base = 0, weight = 0;
  std::int64_t assigned = 0;
};

// The provider that gets the next task: one whose base is not reached, then the one with the fewest tasks beyond its
// base in relation to its weight, the first of equal ones. nullopt: no provider has a weight, and all bases are
// reached.
std::optional<std::size_t> next_share(std::span<const StrategyShare> shares);

// What a machine offers to tasks.
struct MachineSize {
  std::int64_t cpu = 0, memory_mib = 0;
  std::int64_t gpus = 0;
  std::int64_t gpu_memory_mib = 0;  // of its largest GPU
};

// What a task needs of a machine.
struct TaskSize {
  std::int64_t cpu = 0, memory_mib = 0;
  std::int64_t gpus = 0;  // whole ones
  bool all_gpus = false;
  std::int64_t shared_mib = 0;  // of one GPU
  bool alone = false;           // it holds a port of the host, or must not share its machine with its like
  auto operator<=>(const TaskSize&) const = default;
};

// How many such tasks one machine takes; 0: not even one.
std::int64_t tasks_per_machine(const MachineSize& machine, const TaskSize& task);

// PROVISIONING tasks with the same needs.
struct WaitingTasks {
  TaskSize size = {};
  std::int64_t count = 0;
};

// A provider with managed scaling.
struct ProviderView {
  std::int64_t running = 0;             // instances of its group: N
  std::int64_t busy = 0;                // of these, the ones with a task that is not a daemon's
  std::vector<MachineSize> sizes = {};  // of its machines; empty: not known yet
  std::vector<WaitingTasks> waiting = {};
  std::int64_t minimum_step = 1, maximum_step = 10000;
};

struct Reservation {
  std::int64_t needed = 0;  // instances: M
  double percent = 100;     // CapacityProviderReservation
};
Reservation capacity_reservation(const ProviderView& view);

}  // namespace autoscaler
