// SPDX-License-Identifier: Apache-2.0
// The free states of a fleet, ordered by what one kind of task costs there. Kept between decisions: a decision adds the
// states that are new since the last one, and usually ends at the first state.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/outlook.h"

namespace scheduler {

class StateRanking {
 public:
  struct Entry {
    Outlook::Cost cost;
    std::uint64_t birth = 0;   // of the state; numbers are used again
    std::uint32_t number = 0;  // of the state
    auto operator<=>(const Entry&) const = default;
  };

  // The last birth that was added.
  std::uint64_t seen = 0;
  std::uint64_t used = 0;  // when a decision used it last; chosen by the caller

  // Replaces all entries.
  void assign(std::vector<Entry> entries);
  void add(const Entry& entry);

  // Calls visit(entry) for live entries in order until it returns true. `is_live(entry)` is false for a state without
  // machines; such entries are dropped when there are many.
  template <class IsLive, class Visit>
  void walk(const IsLive& is_live, const Visit& visit) {
    std::size_t dead = 0;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (i == sorted_) sort_more();
      if (!is_live(entries_[i])) {
        ++dead;
      } else if (visit(entries_[i])) {
        break;
      }
    }
    if (dead > kMaxDead) drop_dead(is_live);
  }

  // Drops entries if there are more than this.
  template <class IsLive>
  void limit(std::size_t most, const IsLive& is_live) {
    if (entries_.size() > most) drop_dead(is_live);
  }

  std::size_t size() const { return entries_.size(); }

 private:
  static constexpr std::size_t kMaxDead = 64;  // at the front

  void sort_more();
  template <class IsLive>
  void drop_dead(const IsLive& is_live) {
    const auto front_end = entries_.begin() + static_cast<std::ptrdiff_t>(sorted_);
    sorted_ = static_cast<std::size_t>(std::count_if(entries_.begin(), front_end, is_live));
    std::erase_if(entries_, [&](const Entry& entry) { return !is_live(entry); });
  }

  std::vector<Entry> entries_;  // the first sorted_ ones are in order, and none of the others belongs before them
  std::size_t sorted_ = 0;
};

}  // namespace scheduler
