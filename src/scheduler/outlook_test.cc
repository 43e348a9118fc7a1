// SPDX-License-Identifier: Apache-2.0
#include "scheduler/outlook.h"

#include <gtest/gtest.h>

#include "scheduler/test_machines.h"

namespace scheduler {
namespace {

using namespace test;

constexpr std::int64_t kOneGpu = 65536;
constexpr StepSizes kSizes{.cpu = 1024, .memory_mib = 1024, .share_mib = 256, .steps_of_gpu = 64, .most_gpus = 8};

FreeState idle_state(int idle, int cpu, int memory = 64) {
  FreeState state;
  state.idle = static_cast<std::uint8_t>(idle);
  state.idle_size = 64;
  state.cpu = static_cast<std::uint8_t>(cpu);
  state.memory = static_cast<std::uint8_t>(memory);
  return state;
}

FreeState with_hole(FreeState state, int hole) {
  state.holes[state.hole_count++] = static_cast<std::uint8_t>(hole);
  return state;
}

TEST(Outlook, WithoutTasksNothingIsExpectedToBeWasted) {
  EXPECT_EQ(Outlook().waste(idle_state(8, 0)), 0);
  EXPECT_EQ(Outlook(kSizes, {}).waste(with_hole(idle_state(8, 0), 3)), 0);
}

TEST(Outlook, AGpuWithoutCpuOrMemoryForItIsWaste) {
  const Outlook outlook(kSizes, {{.gpus = 1, .cpu = 4, .memory = 8, .weight = 1}});
  EXPECT_LT(outlook.waste(idle_state(2, 8)), kOneGpu / 10);
  EXPECT_GE(outlook.waste(idle_state(2, 7)), kOneGpu * 9 / 10);
  EXPECT_GE(outlook.waste(idle_state(2, 3)), 2 * kOneGpu);
  EXPECT_GE(outlook.waste(idle_state(2, 8, 7)), 2 * kOneGpu);
}

TEST(Outlook, TheRestOfASharedGpuIsWasteIfNoShareFitsInIt) {
  const Outlook outlook(kSizes, {{.share = 16, .cpu = 1, .weight = 1}});
  EXPECT_EQ(outlook.waste(with_hole(idle_state(0, 8), 15)), kOneGpu * 15 / 64);
  EXPECT_LT(outlook.waste(with_hole(idle_state(0, 8), 16)), kOneGpu / 64);
  EXPECT_EQ(outlook.waste(with_hole(idle_state(0, 0), 16)), kOneGpu * 16 / 64);
}

TEST(Outlook, IdleGpusOnOneMachineAreWorthMoreIfTasksNeedSeveral) {
  const Outlook outlook(kSizes, {{.gpus = 1, .cpu = 1, .weight = 0.9}, {.gpus = 8, .cpu = 8, .weight = 0.1}});
  EXPECT_LT(outlook.waste(idle_state(8, 64)), 2 * outlook.waste(idle_state(4, 64)));
}

TEST(Outlook, LessOfAResourceNeverWastesLess) {
  const Outlook outlook(kSizes, {{.gpus = 0, .cpu = 5, .memory = 3, .weight = 0.3},
                                 {.gpus = 0, .share = 20, .cpu = 3, .memory = 9, .weight = 0.2},
                                 {.gpus = 1, .cpu = 7, .memory = 4, .weight = 0.3},
                                 {.gpus = 4, .cpu = 11, .memory = 20, .weight = 0.2}});
  for (int idle = 0; idle <= 8; ++idle) {
    for (int cpu = 1; cpu <= kMaxSteps; ++cpu) {
      const FreeState more = with_hole(idle_state(idle, cpu, cpu), 40), less = with_hole(idle_state(idle, cpu - 1, cpu), 40);
      ASSERT_GE(outlook.waste(less), outlook.waste(more)) << idle << " GPUs, " << cpu << " steps of CPU";
    }
  }
}

TEST(Outlook, MoreGpusThanRatedAreExtrapolated) {
  const Outlook outlook(kSizes, {{.gpus = 1, .cpu = 4, .weight = 1}});
  EXPECT_EQ(outlook.waste(idle_state(16, 0)), 2 * outlook.waste(idle_state(8, 0)));
}

TEST(Outlook, ShapesAreMergedByStepsAndOnlyTheLargestCount) {
  std::map<TaskShape, std::int64_t> counts;
  counts[{.gpus = 1, .cpu = 1000}] = 3;
  counts[{.gpus = 1, .cpu = 1024}] = 1;
  auto shapes = popular_shapes(counts, kSizes);
  ASSERT_EQ(shapes.size(), 1U);
  EXPECT_EQ(shapes[0].cpu, 1);
  EXPECT_EQ(shapes[0].weight, 1);
  for (int cpu = 2; cpu < 64; ++cpu) counts[{.cpu = cpu * 1024}] = 2;
  counts[{.gpus = 8, .cpu = 1024}] = 1;
  shapes = popular_shapes(counts, kSizes);
  EXPECT_EQ(shapes.size(), kMaxOutlookShapes);
  EXPECT_TRUE(std::ranges::any_of(shapes, [](const OutlookShape& shape) { return shape.gpus == 8; }));
}

TEST(Outlook, DistanceIsZeroForTheSameShapesAndTwoForOthers) {
  const std::vector<OutlookShape> a{{.gpus = 1, .cpu = 1, .weight = 0.5}, {.gpus = 2, .cpu = 1, .weight = 0.5}};
  const std::vector<OutlookShape> b{{.gpus = 1, .cpu = 1, .weight = 1}};
  const std::vector<OutlookShape> c{{.gpus = 4, .cpu = 1, .weight = 1}};
  EXPECT_EQ(distance(a, a), 0);
  EXPECT_EQ(distance(a, b), 1);
  EXPECT_EQ(distance(b, c), 2);
  EXPECT_EQ(distance(c, {}), 1);
}

TEST(FreeState, AMachineWithoutFreeGpusHasOneStateWhateverElseIsFree) {
  Machine small(box("a")), large(box("b"));
  model::Instance instance = box("b");
  instance.total.cpu *= 2;
  large.update(instance);
  EXPECT_EQ(state_of(small, kSizes), state_of(large, kSizes));
}

TEST(FreeState, ShowsIdleGpusAndTheRestsOfSharedOnes) {
  Machine machine(box("a", 4));
  machine.add({.task = model::TaskId("1"), .cpu = 1000, .gpus = {{model::GpuId("a/0"), "main", 6144}}});
  machine.add({.task = model::TaskId("2"), .cpu = 25, .gpus = {{model::GpuId("a/1"), "main", 0}}});
  const FreeState state = state_of(machine, kSizes);
  EXPECT_EQ(state.idle, 2);
  EXPECT_EQ(state.all_idle, 0);
  EXPECT_EQ(state.cpu, 6);  // 7167 of 8192 units are free
  EXPECT_EQ(state.memory, 32);
  ASSERT_EQ(state.hole_count, 1);
  EXPECT_EQ(state.holes[0], 40);
}

TEST(FreeState, AStepIsAPowerOfTwoAndAllStepsCoverTheLargest) {
  EXPECT_EQ(step_size(0), 1);
  EXPECT_EQ(step_size(64), 1);
  EXPECT_EQ(step_size(65), 2);
  EXPECT_EQ(step_size(96000), 2048);
}

}  // namespace
}  // namespace scheduler
