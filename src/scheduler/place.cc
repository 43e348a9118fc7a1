// SPDX-License-Identifier: Apache-2.0
#include "scheduler/place.h"

#include <algorithm>

#include "scheduler/filter.h"
#include "scheduler/order.h"

namespace scheduler {

Decision place(std::span<const Machine* const> machines, const Request& request, const Outlook& outlook) {
  GpuNeed need(request.demand);
  SpreadCounts counts = make_spread_counts(request);
  for (const Machine* machine : machines) {
    count_spread(counts, request, *machine, machine->tasks_in_group(request.group));
  }
  const Machine* best = nullptr;
  Rank best_rank{};
  for (const Machine* machine : machines) {
    if (misfit(*machine, request, need)) continue;
    Rank its_rank = request.strategies.empty() ? rank(*machine, request, need, outlook)
                                               : rank(*machine, request, need, counts);
    bool better =
        !best || its_rank < best_rank || (its_rank == best_rank && machine->instance().id < best->instance().id);
    if (!better) continue;
    best = machine;
    best_rank = its_rank;
  }
  if (best) return make_plan(*best, request);
  return refuse(machines, request);
}

Refusal refuse(std::span<const Machine* const> machines, const Request& request) {
  std::vector<const Machine*> candidates;
  for (const Machine* machine : machines) {
    if (machine->instance().status != model::InstanceStatus::Active) continue;
    if (is_of_provider(*machine, request)) candidates.push_back(machine);
  }
  std::ranges::sort(candidates, {}, [](const Machine* machine) { return machine->instance().id; });
  Refusal refusal;
  for (const Machine* machine : candidates) {
    refusal.more = refusal.failures.size() == kMaxFailures;
    if (refusal.more) break;
    if (auto failure = explain(*machine, request)) refusal.failures.push_back(std::move(*failure));
  }
  return refusal;
}

}  // namespace scheduler
