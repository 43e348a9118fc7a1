// SPDX-License-Identifier: Apache-2.0
#include "scheduler/state_ranking.h"

#include <utility>

namespace scheduler {
namespace {

// Most walks end early, so the entries are sorted piece by piece.
constexpr std::size_t kFirstPiece = 64;
// An addition moves as many entries, at most.
constexpr std::size_t kMaxSorted = 1024;

}  // namespace

void StateRanking::assign(std::vector<Entry> entries) {
  entries_ = std::move(entries);
  sorted_ = 0;
}

void StateRanking::add(const Entry& entry) {
  sorted_ = std::min(sorted_, kMaxSorted);
  entries_.push_back(entry);
  if (sorted_ == 0 || entries_[sorted_ - 1] < entry) return;
  // It belongs to the sorted ones: the first of the others makes room.
  std::swap(entries_[sorted_], entries_.back());
  const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(sorted_);
  std::rotate(std::upper_bound(entries_.begin(), end, entry), end, end + 1);
  ++sorted_;
}

void StateRanking::sort_more() {
  const std::size_t end = std::min(entries_.size(), sorted_ + std::max(kFirstPiece, 3 * sorted_));
  const auto at = [&](std::size_t index) { return entries_.begin() + static_cast<std::ptrdiff_t>(index); };
  if (end < entries_.size()) std::nth_element(at(sorted_), at(end), entries_.end());
  std::sort(at(sorted_), at(end));
  sorted_ = end;
}

}  // namespace scheduler
