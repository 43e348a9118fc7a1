// SPDX-License-Identifier: Apache-2.0
// A Fleet must decide like a full scan. Thousands of random fleets and requests, each from a seed that a failure
// prints.
#include <gtest/gtest.h>

#include <random>

#include "scheduler/place.h"
#include "scheduler/test_machines.h"

namespace scheduler {
namespace {

using namespace test;
using Strategy = model::PlacementStrategy;

class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed) {
    int machines = number(1, 24);
    for (int i = 0; i < machines; ++i) fleet_.put(instance(i));
  }

  void step() {
    switch (number(0, 19)) {
      case 0: fleet_.put(instance(number(0, 25))); break;
      case 1: remove_one(); break;
      case 2:
      case 3:
      case 4: release_one(); break;
      case 5:
        if (!tasks_.empty()) fleet_.mark(any_task(), number(0, 1), number(0, 1));
        break;
      default: place_one(); break;
    }
  }

 private:
  int number(int from, int to) { return std::uniform_int_distribution(from, to)(random_); }
  bool chance(int percent) { return number(1, 100) <= percent; }

  model::Instance instance(int number_of) {
    static constexpr int kGpus[] = {0, 0, 1, 2, 4, 8};
    model::Instance made = box("box-" + std::to_string(number_of), kGpus[number(0, 5)]);
    made.total.cpu = number(1, 8) * 1024;
    made.total.memory_mib = number(1, 8) * 4096;
    made.agent_connected = !chance(5);
    if (chance(5)) made.status = model::InstanceStatus::Draining;
    if (chance(80)) made.attributes["zone"] = std::string(1, static_cast<char>('a' + number(0, 2)));
    if (chance(50)) made.capacity_provider = "p" + std::to_string(number(0, 1));
    if (chance(50)) made.attributes["rack"] = std::to_string(number(0, 12));
    for (model::Gpu& gpu : made.total.gpus) {
      gpu.healthy = !chance(5);
      if (chance(20)) gpu.memory_mib = number(1, 3) * 8192;
    }
    return made;
  }

  std::vector<model::GpuDemand> gpus() {
    switch (number(0, 7)) {
      case 0:
      case 1: return {};
      case 2: return {all_gpus()};
      case 3: return {share(number(1, 16) * 1024)};
      case 4: return {share(number(1, 8) * 1024, "a"), share(number(1, 8) * 1024, "b")};
      case 5: return {whole(1, "a"), share(number(1, 8) * 1024, "b")};
      default: return {whole(1 << number(0, 3))};
    }
  }

  std::vector<Strategy> strategies() {
    static const std::vector<Strategy> kAll = {{Strategy::Type::Random},
                                               {Strategy::Type::SpreadInstance},
                                               {Strategy::Type::SpreadAttribute, "zone"},
                                               {Strategy::Type::BinpackCpu},
                                               {Strategy::Type::BinpackMemory},
                                               {Strategy::Type::BinpackGpu},
                                               {Strategy::Type::SpreadAttribute, "rack"}};
    std::vector<Strategy> chosen;
    int count = number(0, 3);
    for (int i = 0; i < count; ++i) chosen.push_back(kAll[static_cast<std::size_t>(number(0, 6))]);
    return chosen;
  }

  Request request() {
    Request made = task("task-" + std::to_string(next_task_++), number(0, 4) * 256, number(0, 4) * 512);
    made.group = "family:" + std::to_string(number(0, 3));
    made.demand.gpus = gpus();
    if (chance(20)) made.demand.ports.tcp.insert(static_cast<std::uint16_t>(8000 + number(0, 3)));
    if (chance(10)) made.demand.required_attributes.push_back({"zone", std::nullopt});
    if (chance(10)) made.capacity_provider = "p" + std::to_string(number(0, 1));
    made.distinct_instance = chance(15);
    if (chance(15)) member_of(made, "attribute:zone != b and not(task:group == family:1)");
    made.strategies = strategies();
    made.seed = static_cast<std::uint64_t>(number(0, 1000));
    return made;
  }

  model::TaskId any_task() { return tasks_[static_cast<std::size_t>(number(0, static_cast<int>(tasks_.size()) - 1))]; }

  void release_one() {
    if (tasks_.empty()) return;
    model::TaskId task = any_task();
    fleet_.release(task);
    std::erase(tasks_, task);
  }

  void remove_one() {
    std::vector<const Machine*> machines = fleet_.machines();
    if (machines.size() < 2) return;
    fleet_.remove(machines[static_cast<std::size_t>(number(0, static_cast<int>(machines.size()) - 1))]->instance().id);
  }

  void place_one() {
    Request wanted = request();
    Decision indexed = fleet_.place(wanted);
    Decision plain = place(fleet_.machines(), wanted, fleet_.outlook());
    ASSERT_EQ(indexed.index(), plain.index()) << wanted.task.str();
    const Plan* plan = plan_of(indexed);
    if (!plan) {
      ASSERT_EQ(reasons_of(indexed), reasons_of(plain));
      return;
    }
    ASSERT_EQ(plan->instance, plan_of(plain)->instance) << wanted.task.str();
    ASSERT_EQ(plan->hold, plan_of(plain)->hold);
    ASSERT_TRUE(fleet_.hold(*plan));
    check_no_gpu_is_given_twice(*fleet_.find(plan->instance));
    if (chance(20)) return fleet_.unhold(wanted.task);
    fleet_.commit(wanted.task);
    tasks_.push_back(wanted.task);
  }

  static void check_no_gpu_is_given_twice(const Machine& machine) {
    for (const GpuUse& use : machine.gpu_uses()) {
      ASSERT_LE(use.whole_holders, 1);
      ASSERT_TRUE(use.whole_holders == 0 || use.shared_holders == 0);
    }
  }

  std::mt19937_64 random_;
  Fleet fleet_;
  std::vector<model::TaskId> tasks_;
  int next_task_ = 0;
};

TEST(FleetProperty, DecidesLikeAFullScan) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(seed);
    for (int step = 0; step < 120; ++step) {
      world.step();
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace scheduler
