// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/metrics/instance_metrics.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace services::ecs {
namespace {

using testing::ElementsAre;

const base::Time kInstanceTime = base::from_seconds(1800000000);

SeenMachine measured_instance(const std::string& id, const std::optional<std::string>& group, double used) {
  SeenMachine machine{.id = "m-" + id, .name = id, .cpu_units = 4096, .memory_mib = 8000};
  machine.ec2_group = group;
  SeenTask task{.id = "t-" + id, .running = true};
  task.used = {{"main", used, 100}};
  machine.tasks = {task};
  return machine;
}

// "AWS/EC2 CPUUtilization InstanceId=i-1: 25x1"
std::vector<std::string> instance_points(const SeenCluster& cluster) {
  std::vector<std::string> all;
  for (const Measurement& point : measure_instances(cluster, kInstanceTime)) {
    EXPECT_EQ(point.unit, "Percent");
    EXPECT_EQ(point.at, kInstanceTime);
    const auto& [name, value] = *point.metric.dimensions.begin();
    std::string text = fmt::format("{} {} {}={}:", point.metric.space, point.metric.name, name, value);
    for (std::size_t i = 0; i < point.values.size(); ++i) text += fmt::format(" {:g}x{:g}", point.values[i], point.counts[i]);
    all.push_back(text);
  }
  return all;
}

TEST(InstanceMetrics, AGroupHasASampleForEachOfItsInstances) {
  SeenCluster cluster{.account = "111111111111", .region = "us-east-1", .name = "main"};
  cluster.machines = {measured_instance("i-1", "workers", 1024), measured_instance("i-2", "workers", 4096),
                      measured_instance("i-3", "", 2048), measured_instance("box", std::nullopt, 4096)};
  EXPECT_THAT(instance_points(cluster),
              ElementsAre("AWS/EC2 CPUUtilization AutoScalingGroupName=workers: 25x1 100x1",
                          "AWS/EC2 CPUUtilization InstanceId=i-1: 25x1", "AWS/EC2 CPUUtilization InstanceId=i-2: 100x1",
                          "AWS/EC2 CPUUtilization InstanceId=i-3: 50x1"));
}

TEST(InstanceMetrics, AnIdleInstanceUsesNothingAndUnknownUsageIsNoSample) {
  SeenCluster cluster{.account = "111111111111", .region = "us-east-1", .name = "main"};
  cluster.machines = {measured_instance("i-1", "workers", 0), measured_instance("i-2", "workers", 0)};
  cluster.machines[0].tasks.clear();
  cluster.machines[1].tasks[0].used.reset();
  EXPECT_THAT(instance_points(cluster), ElementsAre("AWS/EC2 CPUUtilization AutoScalingGroupName=workers: 0x1",
                                                    "AWS/EC2 CPUUtilization InstanceId=i-1: 0x1"));
}

TEST(InstanceMetrics, AGroupHasASampleForEachGpu) {
  SeenCluster cluster{.account = "111111111111", .region = "us-east-1", .name = "main"};
  cluster.machines = {measured_instance("i-1", "workers", 0)};
  cluster.machines[0].tasks[0].used.reset();
  SeenGpu busy{.id = "GPU-0"}, idle{.id = "GPU-1"}, silent{.id = "GPU-2"};
  busy.utilization = 80;
  idle.utilization = 0;
  cluster.machines[0].gpus = {busy, idle, silent};
  EXPECT_THAT(instance_points(cluster),
              ElementsAre("ECS/ContainerInsights/Prometheus DCGM_FI_DEV_GPU_UTIL AutoScalingGroupName=workers: 0x1 80x1"));
}

}  // namespace
}  // namespace services::ecs
