// SPDX-License-Identifier: Apache-2.0
#include "model/demand.h"

#include <gtest/gtest.h>

#include "model/placement.h"

namespace model {
namespace {

using Kind = GpuDemand::Kind;

TaskNeeds two_containers() {
  TaskNeeds needs;
  needs.containers.push_back({.name = "a", .cpu = 256, .memory_mib = 1024});
  needs.containers.push_back({.name = "b", .cpu = 128, .memory_mib = 512, .reservation_mib = 300});
  return needs;
}

TEST(Demand, IsTheSumOfItsContainersAndReservationsGoBeforeLimits) {
  TaskDemand demand = *demand_of(two_containers());
  EXPECT_EQ(demand.cpu, 384);
  EXPECT_EQ(demand.memory_mib, 1324);
}

TEST(Demand, TheTasksOwnSizeTakesPrecedence) {
  TaskNeeds needs = two_containers();
  needs.cpu = 2048;
  needs.memory_mib = 4096;
  TaskDemand demand = *demand_of(needs);
  EXPECT_EQ(demand.cpu, 2048);
  EXPECT_EQ(demand.memory_mib, 4096);
}

TEST(Demand, OverridesReplaceTheDefinitionsValues) {
  TaskOverrides overrides{.cpu = 100};
  overrides.containers.push_back({.name = "a", .memory_mib = 64, .gpu = GpuDemand{.count = 2}});
  TaskDemand demand = *demand_of(two_containers(), overrides);
  EXPECT_EQ(demand.cpu, 100);
  EXPECT_EQ(demand.memory_mib, 364);
  EXPECT_EQ(demand.whole_gpus(), 2);
  EXPECT_EQ(demand.gpus[0].container, "a");
}

TEST(Demand, AnOverrideOfAnUnknownContainerIsAnError) {
  base::Result<TaskDemand> demand = demand_of(two_containers(), {.containers = {{.name = "c"}}});
  ASSERT_FALSE(demand);
  EXPECT_NE(demand.error().find("named c"), std::string::npos);
}

TEST(Demand, InBridgeModeAPortIsTheHostsOrAny) {
  TaskNeeds needs = two_containers();
  needs.containers[0].ports = {{80, 8080}, {81, 0}, {53, 53, Transport::Udp}, {53, 53, Transport::Tcp}};
  TaskDemand demand = *demand_of(needs);
  EXPECT_EQ(demand.ports.tcp, (std::set<std::uint16_t>{53, 8080}));
  EXPECT_EQ(demand.ports.udp, (std::set<std::uint16_t>{53}));
  EXPECT_EQ(demand.dynamic_ports, 1);
}

TEST(Demand, InHostModeTheContainersPortIsTheHosts) {
  TaskNeeds needs = two_containers();
  needs.network_mode = NetworkMode::Host;
  needs.containers[0].ports = {{80, 0}};
  TaskDemand demand = *demand_of(needs);
  EXPECT_EQ(demand.ports.tcp, (std::set<std::uint16_t>{80}));
  EXPECT_EQ(demand.dynamic_ports, 0);
}

TEST(Demand, ATaskWithItsOwnNetworkTakesNoHostPorts) {
  for (NetworkMode mode : {NetworkMode::Awsvpc, NetworkMode::None}) {
    TaskNeeds needs = two_containers();
    needs.network_mode = mode;
    needs.containers[0].ports = {{80, 80}, {81, 0}};
    EXPECT_EQ(demand_of(needs)->ports, Ports{});
    EXPECT_EQ(demand_of(needs)->dynamic_ports, 0);
    EXPECT_EQ(network_mode(text(mode)), mode);
  }
  EXPECT_EQ(network_mode("default"), std::nullopt);
}

TEST(Demand, ADuplicateHostPortInOneTaskIsAnError) {
  TaskNeeds needs = two_containers();
  needs.containers[0].ports = {{80, 80}};
  needs.containers[1].ports = {{81, 80}};
  EXPECT_FALSE(demand_of(needs));
}

TEST(Demand, GpuValuesAreANumberOrAll) {
  EXPECT_EQ(parse_gpu_value("2")->count, 2);
  EXPECT_EQ(parse_gpu_value("ALL")->kind, Kind::All);
  for (const char* bad : {"", "0", "-1", "1.5", "2x", "all", " 1", "65", "99999999999"}) {
    EXPECT_FALSE(parse_gpu_value(bad)) << bad;
  }
}

TEST(Demand, GpusOfSeveralContainersAddUp) {
  TaskNeeds needs = two_containers();
  needs.containers[0].gpu = GpuDemand{.kind = Kind::Shared, .memory_mib = 1000, .max_compute_percent = 80};
  needs.containers[1].gpu = GpuDemand{.kind = Kind::Shared, .memory_mib = 2000, .max_compute_percent = 80};
  TaskDemand demand = *demand_of(needs);
  EXPECT_EQ(demand.shared_gpu_memory_mib(), 3000);
  EXPECT_EQ(demand.whole_gpus(), 0);
}

TEST(Demand, GpuDemandsThatNoMachineCanMeetAreErrors) {
  auto with = [](GpuDemand a, std::optional<GpuDemand> b = {}) {
    TaskNeeds needs = two_containers();
    needs.containers[0].gpu = a;
    needs.containers[1].gpu = b;
    return demand_of(needs);
  };
  EXPECT_TRUE(with({.kind = Kind::All}));
  EXPECT_FALSE(with({.kind = Kind::All}, GpuDemand{.count = 1}));
  EXPECT_FALSE(with({.count = 0}));
  EXPECT_FALSE(with({.count = 60}, GpuDemand{.count = 60}));
  EXPECT_FALSE(with({.kind = Kind::Shared, .memory_mib = 0}));
  EXPECT_FALSE(with({.kind = Kind::Shared, .memory_mib = 1, .max_compute_percent = 0}));
  EXPECT_FALSE(with({.kind = Kind::Shared, .memory_mib = 1, .max_compute_percent = 101}));
  EXPECT_TRUE(with({.kind = Kind::Shared, .memory_mib = 1, .max_compute_percent = 100}, GpuDemand{.count = 1}));
}

TEST(Placement, StrategiesAreParsedAsClientsWriteThem) {
  using Type = PlacementStrategy::Type;
  EXPECT_EQ(parse_strategy("random", "")->type, Type::Random);
  EXPECT_EQ(parse_strategy("binpack", "memory")->type, Type::BinpackMemory);
  EXPECT_EQ(parse_strategy("binpack", "CPU")->type, Type::BinpackCpu);
  EXPECT_EQ(parse_strategy("spread", "instanceId")->type, Type::SpreadInstance);
  EXPECT_EQ(parse_strategy("spread", "host")->type, Type::SpreadInstance);
  EXPECT_EQ(parse_strategy("spread", "attribute:ecs.availability-zone")->attribute, "ecs.availability-zone");
}

TEST(Placement, AnUnknownStrategyOrFieldIsNamed) {
  EXPECT_NE(parse_strategy("stack", "cpu").error().find("'stack'"), std::string::npos);
  EXPECT_NE(parse_strategy("binpack", "disk").error().find("'disk'"), std::string::npos);
  EXPECT_FALSE(parse_strategy("spread", "attribute:"));
  EXPECT_FALSE(parse_strategy("spread", ""));
  EXPECT_EQ(constraint_type("memberOf"), PlacementConstraint::Type::MemberOf);
  EXPECT_EQ(constraint_type("distinctinstance"), std::nullopt);
}

}  // namespace
}  // namespace model
