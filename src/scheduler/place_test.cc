// SPDX-License-Identifier: Apache-2.0
// Placement decisions and refusals, through a Fleet like RunTask.
#include "scheduler/place.h"

#include <gtest/gtest.h>

#include "scheduler/test_machines.h"

namespace scheduler {
namespace {

using namespace test;
using Type = model::PlacementStrategy::Type;
using Texts = std::vector<std::string>;

TEST(Place, TwoMachinesOfOneGpuTakeTwoTasksAndTheThirdWaitsForOneToEnd) {
  Fleet fleet;
  fleet.put(box("a", 1));
  fleet.put(box("b", 1));
  EXPECT_EQ(run(fleet, gpu_task("1", 1)), "a");
  EXPECT_EQ(run(fleet, gpu_task("2", 1)), "b");
  Decision third = fleet.place(gpu_task("3", 1));
  EXPECT_EQ(reasons_of(third), (Texts{"RESOURCE:GPU", "RESOURCE:GPU"}));
  EXPECT_EQ(detail_of(third), "a: no GPU free: 1 of 1 held by task 1; needs 1");
  fleet.release(model::TaskId("1"));
  EXPECT_EQ(run(fleet, gpu_task("3", 1)), "a");
}

TEST(Place, AFourAndAnEightGpuTaskGetDisjointSets) {
  Fleet fleet;
  fleet.put(box("a", 8));
  fleet.put(box("b", 8));
  EXPECT_EQ(run(fleet, gpu_task("four", 4)), "a");
  EXPECT_EQ(run(fleet, gpu_task("eight", 8)), "b");
  EXPECT_EQ(run(fleet, gpu_task("four more", 4)), "a");
  EXPECT_EQ(gpus_of(fleet, "four"), (Texts{"a/0", "a/1", "a/2", "a/3"}));
  EXPECT_EQ(gpus_of(fleet, "four more"), (Texts{"a/4", "a/5", "a/6", "a/7"}));
  EXPECT_EQ(gpus_of(fleet, "eight").size(), 8u);
}

TEST(Place, ATaskForTwoGpusDoesNotGoWhereOneIsFree) {
  Fleet fleet;
  fleet.put(box("a", 2));
  fleet.put(box("b", 2));
  run(fleet, gpu_task("1", 1));
  EXPECT_EQ(run(fleet, gpu_task("2", 2)), "b");
  Decision refused = fleet.place(gpu_task("3", 2));
  EXPECT_EQ(detail_of(refused), "a: 1 GPU free: 1 of 2 held by task 1; needs 2");
}

TEST(Place, AMachineWithoutGpusIsNeverChosenForOne) {
  Fleet fleet;
  fleet.put(box("a"));
  EXPECT_EQ(reasons_of(fleet.place(gpu_task("1", 1))), (Texts{"RESOURCE:GPU"}));
  EXPECT_EQ(detail_of(fleet.place(gpu_task("1", 1))), "a: has no GPU");
  fleet.put(box("b", 1));
  EXPECT_EQ(run(fleet, gpu_task("1", 1)), "b");
}

TEST(Place, ATaskWithoutGpusStaysOffMachinesThatHaveSome) {
  Fleet fleet;
  fleet.put(box("a", 8));
  fleet.put(box("b"));
  EXPECT_EQ(run(fleet, task("1")), "b");
}

TEST(Place, SmallTasksFillUpPartlyUsedMachines) {
  Fleet fleet;
  for (const char* name : {"a", "b", "c"}) fleet.put(box(name, 4));
  EXPECT_EQ(run(fleet, gpu_task("1", 3)), "a");
  EXPECT_EQ(run(fleet, gpu_task("2", 2)), "b");
  EXPECT_EQ(run(fleet, gpu_task("3", 1)), "a");
  EXPECT_EQ(run(fleet, gpu_task("4", 2)), "b");
  EXPECT_EQ(run(fleet, gpu_task("5", 4)), "c");
}

TEST(Place, AllTakesTheSmallestMachineThatIsWhollyIdle) {
  Fleet fleet;
  fleet.put(box("a", 8));
  fleet.put(box("b", 2));
  fleet.put(box("c", 1));
  run(fleet, gpu_task("1", 1));
  EXPECT_EQ(run(fleet, gpu_task("all", {all_gpus()})), "b");
  EXPECT_EQ(gpus_of(fleet, "all"), (Texts{"b/0", "b/1"}));
  EXPECT_EQ(run(fleet, gpu_task("all too", {all_gpus()})), "a");
  EXPECT_EQ(detail_of(fleet.place(gpu_task("none left", {all_gpus()}))),
            "a: no GPU free: 8 of 8 held by task all too; needs all");
}

TEST(Place, SharesFillAGpuBeforeAnotherOneIsSplit) {
  Fleet fleet;
  fleet.put(box("a", 2));
  fleet.put(box("b", 1));
  EXPECT_EQ(run(fleet, gpu_task("1", {share(10000)})), "b");
  EXPECT_EQ(run(fleet, gpu_task("2", {share(10000)})), "a");
  EXPECT_EQ(run(fleet, gpu_task("3", {share(6000)})), "a");
  EXPECT_EQ(run(fleet, gpu_task("4", {share(6384)})), "b");
  EXPECT_EQ(gpus_of(fleet, "2"), gpus_of(fleet, "3"));
  EXPECT_EQ(run(fleet, gpu_task("5", 1)), "a");
  Decision full = fleet.place(gpu_task("6", {share(500)}));
  EXPECT_EQ(reasons_of(full), (Texts{"RESOURCE:GPU", "RESOURCE:GPU"}));
  EXPECT_EQ(detail_of(full),
            "a: no GPU has more than 384 MiB free: 2 of 2 held by task 2, 3, 5; needs 500 MiB of one GPU");
}

TEST(Place, ASharedGpuIsNotAssignedWhole) {
  Fleet fleet;
  fleet.put(box("a", 1));
  run(fleet, gpu_task("1", {share(1)}));
  EXPECT_EQ(run(fleet, gpu_task("2", 1)), "");
  fleet.release(model::TaskId("1"));
  EXPECT_EQ(run(fleet, gpu_task("2", 1)), "a");
  EXPECT_EQ(run(fleet, gpu_task("3", {share(1)})), "");
}

TEST(Place, DrainingMachinesAreNoCandidatesAndDisconnectedOnesReportAgent) {
  Fleet fleet;
  model::Instance draining = box("a", 1), lost = box("b", 1);
  draining.status = model::InstanceStatus::Draining;
  lost.agent_connected = false;
  fleet.put(draining);
  EXPECT_TRUE(std::get<Refusal>(fleet.place(gpu_task("1", 1))).failures.empty());
  fleet.put(lost);
  Decision refused = fleet.place(gpu_task("1", 1));
  EXPECT_EQ(reasons_of(refused), (Texts{"AGENT"}));
  EXPECT_EQ(detail_of(refused), "b: its agent is not connected");
  EXPECT_EQ(fleet.explain(gpu_task("1", 1))[0].detail, "a: is DRAINING");
  draining.status = model::InstanceStatus::Active;
  fleet.put(draining);
  EXPECT_EQ(run(fleet, gpu_task("1", 1)), "a");
}

TEST(Place, AMachineInTroubleGetsNoTasksAndNamesTheTrouble) {
  Fleet fleet;
  model::Instance ill = box("a", 1);
  fleet.put(ill);
  EXPECT_EQ(run(fleet, gpu_task("1", 0)), "a");
  ill.trouble = "its container engine does not respond";
  fleet.put(ill);
  Decision refused = fleet.place(gpu_task("2", 1));
  EXPECT_EQ(reasons_of(refused), (Texts{"AGENT"}));
  EXPECT_EQ(detail_of(refused), "a: its container engine does not respond");
  EXPECT_EQ(reasons_of(fleet.place_on(model::InstanceId("a"), gpu_task("2", 1))), (Texts{"AGENT"}));
  EXPECT_NE(fleet.machine_of(model::TaskId("1")), nullptr);
  fleet.put(box("b", 1));
  EXPECT_EQ(run(fleet, gpu_task("2", 1)), "b");
  ill.trouble = "";
  fleet.put(ill);
  EXPECT_EQ(run(fleet, gpu_task("3", 1)), "a");
}

TEST(Place, CpuAndMemoryAreNeverOverbooked) {
  Fleet fleet;
  fleet.put(box("a"));
  EXPECT_EQ(run(fleet, task("1", 8192, 100)), "a");
  EXPECT_EQ(detail_of(fleet.place(task("2", 1, 1))), "a: 0 of 8192 CPU units free, 1 needed");
  EXPECT_EQ(run(fleet, task("3", 0, 32668)), "a");
  EXPECT_EQ(reasons_of(fleet.place(task("4", 0, 1))), (Texts{"RESOURCE:MEMORY"}));
  EXPECT_EQ(detail_of(fleet.place(task("5", 9000))),
            "a: 0 of 8192 CPU units free, 9000 needed: more than the machine has");
}

TEST(Place, AHostPortIsHeldOncePerProtocolAndReservedPortsNever) {
  Fleet fleet;
  fleet.put(box("a"));
  auto with_port = [](const char* id, std::uint16_t port, model::Transport transport) {
    Request request = task(id);
    request.demand.ports.of(transport).insert(port);
    return request;
  };
  using enum model::Transport;
  EXPECT_EQ(run(fleet, with_port("1", 8080, Tcp)), "a");
  EXPECT_EQ(run(fleet, with_port("2", 8080, Udp)), "a");
  EXPECT_EQ(reasons_of(fleet.place(with_port("3", 8080, Tcp))), (Texts{"RESOURCE:PORTS"}));
  EXPECT_EQ(detail_of(fleet.place(with_port("3", 8080, Udp))), "a: host port 8080/udp in use");
  EXPECT_EQ(run(fleet, with_port("3", 22, Tcp)), "");
  fleet.put(box("b"));
  EXPECT_EQ(run(fleet, with_port("3", 8080, Tcp)), "b");
}

TEST(Place, DynamicPortsRunOutToo) {
  Fleet fleet;
  fleet.put(box("a"));
  Request request = task("1");
  request.demand.dynamic_ports = 28231;
  EXPECT_EQ(run(fleet, request), "a");
  request.task = model::TaskId("2");
  request.demand.dynamic_ports = 2;
  EXPECT_EQ(detail_of(fleet.place(request)), "a: 1 dynamic ports free, 2 needed");
}

TEST(Place, RequiredAttributesMustBePresent) {
  Fleet fleet;
  model::Instance instance = box("a");
  instance.attributes = {{"ecs.capability.task-eni", std::nullopt}, {"ecs.os-type", "linux"}};
  fleet.put(instance);
  Request request = task("1");
  request.demand.required_attributes = {{"ecs.capability.task-eni", {}}, {"ecs.os-type", "linux"}};
  EXPECT_NE(plan_of(fleet.place(request)), nullptr);
  request.demand.required_attributes.push_back({"ecs.os-type", "windows"});
  EXPECT_EQ(reasons_of(fleet.place(request)), (Texts{"ATTRIBUTE"}));
  EXPECT_EQ(detail_of(fleet.place(request)), "a: lacks the attribute ecs.os-type = windows");
}

TEST(Place, DistinctInstanceKeepsTasksOfAGroupApart) {
  Fleet fleet;
  fleet.put(box("a"));
  fleet.put(box("b"));
  auto distinct = [](const char* id) {
    Request request = task(id);
    EXPECT_FALSE(constrain(
        request, std::vector<model::PlacementConstraint>{{model::PlacementConstraint::Type::DistinctInstance}}));
    return request;
  };
  EXPECT_EQ(run(fleet, distinct("1")), "a");
  EXPECT_EQ(run(fleet, distinct("2")), "b");
  Decision refused = fleet.place(distinct("3"));
  EXPECT_EQ(reasons_of(refused)[0], "DistinctInstance placement constraint unsatisfied.");
  EXPECT_EQ(detail_of(refused), "a: already has task 1 of group family:test");
  Request other = distinct("3");
  other.group = "family:other";
  EXPECT_EQ(run(fleet, other), "a");
  fleet.mark(model::TaskId("1"), true, true);
  EXPECT_EQ(run(fleet, distinct("4")), "a");
}

TEST(Place, MemberOfIsBinding) {
  Fleet fleet;
  model::Instance instance = box("b");
  instance.attributes["rack"] = "r1";
  fleet.put(box("a"));
  fleet.put(instance);
  Request request = task("1");
  member_of(request, "attribute:rack == r1");
  EXPECT_EQ(run(fleet, request), "b");
  Request nowhere = task("2");
  member_of(nowhere, "attribute:rack == r9");
  EXPECT_EQ(reasons_of(fleet.place(nowhere))[0], "MemberOf placement constraint unsatisfied.");
  EXPECT_EQ(detail_of(fleet.place(nowhere)), "a: does not satisfy attribute:rack == r9");
}

TEST(Place, ConstraintsAreLimitedAndInvalidOnesAreErrors) {
  using Constraints = std::vector<model::PlacementConstraint>;
  using Kind = model::PlacementConstraint::Type;
  Request request = task("1");
  EXPECT_TRUE(constrain(request, Constraints{{Kind::MemberOf, "attribute:a ="}}));
  EXPECT_TRUE(constrain(request, Constraints{{Kind::DistinctInstance, "attribute:a == b"}}));
  EXPECT_TRUE(constrain(request, Constraints(11, {Kind::DistinctInstance, ""})));
}

TEST(Place, BinpackTakesTheFullestMachineThatHasRoom) {
  Fleet fleet;
  for (const char* name : {"a", "b", "c"}) fleet.put(box(name));
  ASSERT_EQ(run(fleet, task("1", 1000, 30000)), "a");
  Request on_b = task("2", 4000, 10000);
  member_of(on_b, "ec2InstanceId == b");
  ASSERT_EQ(run(fleet, on_b), "b");
  Request request = task("3", 100, 4000);
  request.strategies = {{Type::BinpackCpu}};
  EXPECT_EQ(plan_of(fleet.place(request))->instance.str(), "b");
  request.strategies = {{Type::BinpackMemory}};
  EXPECT_EQ(plan_of(fleet.place(request))->instance.str(), "b");  // a has too little left
  request.demand.memory_mib = 2000;
  EXPECT_EQ(plan_of(fleet.place(request))->instance.str(), "a");
}

TEST(Place, BinpackGpuPutsSharesWhereFewestGpusAreIdle) {
  Fleet fleet;
  fleet.put(box("a", 4));
  fleet.put(box("b", 2));
  Request request = gpu_task("1", {share(100)});
  request.strategies = {{Type::BinpackGpu}};
  EXPECT_EQ(run(fleet, request), "b");
}

TEST(Place, SpreadOverInstancesAndThenOverZonesIsInThatOrder) {
  Fleet fleet;
  for (const char* name : {"a", "b", "c", "d"}) {
    model::Instance instance = box(name);
    instance.attributes["zone"] = name < std::string("c") ? "1" : "2";
    fleet.put(instance);
  }
  auto placed = [&](const std::string& id, std::vector<model::PlacementStrategy> strategies) {
    Request request = task(id);
    request.strategies = std::move(strategies);
    return run(fleet, request);
  };
  std::vector<model::PlacementStrategy> zones = {{Type::SpreadAttribute, "zone"}};
  EXPECT_EQ(placed("1", zones), "a");
  EXPECT_EQ(placed("2", zones), "c");
  EXPECT_EQ(placed("3", zones), "a");
  EXPECT_EQ(placed("4", {{Type::SpreadAttribute, "zone"}, {Type::SpreadInstance}}), "d");
  EXPECT_EQ(placed("5", {{Type::SpreadInstance}}), "b");
  EXPECT_EQ(placed("6", {{Type::SpreadInstance}, {Type::SpreadAttribute, "zone"}}), "c");
}

TEST(Place, SpreadCountsOnlyTheTasksOfItsOwnGroup) {
  Fleet fleet;
  fleet.put(box("a"));
  fleet.put(box("b"));
  Request other = task("1");
  other.group = "service:other";
  ASSERT_EQ(run(fleet, other), "a");
  Request request = task("2");
  request.strategies = {{Type::SpreadInstance}};
  EXPECT_EQ(run(fleet, request), "a");
}

TEST(Place, RandomFollowsItsSeedAndReachesEveryMachine) {
  Fleet fleet;
  for (int i = 0; i < 8; ++i) fleet.put(box("box-" + std::to_string(i)));
  Request request = task("1");
  request.strategies = {{Type::Random}};
  std::map<std::string, int> hits;
  for (request.seed = 0; request.seed < 800; ++request.seed) {
    Decision decision = fleet.place(request);
    EXPECT_EQ(plan_of(decision)->instance, plan_of(fleet.place(request))->instance);
    ++hits[plan_of(decision)->instance.str()];
  }
  EXPECT_EQ(hits.size(), 8u);
  for (const auto& [name, count] : hits) EXPECT_GT(count, 50) << name;
}

TEST(Place, TheClosestMachineIsTheOneThatPassedMostFilters) {
  Fleet fleet;
  model::Instance lost = box("a", 8);
  lost.agent_connected = false;
  fleet.put(lost);
  fleet.put(box("b"));
  Decision refused = fleet.place(gpu_task("1", 1));
  EXPECT_EQ(reasons_of(refused), (Texts{"AGENT", "RESOURCE:GPU"}));
  EXPECT_EQ(closest(std::get<Refusal>(refused))->instance.str(), "b");
  EXPECT_EQ(closest(Refusal{}), nullptr);
}

TEST(Place, ARefusalIsBoundedForAnyFleet) {
  Fleet fleet;
  for (int i = 0; i < 150; ++i) fleet.put(box("box-" + std::to_string(i), 8));
  for (int i = 0; i < 150 * 8; ++i) run(fleet, gpu_task(std::to_string(i), 1));
  Decision decision = fleet.place(gpu_task("one more", 1));
  const Refusal& refusal = std::get<Refusal>(decision);
  EXPECT_EQ(refusal.failures.size(), kMaxFailures);
  EXPECT_TRUE(refusal.more);
  for (const Failure& failure : refusal.failures) {
    EXPECT_LT(failure.detail.size(), 200u);
    EXPECT_NE(failure.detail.find(" and 5 more"), std::string::npos);
  }
  EXPECT_EQ(fleet.explain(gpu_task("one more", 1), 5).size(), 5u);
}

TEST(Place, ATaskOfACapacityProviderGoesToItsInstancesOnly) {
  Fleet fleet;
  fleet.put(box("a"));
  model::Instance own = box("b", 1);
  own.capacity_provider = "p";
  fleet.put(own);
  Request request = gpu_task("1", 1);
  request.capacity_provider = "p";
  EXPECT_EQ(run(fleet, request), "b");
  request.task = model::TaskId("2");
  EXPECT_EQ(reasons_of(fleet.place(request)), (Texts{"RESOURCE:GPU"}));
  request.capacity_provider = "q";
  EXPECT_EQ(reasons_of(fleet.place(request)), Texts());
  EXPECT_EQ(fleet.explain(request).at(0).detail, "a: is no instance of capacity provider q");
  EXPECT_EQ(run(fleet, task("3")), "a");
}

}  // namespace
}  // namespace scheduler
