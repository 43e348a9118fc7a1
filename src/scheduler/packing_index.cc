// SPDX-License-Identifier: Apache-2.0
#include "scheduler/packing_index.h"

namespace scheduler {

void PackingIndex::put(FitIndex::Entry entry, const FreeState& state, const Outlook& outlook) {
  erase(entry.slot);
  auto [found, is_new] = numbers_.try_emplace(state, 0);
  if (is_new) {
    if (unused_.empty()) {
      unused_.push_back(static_cast<std::uint32_t>(groups_.size()));
      groups_.emplace_back();
    }
    found->second = unused_.back();
    unused_.pop_back();
    groups_[found->second] = {.state = state, .waste = outlook.waste(state)};
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

void PackingIndex::rate(const Outlook& outlook) {
  for (Group& group : groups_) {
    if (group.machines > 0) group.waste = outlook.waste(group.state);
  }
}

}  // namespace scheduler
