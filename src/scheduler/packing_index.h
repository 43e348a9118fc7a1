// SPDX-License-Identifier: Apache-2.0
// Machines grouped by their free state, so that a decision rates each state once: thousands of machines are in a few
// hundred states, and even a mixed and nearly full fleet has half as many states as machines. The ratings for the kinds
// of tasks that were placed recently are kept.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <unordered_map>
#include <vector>

#include "scheduler/fit_index.h"
#include "scheduler/outlook.h"
#include "scheduler/state_ranking.h"

namespace scheduler {

class PackingIndex {
 public:
  // Adds a machine, or moves it to another state. The entry's bucket and major are set here.
  void put(FitIndex::Entry entry, const FreeState& state);
  // A slot without an entry is ignored.
  void erase(std::uint32_t slot);
  void clear();
  // Another outlook with the same step sizes comes soon: each prepare() rates some states for the tasks that were placed
  // recently, so that no single decision has to rate them all. adopt() begins to use it, prepared or not.
  void begin_preparing();
  void prepare(const Outlook& next);
  void adopt();

  std::size_t state_count() const { return numbers_.size(); }
  std::size_t ranking_count() const { return rankings_.size(); }

  // The machine with the least (cost, id) of those within the bounds for which accept(slot) is true, or nullptr.
  template <class Accept>
  const FitIndex::Entry* best(const Outlook& outlook, const StepNeed& need, FitIndex::Bound bound,
                              const Accept& accept) {
    const FitIndex::Entry* best = nullptr;
    Outlook::Cost least;
    auto visit = [&](const StateRanking::Entry& entry) {
      if (best && least < entry.cost) return true;
      bound.bucket = entry.number;
      const FitIndex::Entry* found = machines_.first(bound, accept);
      if (!found || (best && FitIndex::before(*best, *found))) return false;
      best = found;
      least = entry.cost;
      return false;
    };
    ranking(outlook, need).walk([this](const StateRanking::Entry& entry) { return is_live(entry); }, visit);
    return best;
  }

 private:
  struct Group {
    FreeState state;
    std::uint32_t machines = 0;  // 0: the number is unused
    std::uint64_t birth = 0;
  };
  struct Preparation {
    std::vector<StepNeed> needs = {};  // to be done; the last one is next
    std::size_t number = 0;            // of the next state to rate for it
    std::uint64_t seen = 0;            // births when that began
    std::vector<StateRanking::Entry> entries = {};
    std::map<StepNeed, StateRanking> done = {};
  };

  bool is_live(const StateRanking::Entry& entry) const {
    const Group& group = groups_[entry.number];
    return group.birth == entry.birth && group.machines > 0;
  }
  // Up to date.
  StateRanking& ranking(const Outlook& outlook, const StepNeed& need);
  // Adds an entry for the state unless it is empty, newer than `seen`, or too small.
  void rank(std::size_t number, std::uint64_t seen, const Outlook& outlook, const StepNeed& need,
            std::vector<StateRanking::Entry>& into) const;

  std::vector<Group> groups_;
  std::vector<std::uint32_t> unused_;  // numbers of groups
  std::unordered_map<FreeState, std::uint32_t, HashOfFreeState> numbers_;
  FitIndex machines_;                     // bucket: the number of the group
  std::vector<FitIndex::Entry> entries_;  // by slot; without an id: none

  std::map<StepNeed, StateRanking> rankings_;
  Preparation next_;
  std::uint64_t births_ = 0, uses_ = 0;
  std::deque<std::uint32_t> newest_;  // the numbers of the latest births, the last one is births_
};

}  // namespace scheduler
