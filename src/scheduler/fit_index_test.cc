// SPDX-License-Identifier: Apache-2.0
#include "scheduler/fit_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>

namespace scheduler {
namespace {

constexpr auto kAny = [](std::uint32_t) { return true; };

// The index, and the same entries in a list that is scanned.
class Both {
 public:
  explicit Both(std::uint64_t seed) : random_(seed) {
    for (int i = 0; i < 400; ++i) ids_.emplace_back(std::string(i % 3 ? "" : "machines-") + std::to_string(i));
  }

  void add() {
    const auto slot = static_cast<std::uint32_t>(number(0, 399));
    const FitIndex::Entry entry{.slot = slot,
                                .bucket = static_cast<std::uint32_t>(number(0, 2)),
                                .major = number(0, 3),
                                .id_front = FitIndex::front_of(ids_[slot]),
                                .id = &ids_[slot],
                                .cpu = number(0, 50),
                                .memory_mib = number(0, 50),
                                .share_mib = number(0, 50)};
    for (const FitIndex::Entry& other : all_) {
      if (other.bucket == entry.bucket && !FitIndex::before(other, entry) && !FitIndex::before(entry, other)) return;
    }
    index_.insert(entry);
    all_.push_back(entry);
  }

  void take() {
    if (all_.empty()) return;
    const auto which = static_cast<std::size_t>(number(0, static_cast<int>(all_.size()) - 1));
    index_.erase(all_[which]);
    all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(which));
  }

  void compare() {
    const FitIndex::Bound bound{.bucket = static_cast<std::size_t>(number(0, 3)),
                                .major = number(0, 3),
                                .cpu = number(0, 50),
                                .memory_mib = number(0, 50),
                                .share_mib = number(0, 50)};
    const FitIndex::Entry* best = nullptr;
    for (const FitIndex::Entry& entry : all_) {
      const bool fits = entry.bucket == bound.bucket && entry.major >= bound.major && entry.cpu >= bound.cpu &&
                        entry.memory_mib >= bound.memory_mib && entry.share_mib >= bound.share_mib;
      if (fits && (!best || FitIndex::before(entry, *best))) best = &entry;
    }
    const FitIndex::Entry* found = index_.first(bound, kAny);
    ASSERT_EQ(found != nullptr, best != nullptr);
    if (!best) return;
    EXPECT_EQ(found->slot, best->slot);
    EXPECT_EQ(found->major, best->major);
  }

  int number(int from, int to) { return std::uniform_int_distribution(from, to)(random_); }
  std::size_t size() const { return all_.size(); }

 private:
  std::mt19937_64 random_;
  std::deque<model::InstanceId> ids_;
  FitIndex index_;
  std::vector<FitIndex::Entry> all_;
};

// The index repeatedly grows to many blocks and shrinks to none.
TEST(FitIndex, FindsTheSameEntryAsAFullScan) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Both both(seed);
    for (int step = 0; step < 6000; ++step) {
      const bool growing = step / 1000 % 2 == 0;
      both.number(0, 99) < (growing ? 80 : 20) ? both.add() : both.take();
      if (step % 5 == 0) both.compare();
      if (testing::Test::HasFailure()) return;
    }
    while (both.size() > 0) both.take();
    both.compare();
  }
}

TEST(FitIndex, ContinuesAfterARejectedEntry) {
  FitIndex index;
  std::deque<model::InstanceId> ids;
  for (std::uint32_t i = 0; i < 200; ++i) {
    ids.emplace_back(std::to_string(1000 + i));
    index.insert({.slot = i, .id_front = FitIndex::front_of(ids[i]), .id = &ids[i], .cpu = 1});
  }
  int calls = 0;
  const auto* found = index.first({.cpu = 1}, [&](std::uint32_t slot) { return ++calls > 0 && slot == 150; });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->slot, 150U);
  EXPECT_EQ(calls, 151);
}

}  // namespace
}  // namespace scheduler
