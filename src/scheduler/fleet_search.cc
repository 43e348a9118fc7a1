// SPDX-License-Identifier: Apache-2.0
// Finds the machine that place() would choose, without a full scan.
#include <numeric>
#include <vector>

#include "scheduler/filter.h"
#include "scheduler/fleet_maps.h"

namespace scheduler {
namespace {

using Type = model::PlacementStrategy::Type;

// With more distinct counts than this, a search for each count costs more than a full scan.
constexpr std::size_t kMaxLevels = 8;

bool is_share_alone(const GpuNeed& need) { return need.shared_mib > 0 && need.whole == 0; }

constexpr auto kAny = [](auto) { return true; };

// The slots of all machines.
std::vector<std::uint32_t> first_slots(std::size_t count) {
  std::vector<std::uint32_t> slots(count);
  std::iota(slots.begin(), slots.end(), 0U);
  return slots;
}

}  // namespace

Fleet::Slot Fleet::find_best(const Request& request, const GpuNeed& need) const {
  if (request.strategies.empty()) return find_least_waste(request, need);
  SpreadCounts counts = counts_of(request);
  std::optional<Route> route = this->route(request, need);
  if (!route) return scan(first_slots(briefs_.size()), request, need, counts, kAny);
  if (!route->attribute) return follow(*route, request, need, counts, kAny);

  // First the machines whose attribute value has the fewest tasks, then those with the next higher count, ...
  const std::string& attribute = request.strategies[*route->attribute].attribute;
  const auto& by_value = counts[*route->attribute];
  std::set<int> levels = this->levels(attribute, by_value);
  if (levels.size() > kMaxLevels) return scan(first_slots(briefs_.size()), request, need, counts, kAny);
  for (int level : levels) {
    auto at_level = [&](Slot slot) {
      auto found = by_value.find(machine(slot).attribute(attribute));
      return (found == by_value.end() ? 0 : found->second) == level;
    };
    Slot slot = follow(*route, request, need, counts, at_level);
    if (slot != kNoSlot) return slot;
  }
  return kNoSlot;
}

// Without a strategy.
Fleet::Slot Fleet::find_least_waste(const Request& request, const GpuNeed& need) const {
  const Outlook& outlook = this->outlook();
  update_packing();
  if (next_outlook_) packing_.prepare(*next_outlook_);
  const FitIndex::Bound bound{
      .cpu = request.demand.cpu, .memory_mib = request.demand.memory_mib, .share_mib = need.shared_mib};
  const StepNeed steps(request.demand, need, outlook.sizes());
  const Entry* best = packing_.best(outlook, steps, bound,
                                    [&](Slot slot) { return !misfit(machine(slot), request, need); });
  return best ? best->slot : kNoSlot;
}

// nullopt for any other combination of strategies.
std::optional<Fleet::Route> Fleet::route(const Request& request, const GpuNeed& need) const {
  Route route{.index = &by_id_};
  std::size_t i = 0;
  auto next_is = [&](Type type) { return i < request.strategies.size() && request.strategies[i].type == type; };
  if (next_is(Type::SpreadAttribute)) route.attribute = i++;
  if (next_is(Type::SpreadInstance)) {
    route.spread_instances = true;
    ++i;
  }
  update_ids();
  if (i == request.strategies.size()) return route;
  if (next_is(Type::BinpackCpu)) {
    route.index = &by_cpu_;
    ++i;
  } else if (next_is(Type::BinpackMemory)) {
    route.index = &by_memory_;
    ++i;
  } else if (next_is(Type::BinpackGpu) && !is_share_alone(need)) {
    ++i;  // idle GPUs break ties anyway
  }
  if (i != request.strategies.size()) return std::nullopt;
  if (route.index != &by_id_) update_packed();
  return route;
}

template <class Accept>
Fleet::Slot Fleet::follow(const Route& route, const Request& request, const GpuNeed& need, const SpreadCounts& counts,
                          const Accept& accept) const {
  auto group = maps_->groups.find(request.group);
  if (!route.spread_instances || group == maps_->groups.end()) return search(request, need, *route.index, accept);
  // A machine without tasks of the group comes first.
  auto without = [&](Slot slot) { return !group->second.contains(slot) && accept(slot); };
  Slot slot = search(request, need, *route.index, without);
  if (slot != kNoSlot) return slot;
  std::vector<Slot> members;
  for (const auto& [member, tasks] : group->second) members.push_back(member);
  return scan(members, request, need, counts, accept);
}

// The best machine by (order of the index, idle GPUs, id).
template <class Accept>
Fleet::Slot Fleet::search(const Request& request, const GpuNeed& need, const FitIndex& index,
                          const Accept& accept) const {
  if (is_share_alone(need)) {
    return &index == &by_id_ ? search_shared(request, need, accept) : search_packed_share(request, need, index, accept);
  }
  auto fits = [&](Slot slot) { return accept(slot) && !misfit(machine(slot), request, need); };
  const Entry* best = nullptr;
  for (std::size_t idle = static_cast<std::size_t>(need.whole); 2 * idle < index.bucket_count(); ++idle) {
    const Entry* best_here = nullptr;
    for (std::size_t all_idle = need.all ? 1 : 0; all_idle < 2; ++all_idle) {
      FitIndex::Bound bound{.bucket = 2 * idle + all_idle,
                            .cpu = request.demand.cpu,
                            .memory_mib = request.demand.memory_mib,
                            .share_mib = need.shared_mib};
      const Entry* found = index.first(bound, fits);
      if (found && (!best_here || FitIndex::before(*found, *best_here))) best_here = found;
    }
    if (!best_here) continue;
    // Fewer idle GPUs win a tie, so a later bucket must be strictly better.
    if (!best || best_here->major < best->major) best = best_here;
    if (&index == &by_id_) break;
  }
  return best ? best->slot : kNoSlot;
}

// The fullest sufficient shared GPU; else an idle GPU on the machine with the fewest.
template <class Accept>
Fleet::Slot Fleet::search_shared(const Request& request, const GpuNeed& need, const Accept& accept) const {
  auto fits = [&](Slot slot) { return accept(slot) && !misfit(machine(slot), request, need); };
  FitIndex::Bound bound{.major = need.shared_mib,
                        .cpu = request.demand.cpu,
                        .memory_mib = request.demand.memory_mib,
                        .share_mib = need.shared_mib};
  if (const Entry* joined = shared_gpus_.first(bound, fits)) return joined->slot;
  bound.major = 0;
  for (std::size_t idle = 1; 2 * idle < by_id_.bucket_count(); ++idle) {
    const Entry* best = nullptr;
    for (bound.bucket = 2 * idle; bound.bucket < 2 * idle + 2; ++bound.bucket) {
      const Entry* found = by_id_.first(bound, fits);
      if (found && (!best || FitIndex::before(*found, *best))) best = found;
    }
    if (best) return best->slot;
  }
  return kNoSlot;
}

// The first in the order of the index, ties broken by least waste: buckets count idle GPUs, which is not the waste of
// a share.
template <class Accept>
Fleet::Slot Fleet::search_packed_share(const Request& request, const GpuNeed& need, const FitIndex& index,
                                       const Accept& accept) const {
  Slot best = kNoSlot;
  std::int64_t best_major = 0, best_waste = 0;
  auto consider = [&](Slot slot) {
    const Machine& candidate = machine(slot);
    std::int64_t major = &index == &by_cpu_ ? candidate.free_cpu() : candidate.free_memory_mib();
    if (best != kNoSlot && major > best_major) return true;  // entries only get worse
    if (!accept(slot) || misfit(candidate, request, need)) return false;
    std::int64_t waste = gpu_waste(candidate, need);
    bool better = best == kNoSlot || major < best_major || waste < best_waste ||
                  (waste == best_waste && candidate.instance().id < machine(best).instance().id);
    if (!better) return false;
    best = slot;
    best_major = major;
    best_waste = waste;
    return false;
  };
  FitIndex::Bound bound{
      .cpu = request.demand.cpu, .memory_mib = request.demand.memory_mib, .share_mib = need.shared_mib};
  for (; bound.bucket < index.bucket_count(); ++bound.bucket) index.first(bound, consider);
  return best;
}

// Full scan. Checks whether a machine fits only if it ranks better than the best so far.
template <class Slots, class Accept>
Fleet::Slot Fleet::scan(const Slots& slots, const Request& request, const GpuNeed& need, const SpreadCounts& counts,
                        const Accept& accept) const {
  bool is_random = !request.strategies.empty() && request.strategies[0].type == Type::Random;
  Slot best = kNoSlot;
  Rank best_rank{};
  for (Slot slot : slots) {
    const Brief& brief = briefs_[slot];
    if (brief.cpu < request.demand.cpu || brief.memory_mib < request.demand.memory_mib) continue;
    if (brief.idle_gpus < need.whole) continue;
    if (is_random && best != kNoSlot && shuffled(request.seed, brief.id_hash) > best_rank[0]) continue;
    if (!accept(slot)) continue;
    const Machine& candidate = machine(slot);
    Rank its_rank = rank(candidate, request, need, counts);
    bool better = best == kNoSlot || its_rank < best_rank ||
                  (its_rank == best_rank && candidate.instance().id < machine(best).instance().id);
    if (!better || misfit(candidate, request, need)) continue;
    best = slot;
    best_rank = its_rank;
  }
  return best;
}

SpreadCounts Fleet::counts_of(const Request& request) const {
  SpreadCounts counts = make_spread_counts(request);
  auto group = maps_->groups.find(request.group);
  if (group == maps_->groups.end()) return counts;
  bool needed = false;
  for (const model::PlacementStrategy& strategy : request.strategies) needed |= strategy.type == Type::SpreadAttribute;
  if (!needed) return counts;
  for (const auto& [slot, tasks] : group->second) count_spread(counts, request, machine(slot), tasks);
  return counts;
}

// The distinct task counts of an attribute's values, ascending.
std::set<int> Fleet::levels(const std::string& attribute, const std::map<std::string, int, std::less<>>& counts) const {
  auto count_of = [&](const std::string& value) {
    auto found = counts.find(value);
    return found == counts.end() ? 0 : found->second;
  };
  std::set<int> levels;
  std::size_t with_value = 0;
  if (auto values = census_.find(attribute); values != census_.end()) {
    for (const auto& [value, machines] : values->second) {
      with_value += static_cast<std::size_t>(machines);
      levels.insert(count_of(value));
    }
  }
  if (with_value < slots_.size()) levels.insert(count_of(""));
  return levels;
}

}  // namespace scheduler
