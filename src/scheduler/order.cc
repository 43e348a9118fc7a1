// SPDX-License-Identifier: Apache-2.0
#include "scheduler/order.h"

namespace scheduler {
namespace {

using Type = model::PlacementStrategy::Type;

// SplitMix64's finalizer: every input bit affects every output bit.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

std::int64_t score(std::size_t index, const Machine& machine, const Request& request, const SpreadCounts& counts) {
  const model::PlacementStrategy& strategy = request.strategies[index];
  switch (strategy.type) {
    case Type::Random: return shuffled(request.seed, hash_of(machine.instance().id));
    case Type::SpreadInstance: return machine.tasks_in_group(request.group);
    case Type::SpreadAttribute: {
      auto found = counts[index].find(machine.attribute(strategy.attribute));
      return found == counts[index].end() ? 0 : found->second;
    }
    case Type::BinpackCpu: return machine.free_cpu();
    case Type::BinpackMemory: return machine.free_memory_mib();
    case Type::BinpackGpu: return machine.idle_gpus();
  }
  return 0;
}

}  // namespace

SpreadCounts make_spread_counts(const Request& request) { return SpreadCounts(request.strategies.size()); }

void count_spread(SpreadCounts& counts, const Request& request, const Machine& machine, int tasks_in_group) {
  if (tasks_in_group == 0) return;
  for (std::size_t i = 0; i < request.strategies.size(); ++i) {
    const model::PlacementStrategy& strategy = request.strategies[i];
    if (strategy.type != Type::SpreadAttribute) continue;
    counts[i][std::string(machine.attribute(strategy.attribute))] += tasks_in_group;
  }
}

Rank rank(const Machine& machine, const Request& request, const GpuNeed& need, const SpreadCounts& counts) {
  Rank rank{};
  std::size_t i = 0;
  for (; i < request.strategies.size() && i < model::kMaxPlacementStrategies; ++i) {
    rank[i] = score(i, machine, request, counts);
  }
  rank[i] = gpu_waste(machine, need);
  return rank;
}

Rank rank(const Machine& machine, const Request& request, const GpuNeed& need, const Outlook& outlook) {
  const FreeState state = state_of(machine, outlook.sizes());
  const Outlook::Cost cost =
      outlook.cost(state, outlook.waste(state), StepNeed(request.demand, need, outlook.sizes()));
  return {cost.growth, cost.gpu_waste, cost.spare};
}

std::int64_t shuffled(std::uint64_t seed, std::uint64_t id_hash) {
  return static_cast<std::int64_t>(mix(id_hash ^ mix(seed)) >> 1);
}

std::uint64_t hash_of(const model::InstanceId& id) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
  for (unsigned char c : id.str()) hash = (hash ^ c) * 0x100000001b3ULL;
  return hash;
}

}  // namespace scheduler
