// SPDX-License-Identifier: Apache-2.0
#include "scheduler/gpu_choice.h"

#include <gtest/gtest.h>

#include "scheduler/test_machines.h"

namespace scheduler {
namespace {

using namespace test;

model::TaskHold holding(const std::string& task, std::vector<int> gpus, std::int64_t shared_mib = 0) {
  model::TaskHold hold{.task = model::TaskId(task)};
  for (int gpu : gpus) hold.gpus.push_back({model::GpuId("m/" + std::to_string(gpu)), "main", shared_mib});
  return hold;
}

model::TaskDemand demand(std::vector<model::GpuDemand> gpus) {
  model::TaskDemand made;
  made.gpus = std::move(gpus);
  return made;
}

std::vector<std::string> choose(const Machine& machine, std::vector<model::GpuDemand> gpus) {
  std::vector<std::string> ids;
  for (const model::GpuHold& hold : choose_gpus(machine, demand(std::move(gpus)))) {
    ids.push_back(hold.container + ":" + hold.gpu.str());
  }
  return ids;
}

using Ids = std::vector<std::string>;

TEST(GpuChoice, WholeGpusComeFromTheShortestRunThatIsLongEnough) {
  Machine machine(box("m", 8));
  machine.add(holding("t", {2, 5}));  // runs: 0-1, 3-4, 6-7
  EXPECT_EQ(choose(machine, {whole(2)}), (Ids{"main:m/0", "main:m/1"}));
  machine.add(holding("u", {0}));  // runs: 1, 3-4, 6-7
  EXPECT_EQ(choose(machine, {whole(1)}), (Ids{"main:m/1"}));
  EXPECT_EQ(choose(machine, {whole(2)}), (Ids{"main:m/3", "main:m/4"}));
}

TEST(GpuChoice, WithoutALongRunItTakesScatteredGpus) {
  Machine machine(box("m", 4));
  machine.add(holding("t", {1}));
  EXPECT_EQ(choose(machine, {whole(3)}), (Ids{"main:m/0", "main:m/2", "main:m/3"}));
  EXPECT_FALSE(gpus_fit(machine, GpuNeed(demand({whole(4)}))));
}

TEST(GpuChoice, ContainersOfATaskGetDisjointGpus) {
  Machine machine(box("m", 4));
  EXPECT_EQ(choose(machine, {whole(1, "a"), whole(2, "b")}), (Ids{"a:m/0", "b:m/1", "b:m/2"}));
}

TEST(GpuChoice, AllMeansEveryHealthyGpuOfTheMachine) {
  model::Instance instance = box("m", 3);
  instance.total.gpus[1].healthy = false;
  Machine machine(instance);
  EXPECT_EQ(choose(machine, {all_gpus()}), (Ids{"main:m/0", "main:m/2"}));
  machine.add(holding("t", {0}));
  EXPECT_FALSE(gpus_fit(machine, GpuNeed(demand({all_gpus()}))));
  EXPECT_FALSE(gpus_fit(Machine(box("m", 0)), GpuNeed(demand({all_gpus()}))));
}

TEST(GpuChoice, AShareJoinsTheFullestSharedGpuThatHasRoom) {
  Machine machine(box("m", 4));
  machine.add(holding("t", {1}, 4096));
  machine.add(holding("u", {2}, 12288));
  EXPECT_EQ(choose(machine, {share(4096)}), (Ids{"main:m/2"}));
  EXPECT_EQ(choose(machine, {share(4097)}), (Ids{"main:m/1"}));
  EXPECT_EQ(choose(machine, {share(12289)}), (Ids{"main:m/0"}));
}

TEST(GpuChoice, AllSharesOfATaskAreOnOneGpu) {
  Machine machine(box("m", 2));
  machine.add(holding("t", {0}, 8192));
  EXPECT_EQ(choose(machine, {share(6000, "a"), share(6000, "b")}), (Ids{"a:m/1", "b:m/1"}));
  EXPECT_FALSE(gpus_fit(machine, GpuNeed(demand({share(9000, "a"), share(9000, "b")}))));
}

TEST(GpuChoice, MaxComputePercentIsALimitAndReservesNothing) {
  Machine machine(box("m", 1));
  model::GpuDemand greedy = share(1024);
  greedy.max_compute_percent = 100;
  for (int i = 0; i < 3; ++i) {
    model::TaskHold hold{.task = model::TaskId(std::to_string(i)), .gpus = choose_gpus(machine, demand({greedy}))};
    machine.add(hold);
  }
  EXPECT_EQ(machine.gpu_uses()[0].shared_holders, 3);
}

TEST(GpuChoice, TheSmallestSufficientIdleGpuIsSplit) {
  model::Instance instance = box("m", 3);
  instance.total.gpus[0].memory_mib = 81920;
  instance.total.gpus[1].memory_mib = 24576;
  instance.total.gpus[2].memory_mib = 81920;
  EXPECT_EQ(choose(Machine(instance), {share(20000)}), (Ids{"main:m/1"}));
}

TEST(GpuChoice, ATaskMayHaveWholeGpusAndAShare) {
  Machine machine(box("m", 2));
  EXPECT_EQ(choose(machine, {whole(1, "a"), share(1024, "b")}), (Ids{"a:m/0", "b:m/1"}));
  EXPECT_FALSE(gpus_fit(machine, GpuNeed(demand({whole(2, "a"), share(1024, "b")}))));
  model::Instance uneven = box("m", 2);
  uneven.total.gpus[0].memory_mib = 81920;
  EXPECT_EQ(choose(Machine(uneven), {whole(1, "a"), share(40000, "b")}), (Ids{"a:m/1", "b:m/0"}));
}

TEST(GpuChoice, AGpuOfUnknownMemoryIsNotShared) {
  model::Instance instance = box("m", 1);
  instance.total.gpus[0].memory_mib = 0;
  EXPECT_FALSE(gpus_fit(Machine(instance), GpuNeed(demand({share(1)}))));
  EXPECT_TRUE(gpus_fit(Machine(instance), GpuNeed(demand({whole(1)}))));
}

TEST(GpuChoice, AnUnhealthyGpuIsNeverAssigned) {
  model::Instance instance = box("m", 2);
  instance.total.gpus[0].healthy = false;
  Machine machine(instance);
  EXPECT_EQ(choose(machine, {whole(1)}), (Ids{"main:m/1"}));
  machine.add(holding("t", {0}, 1024));  // it was shared before it fell ill
  EXPECT_EQ(choose(machine, {share(1024)}), (Ids{"main:m/1"}));
}

}  // namespace
}  // namespace scheduler
