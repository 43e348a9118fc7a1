// SPDX-License-Identifier: Apache-2.0
// Machines grouped by their free state, so that a decision rates each state once: thousands of machines are in a few
// hundred states, and even a mixed and nearly full fleet has half as many states as machines.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "scheduler/fit_index.h"
#include "scheduler/outlook.h"

namespace scheduler {

class PackingIndex {
 public:
  // Adds a machine, or moves it to another state. The entry's bucket and major are set here.
  void put(FitIndex::Entry entry, const FreeState& state, const Outlook& outlook);
  // A slot without an entry is ignored.
  void erase(std::uint32_t slot);
  void clear();
  // The wastes changed, the step sizes did not.
  void rate(const Outlook& outlook);

  std::size_t state_count() const { return numbers_.size(); }

  // The machine with the least (cost, id) of those within the bounds for which accept(slot) is true, or nullptr.
  template <class Accept>
  const FitIndex::Entry* best(const Outlook& outlook, const StepNeed& need, FitIndex::Bound bound,
                              const Accept& accept) const {
    const FitIndex::Entry* best = nullptr;
    Outlook::Cost least;
    for (std::size_t number = 0; number < groups_.size(); ++number) {
      const Group& group = groups_[number];
      if (group.machines == 0 || !may_fit(group.state, need)) continue;
      const Outlook::Cost cost = outlook.cost(group.state, group.waste, need);
      if (best && least < cost) continue;
      bound.bucket = number;
      const FitIndex::Entry* found = machines_.first(bound, accept);
      if (!found || (best && cost == least && FitIndex::before(*best, *found))) continue;
      best = found;
      least = cost;
    }
    return best;
  }

 private:
  struct Group {
    FreeState state;
    std::uint32_t machines = 0;  // 0: the number is unused
    std::int64_t waste = 0;
  };

  std::vector<Group> groups_;
  std::vector<std::uint32_t> unused_;  // numbers of groups
  std::unordered_map<FreeState, std::uint32_t, HashOfFreeState> numbers_;
  FitIndex machines_;                     // bucket: the number of the group
  std::vector<FitIndex::Entry> entries_;  // by slot; without an id: none
};

}  // namespace scheduler
