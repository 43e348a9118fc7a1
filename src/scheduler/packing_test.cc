// SPDX-License-Identifier: Apache-2.0
// Placement without a strategy, in a fleet that has tasks to learn from.
#include <gtest/gtest.h>

#include "scheduler/test_trace.h"

namespace scheduler {
namespace {

using namespace test;

model::Instance box_with_cores(const std::string& name, int gpus, std::int64_t cores) {
  model::Instance instance = box(name, gpus);
  instance.total.cpu = cores * model::kCpuUnitsPerCore;
  return instance;
}

// A machine whose tasks, one on each GPU, are all that the fleet learns from.
void learn(Fleet& fleet, std::int64_t cores, int count) {
  fleet.put(box_with_cores("teacher", count, cores * count));
  for (int i = 0; i < count; ++i) {
    fleet.record(model::InstanceId("teacher"), {.task = model::TaskId("learned-" + std::to_string(i)),
                                                .cpu = cores * model::kCpuUnitsPerCore,
                                                .gpus = {{model::GpuId("teacher/" + std::to_string(i)), "main", 0}}});
  }
}

TEST(Packing, ATaskWithoutGpusLeavesTheCpuThatGpusNeed) {
  Fleet fleet;
  fleet.put(box_with_cores("a", 2, 8));
  fleet.put(box_with_cores("b", 2, 64));
  learn(fleet, 4, 8);
  EXPECT_EQ(run(fleet, task("1", 4 * model::kCpuUnitsPerCore)), "b");
}

TEST(Packing, AStrategyIsFollowedWhateverTheFleetHasLearned) {
  Fleet fleet;
  fleet.put(box_with_cores("a", 2, 8));
  fleet.put(box_with_cores("b", 2, 64));
  learn(fleet, 4, 8);
  Request request = task("1", 4 * model::kCpuUnitsPerCore);
  request.strategies = {{model::PlacementStrategy::Type::BinpackCpu}};
  EXPECT_EQ(run(fleet, request), "a");
}

TEST(Packing, ATaskWithLittleCpuGoesWhereCpuIsScarce) {
  Fleet fleet;
  fleet.put(box_with_cores("a", 2, 16));
  fleet.put(box_with_cores("b", 2, 4));
  learn(fleet, 8, 8);
  EXPECT_EQ(run(fleet, gpu_task("1", 1)), "b");
}

model::TaskHold shared(const std::string& id, const std::string& gpu, std::int64_t mib) {
  return {.task = model::TaskId(id), .cpu = 128, .gpus = {{model::GpuId(gpu), "main", mib}}};
}

TEST(Packing, AShareLeavesARestThatTheUsualSharesFitIn) {
  Fleet fleet;
  fleet.put(box("a", 1));
  fleet.put(box("b", 2));
  fleet.put(box("teacher", 8));
  for (int i = 0; i < 16; ++i) {
    const std::string gpu = "teacher/" + std::to_string(i / 2);
    fleet.record(model::InstanceId("teacher"), shared("learned-" + std::to_string(i), gpu, 8192));
  }
  // Of 8192 MiB on a, half would be left, which is too little; of 12288 MiB on b, as much as most tasks need.
  fleet.record(model::InstanceId("a"), shared("on-a", "a/0", 8192));
  model::TaskHold on_b = shared("on-b", "b/0", 4096);
  on_b.gpus.push_back({model::GpuId("b/1"), "main", 0});
  fleet.record(model::InstanceId("b"), on_b);
  EXPECT_EQ(run(fleet, gpu_task("1", {share(4096)})), "b");
}

TEST(Packing, TheOutlookFollowsTasksThatComeAndGo) {
  Fleet fleet;
  fleet.put(box_with_cores("a", 8, 64));
  EXPECT_TRUE(fleet.outlook().shapes().empty());
  for (int i = 0; i < 40; ++i) run(fleet, task("small-" + std::to_string(i)));
  ASSERT_EQ(fleet.outlook().shapes().size(), 1U);
  EXPECT_EQ(fleet.outlook().shapes()[0].gpus, 0);
  for (int i = 0; i < 40; ++i) fleet.release(model::TaskId("small-" + std::to_string(i)));
  EXPECT_TRUE(fleet.outlook().shapes().empty());
  run(fleet, gpu_task("large", 4));
  fleet.remove(model::InstanceId("a"));
  EXPECT_EQ(fleet.machine_of(model::TaskId("large")), nullptr);
}

TEST(Packing, AHoldThatIsUndoneIsNotLearned) {
  Fleet fleet;
  fleet.put(box("a", 8));
  for (int i = 0; i < 40; ++i) {
    const Request request = gpu_task(std::to_string(i), 1);
    ASSERT_TRUE(fleet.hold(*plan_of(fleet.place(request))));
    fleet.unhold(request.task);
  }
  EXPECT_TRUE(fleet.outlook().shapes().empty());
}

// The fleet as a restart finds it: the same machines and tasks, in another order.
void reload(const Fleet& from, Fleet& into, bool reversed) {
  std::vector<const Machine*> machines = from.machines();
  if (reversed) std::ranges::reverse(machines);
  for (const Machine* machine : machines) {
    into.put(machine->instance());
    std::vector<model::TaskHold> holds(machine->tasks().begin(), machine->tasks().end());
    if (reversed) std::ranges::reverse(holds);
    for (model::TaskHold& hold : holds) into.record(machine->instance().id, std::move(hold));
  }
}

TEST(Packing, ARestartDecidesTheSameInAnyOrderOfLoading) {
  const Trace trace = synthetic_trace(7, 20);
  const std::vector<TraceTask> tasks = arrivals(trace, 7);
  Fleet fleet;
  for (std::size_t i = 0; i < trace.machines.size(); ++i) fleet.put(instance_of(trace.machines[i], i));
  const std::size_t half = tasks.size() / 2;
  for (std::size_t i = 0; i < half; ++i) run(fleet, request_of(tasks[i], i));
  Fleet one, other;
  reload(fleet, one, false);
  reload(fleet, other, true);
  for (std::size_t i = half; i < tasks.size(); ++i) {
    ASSERT_EQ(run(one, request_of(tasks[i], i)), run(other, request_of(tasks[i], i))) << "task " << i;
  }
}

TEST(Packing, TheSameHistoryGivesTheSameDecisions) {
  const Trace trace = synthetic_trace(8, 20);
  const std::vector<TraceTask> tasks = arrivals(trace, 8);
  Fleet one, other;
  for (std::size_t i = 0; i < trace.machines.size(); ++i) {
    one.put(instance_of(trace.machines[i], i));
    other.put(instance_of(trace.machines[i], i));
  }
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    other.place(request_of(tasks[i], i));  // a decision alone changes nothing
    ASSERT_EQ(run(one, request_of(tasks[i], i)), run(other, request_of(tasks[i], i))) << "task " << i;
    if (i % 3 == 0) one.release(model::TaskId("task-" + std::to_string(i / 2)));
    if (i % 3 == 0) other.release(model::TaskId("task-" + std::to_string(i / 2)));
  }
}

}  // namespace
}  // namespace scheduler
