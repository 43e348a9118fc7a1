// SPDX-License-Identifier: Apache-2.0
#include "autoscaler/capacity_provider.h"

#include <gtest/gtest.h>

namespace autoscaler {
namespace {

std::vector<std::int64_t> split(std::vector<StrategyShare> shares, int tasks) {
  for (int i = 0; i < tasks; ++i) {
    const auto next = next_share(shares);
    if (!next) break;
    ++shares[*next].assigned;
  }
  std::vector<std::int64_t> counts;
  for (const StrategyShare& share : shares) counts.push_back(share.assigned);
  return counts;
}

TEST(NextShare, TheBaseComesFirstAndTheRestFollowsTheWeights) {
  const std::vector<StrategyShare> strategy{{.base = 2, .weight = 1}, {.weight = 3}};
  EXPECT_EQ(split(strategy, 1), (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(split(strategy, 2), (std::vector<std::int64_t>{2, 0}));
  EXPECT_EQ(split(strategy, 10), (std::vector<std::int64_t>{4, 6}));
  EXPECT_EQ(split(strategy, 22), (std::vector<std::int64_t>{7, 15}));
}

TEST(NextShare, AProviderWithoutWeightGetsItsBaseOnly) {
  EXPECT_EQ(split({{.base = 1}, {.weight = 1}}, 5), (std::vector<std::int64_t>{1, 4}));
  EXPECT_EQ(split({{}, {.weight = 2}}, 5), (std::vector<std::int64_t>{0, 5}));
  EXPECT_EQ(split({{.base = 1}}, 5), (std::vector<std::int64_t>{1}));
}

TEST(NextShare, EqualWeightsAlternate) {
  EXPECT_EQ(split({{.weight = 1}, {.weight = 1}}, 5), (std::vector<std::int64_t>{3, 2}));
}

TEST(TasksPerMachine, TheScarcestResourceDecides) {
  const MachineSize machine{.cpu = 4096, .memory_mib = 8000, .gpus = 4, .gpu_memory_mib = 16000};
  EXPECT_EQ(tasks_per_machine(machine, {.cpu = 1024, .memory_mib = 1000}), 4);
  EXPECT_EQ(tasks_per_machine(machine, {.cpu = 1024, .memory_mib = 4000}), 2);
  EXPECT_EQ(tasks_per_machine(machine, {.memory_mib = 16, .gpus = 1}), 4);
  EXPECT_EQ(tasks_per_machine(machine, {.memory_mib = 16, .gpus = 8}), 0);
  EXPECT_EQ(tasks_per_machine(machine, {.memory_mib = 16, .all_gpus = true}), 1);
  EXPECT_EQ(tasks_per_machine(machine, {.memory_mib = 16, .shared_mib = 6000}), 8);
  EXPECT_EQ(tasks_per_machine(machine, {.memory_mib = 16, .alone = true}), 1);
  EXPECT_EQ(tasks_per_machine({.cpu = 4096, .memory_mib = 8000}, {.memory_mib = 16, .all_gpus = true}), 0);
}

struct ReservationCase {
  const char* name;
  ProviderView view;
  std::int64_t needed;
  double percent;
};

TEST(CapacityReservation, FollowsAmazonsFormula) {
  const MachineSize small{.cpu = 1024, .memory_mib = 2000}, large{.cpu = 4096, .memory_mib = 8000};
  const TaskSize task{.cpu = 1024, .memory_mib = 500}, big{.cpu = 4096, .memory_mib = 500};
  const ReservationCase cases[] = {
      {"no instances and no tasks", {}, 0, 100},
      {"from zero", {.waiting = {{task, 1}}}, 1, 200},
      {"from zero, many", {.waiting = {{task, 400}}}, 1, 200},
      {"all busy", {.running = 4, .busy = 4}, 4, 100},
      {"half of them busy", {.running = 4, .busy = 2}, 2, 50},
      {"none busy", {.running = 2}, 0, 0},
      {"one more", {.running = 2, .busy = 2, .sizes = {large}, .waiting = {{task, 3}}}, 3, 150},
      {"two more", {.running = 2, .busy = 2, .sizes = {large}, .waiting = {{task, 5}}}, 4, 200},
      {"the group that needs the most",
       {.running = 10, .busy = 10, .sizes = {large}, .waiting = {{task, 4}, {big, 3}}},
       13,
       130},
      {"the smallest step", {.running = 2, .sizes = {large}, .waiting = {{task, 1}}, .minimum_step = 4}, 6, 300},
      {"the largest step", {.running = 2, .sizes = {large}, .waiting = {{big, 9}}, .maximum_step = 3}, 5, 250},
      {"by the largest type", {.running = 2, .sizes = {small, large}, .waiting = {{task, 4}}}, 3, 150},
      {"left out: not for the smallest type", {.running = 2, .sizes = {small, large}, .waiting = {{big, 4}}}, 2, 100},
      {"no machine has joined", {.running = 2, .waiting = {{big, 4}}}, 3, 150},
  };
  for (const ReservationCase& one : cases) {
    const Reservation reservation = capacity_reservation(one.view);
    EXPECT_EQ(reservation.needed, one.needed) << one.name;
    EXPECT_DOUBLE_EQ(reservation.percent, one.percent) << one.name;
  }
}

}  // namespace
}  // namespace autoscaler
