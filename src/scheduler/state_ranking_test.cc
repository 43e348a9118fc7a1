// SPDX-License-Identifier: Apache-2.0
#include "scheduler/state_ranking.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "scheduler/place.h"
#include "scheduler/test_trace.h"

namespace scheduler {
namespace {

using namespace test;
using RankEntry = StateRanking::Entry;

// A ranking, and the same entries in a set.
class RankedStates {
  auto is_live() const {
    return [this](const RankEntry& one) { return live_.contains(one); };
  }

 public:
  explicit RankedStates(std::uint64_t seed) : random_(seed) {}

  RankEntry entry() {
    return {.cost = {static_cast<std::int64_t>(random_() % 50), static_cast<std::int64_t>(random_() % 3)},
            .birth = ++births_,
            .number = static_cast<std::uint32_t>(births_ % 1000)};
  }
  void assign(int count) {
    live_.clear();
    std::vector<RankEntry> entries;
    for (int i = 0; i < count; ++i) entries.push_back(entry());
    live_.insert(entries.begin(), entries.end());
    ranking_.assign(std::move(entries));
  }
  void add() {
    const RankEntry added = entry();
    live_.insert(added);
    ranking_.add(added);
    ranking_.limit(2 * live_.size() + 50, is_live());
  }
  void kill_one() {
    if (live_.empty()) return;
    live_.erase(std::next(live_.begin(), static_cast<std::ptrdiff_t>(random_() % std::min<std::size_t>(live_.size(), 20))));
  }
  // The first entries are the same.
  void compare(std::size_t most) {
    std::vector<RankEntry> visited;
    ranking_.walk(is_live(), [&](const RankEntry& one) {
      visited.push_back(one);
      return visited.size() == most;
    });
    auto expected = live_.begin();
    for (const RankEntry& one : visited) ASSERT_EQ(one, *expected++);
    ASSERT_EQ(visited.size(), std::min(most, live_.size()));
  }
  std::size_t ranked() const { return ranking_.size(); }
  std::size_t live() const { return live_.size(); }

 private:
  std::mt19937_64 random_;
  std::uint64_t births_ = 0;
  std::set<RankEntry> live_;
  StateRanking ranking_;
};

TEST(StateRanking, VisitsLiveEntriesInOrderWhateverCameAndWent) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RankedStates both(seed);
    both.assign(static_cast<int>(seed) * 40);
    for (int step = 0; step < 1500; ++step) {
      if (step % 3 != 0) both.add();
      if (step % 2 == 0) both.kill_one();
      if (step % 7 == 0) both.compare(step % 50 == 0 ? 10'000 : 3);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(StateRanking, DropsEntriesWithoutMachines) {
  RankedStates both(1);
  both.assign(2000);
  for (int i = 0; i < 1500; ++i) {
    both.kill_one();
    both.compare(1);
  }
  EXPECT_EQ(both.live(), 500U);
  EXPECT_LT(both.ranked(), 1000U);
}

// More kinds of tasks and more states than a ranking keeps apart.
TEST(StateRanking, AFleetOfManyStatesDecidesLikeAFullScan) {
  const Trace trace = synthetic_trace(3, 40);
  const std::vector<TraceTask> tasks = arrivals(trace, 3);
  Fleet fleet;
  for (std::size_t i = 0; i < trace.machines.size(); ++i) fleet.put(instance_of(trace.machines[i], i));
  std::size_t compared = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const Request request = request_of(tasks[i], i);
    const Decision decision = fleet.place(request);
    if (i % 5 == 0) {
      const Decision plain = place(fleet.machines(), request, fleet.outlook());
      ASSERT_EQ(decision.index(), plain.index()) << "task " << i;
      if (plan_of(plain)) ASSERT_EQ(plan_of(decision)->instance, plan_of(plain)->instance) << "task " << i;
      ++compared;
    }
    if (plan_of(decision)) ASSERT_TRUE(fleet.hold(*plan_of(decision)));
    if (i % 4 == 3) fleet.release(model::TaskId("task-" + std::to_string(i / 2)));
  }
  EXPECT_GT(compared, 50U);
}

}  // namespace
}  // namespace scheduler
