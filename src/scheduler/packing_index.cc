// SPDX-License-Identifier: Apache-2.0
#include "scheduler/packing_index.h"

#include <algorithm>
#include <utility>

namespace scheduler {
namespace {

// Kinds of tasks whose ratings are kept: those that were placed last.
constexpr std::size_t kMaxRankings = 128;
// A ranking that misses more new states than this rates all states again.
constexpr std::size_t kMaxNewest = 4096;
// Entries that a ranking may have beyond twice the number of states.
constexpr std::size_t kSpareEntries = 256;
// States that one prepare() rates: some ten microseconds.
constexpr std::size_t kPreparedStates = 500;

}  // namespace

void PackingIndex::put(FitIndex::Entry entry, const FreeState& state) {
  erase(entry.slot);
  auto [found, is_new] = numbers_.try_emplace(state, 0);
  if (is_new) {
    if (unused_.empty()) {
      unused_.push_back(static_cast<std::uint32_t>(groups_.size()));
      groups_.emplace_back();
    }
    found->second = unused_.back();
    unused_.pop_back();
    groups_[found->second] = {.state = state, .birth = ++births_};
    newest_.push_back(found->second);
    if (newest_.size() > kMaxNewest) newest_.pop_front();
  }
  ++groups_[found->second].machines;
  entry.bucket = found->second;
  entry.major = 0;
  machines_.insert(entry);
  if (entries_.size() <= entry.slot) entries_.resize(entry.slot + 1);
  entries_[entry.slot] = entry;
}

void PackingIndex::erase(std::uint32_t slot) {
  if (slot >= entries_.size() || !entries_[slot].id) return;
  FitIndex::Entry& entry = entries_[slot];
  machines_.erase(entry);
  Group& group = groups_[entry.bucket];
  if (--group.machines == 0) {
    numbers_.erase(group.state);
    unused_.push_back(entry.bucket);
  }
  entry.id = nullptr;
}

void PackingIndex::clear() {
  *this = {};
}

void PackingIndex::begin_preparing() {
  next_ = {};
  for (const auto& [need, ranking] : rankings_) next_.needs.push_back(need);
  // Those that were used last come first.
  std::ranges::sort(next_.needs, {}, [this](const StepNeed& need) { return rankings_.at(need).used; });
}

void PackingIndex::prepare(const Outlook& next) {
  std::size_t left = kPreparedStates;
  while (left > 0 && !next_.needs.empty()) {
    const StepNeed need = next_.needs.back();
    if (next_.number == 0) next_.seen = births_;
    for (; next_.number < groups_.size() && left > 0; ++next_.number, --left) {
      rank(next_.number, next_.seen, next, need, next_.entries);
    }
    if (next_.number < groups_.size()) return;
    StateRanking& done = next_.done[need];
    done.assign(std::exchange(next_.entries, {}));
    done.seen = next_.seen;
    next_.number = 0;
    next_.needs.pop_back();
  }
}

void PackingIndex::adopt() {
  rankings_ = std::move(next_.done);
  next_ = {};
}

StateRanking& PackingIndex::ranking(const Outlook& outlook, const StepNeed& need) {
  auto [found, is_new] = rankings_.try_emplace(need);
  StateRanking& ranking = found->second;
  ranking.used = ++uses_;
  const std::uint64_t missed = births_ - ranking.seen;
  ranking.seen = births_;
  if (is_new || missed > newest_.size()) {
    std::vector<StateRanking::Entry> entries;
    for (std::size_t number = 0; number < groups_.size(); ++number) rank(number, births_, outlook, need, entries);
    ranking.assign(std::move(entries));
    if (rankings_.size() > kMaxRankings) {
      rankings_.erase(std::ranges::min_element(rankings_, {}, [](const auto& entry) { return entry.second.used; }));
    }
    return ranking;
  }
  std::vector<StateRanking::Entry> added;
  const auto live = [this](const StateRanking::Entry& entry) { return is_live(entry); };
  for (std::size_t i = newest_.size() - missed; i < newest_.size(); ++i) {
    const std::uint64_t birth = births_ - (newest_.size() - 1 - i);
    if (groups_[newest_[i]].birth == birth) rank(newest_[i], birth, outlook, need, added);
  }
  for (const StateRanking::Entry& entry : added) ranking.add(entry);
  ranking.limit(2 * numbers_.size() + kSpareEntries, live);
  return ranking;
}

void PackingIndex::rank(std::size_t number, std::uint64_t seen, const Outlook& outlook, const StepNeed& need,
                        std::vector<StateRanking::Entry>& into) const {
  const Group& group = groups_[number];
  if (group.machines == 0 || group.birth > seen || !may_fit(group.state, need)) return;
  into.push_back({outlook.cost(group.state, outlook.waste(group.state), need), group.birth,
                  static_cast<std::uint32_t>(number)});
}

}  // namespace scheduler
