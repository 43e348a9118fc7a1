// SPDX-License-Identifier: Apache-2.0
#include "scheduler/fleet.h"

#include <gtest/gtest.h>

#include "scheduler/test_machines.h"

namespace scheduler {
namespace {

using namespace test;

Plan placed(const Fleet& fleet, const Request& request) {
  Decision decision = fleet.place(request);
  EXPECT_TRUE(plan_of(decision));
  return *plan_of(decision);
}

TEST(Fleet, PlacingHoldsNothing) {
  Fleet fleet;
  fleet.put(box("a", 1));
  EXPECT_EQ(placed(fleet, gpu_task("1", 1)).hold, placed(fleet, gpu_task("1", 1)).hold);
  EXPECT_EQ(fleet.find(model::InstanceId("a"))->idle_gpus(), 1);
}

TEST(Fleet, PlansOfOneBatchSeeEachOthersHolds) {
  Fleet fleet;
  fleet.put(box("a", 2));
  Plan first = placed(fleet, gpu_task("1", 1));
  ASSERT_TRUE(fleet.hold(first));
  Plan second = placed(fleet, gpu_task("2", 1));
  EXPECT_NE(first.hold.gpus[0].gpu, second.hold.gpus[0].gpu);
  ASSERT_TRUE(fleet.hold(second));
  EXPECT_EQ(run(fleet, gpu_task("3", 1)), "");
}

TEST(Fleet, RolledBackHoldsAreReleasedAndCommittedHoldsStay) {
  Fleet fleet;
  fleet.put(box("a", 2));
  ASSERT_TRUE(fleet.hold(placed(fleet, gpu_task("kept", 1))));
  ASSERT_TRUE(fleet.hold(placed(fleet, gpu_task("undone", 1))));
  fleet.commit(model::TaskId("kept"));
  fleet.unhold(model::TaskId("undone"));
  fleet.unhold(model::TaskId("kept"));  // no effect: it is committed
  EXPECT_EQ(fleet.find(model::InstanceId("a"))->idle_gpus(), 1);
  EXPECT_EQ(fleet.machine_of(model::TaskId("undone")), nullptr);
  EXPECT_NE(fleet.machine_of(model::TaskId("kept")), nullptr);
}

TEST(Fleet, AStalePlanIsNotHeld) {
  Fleet fleet;
  fleet.put(box("a", 1));
  Plan plan = placed(fleet, gpu_task("1", 1)), rival = placed(fleet, gpu_task("2", 1));
  ASSERT_TRUE(fleet.hold(rival));
  EXPECT_FALSE(fleet.hold(plan));
  EXPECT_FALSE(fleet.hold(rival));  // not twice either
  fleet.unhold(model::TaskId("2"));
  model::Instance ill = box("a", 1);
  ill.total.gpus[0].healthy = false;
  fleet.put(ill);
  EXPECT_FALSE(fleet.hold(plan));
  fleet.put(box("a", 0));
  EXPECT_FALSE(fleet.hold(plan));
  fleet.remove(model::InstanceId("a"));
  EXPECT_FALSE(fleet.hold(plan));
}

TEST(Fleet, HoldingChecksSharesAndPortsAgain) {
  Fleet fleet;
  fleet.put(box("a", 1));
  Request request = gpu_task("1", {share(9000)});
  request.demand.ports.tcp = {80};
  Plan plan = placed(fleet, request);
  run(fleet, gpu_task("2", {share(7384)}));
  ASSERT_TRUE(fleet.hold(plan));
  fleet.unhold(model::TaskId("1"));
  run(fleet, gpu_task("3", {share(1)}));
  EXPECT_FALSE(fleet.hold(plan));
  fleet.release(model::TaskId("3"));
  Request port = task("4");
  port.demand.ports.tcp = {80};
  run(fleet, port);
  EXPECT_FALSE(fleet.hold(plan));
}

TEST(Fleet, RemovingAMachineRemovesItsHolds) {
  Fleet fleet;
  fleet.put(box("a", 1));
  ASSERT_TRUE(fleet.hold(placed(fleet, gpu_task("1", 1))));
  fleet.remove(model::InstanceId("a"));
  fleet.commit(model::TaskId("1"));
  fleet.unhold(model::TaskId("1"));
  fleet.release(model::TaskId("1"));
  fleet.mark(model::TaskId("1"), true, false);
  EXPECT_TRUE(fleet.machines().empty());
  fleet.put(box("a", 1));
  EXPECT_EQ(run(fleet, gpu_task("1", 1)), "a");
}

TEST(Fleet, AnUpdatedMachineKeepsItsTasks) {
  Fleet fleet;
  fleet.put(box("a", 2));
  run(fleet, gpu_task("1", 1));
  fleet.put(box("a", 4));
  const Machine* machine = fleet.find(model::InstanceId("a"));
  EXPECT_EQ(machine->idle_gpus(), 3);
  EXPECT_EQ(machine->tasks().size(), 1u);
}

TEST(Fleet, AMachineThatReturnsSmallerAcceptsNothingUntilItHasRoom) {
  Fleet fleet;
  fleet.put(box("a"));
  run(fleet, task("1", 8000));
  model::Instance smaller = box("a");
  smaller.total.cpu = 4096;
  fleet.put(smaller);
  EXPECT_EQ(run(fleet, task("2", 1)), "");
  fleet.release(model::TaskId("1"));
  EXPECT_EQ(run(fleet, task("2", 4096)), "a");
}

TEST(Fleet, RecordedTasksAreNotChecked) {
  Fleet fleet;
  fleet.put(box("a", 1));
  for (const char* id : {"1", "2"}) {
    fleet.record(model::InstanceId("a"), {.task = model::TaskId(id), .gpus = {{model::GpuId("a/0"), "main"}}});
  }
  fleet.release(model::TaskId("1"));
  EXPECT_EQ(run(fleet, gpu_task("3", 1)), "");
  fleet.release(model::TaskId("2"));
  EXPECT_EQ(run(fleet, gpu_task("3", 1)), "a");
}

TEST(Fleet, AHoldOnALostGpuReturnsWithTheGpu) {
  Fleet fleet;
  fleet.put(box("a", 1));
  run(fleet, gpu_task("1", 1));
  fleet.put(box("a", 0));
  fleet.put(box("a", 1));
  EXPECT_EQ(run(fleet, gpu_task("2", 1)), "");
}

TEST(Fleet, PlaceOnUsesTheGivenMachineOrNone) {
  Fleet fleet;
  fleet.put(box("a", 1));
  model::Instance draining = box("b", 1);
  draining.status = model::InstanceStatus::Draining;
  fleet.put(draining);
  EXPECT_EQ(plan_of(fleet.place_on(model::InstanceId("a"), gpu_task("1", 1)))->hold.gpus[0].gpu.str(), "a/0");
  EXPECT_EQ(reasons_of(fleet.place_on(model::InstanceId("a"), gpu_task("1", 2)))[0], "RESOURCE:GPU");
  EXPECT_EQ(reasons_of(fleet.place_on(model::InstanceId("b"), gpu_task("1", 1)))[0], "INACTIVE");
  EXPECT_EQ(reasons_of(fleet.place_on(model::InstanceId("c"), gpu_task("1", 1)))[0], "MISSING");
}

TEST(Fleet, RunningTasksAreCountedForExpressions) {
  Fleet fleet;
  fleet.put(box("a"));
  run(fleet, task("1"));
  Request request = task("2");
  member_of(request, "runningTasksCount == 1");
  EXPECT_EQ(run(fleet, request), "");
  fleet.mark(model::TaskId("1"), true, false);
  EXPECT_EQ(run(fleet, request), "a");
}

TEST(Fleet, AnEmptyFleetRejectsWithoutAFailure) {
  Decision decision = Fleet().place(task("1"));
  EXPECT_TRUE(std::get<Refusal>(decision).failures.empty());
}

}  // namespace
}  // namespace scheduler
