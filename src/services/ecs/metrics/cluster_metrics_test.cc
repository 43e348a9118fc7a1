// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/metrics/cluster_metrics.h"

#include <fmt/format.h>

#include "services/ecs/machines/live_gpus.h"
#include "services/ecs/machines/machines_fixture.h"
#include "services/ecs/metrics/live_usage.h"
#include "services/ecs/metrics/measure.h"

namespace services::ecs {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using Texts = std::vector<std::string>;

// "Name{Dimension=value}=1,2x3 Unit", without ClusterName.
std::string show(const Measurement& point) {
  std::string dimensions;
  for (const auto& [name, value] : point.metric.dimensions) {
    if (name != "ClusterName") dimensions += (dimensions.empty() ? "" : ",") + name + "=" + value;
  }
  std::string values;
  for (std::size_t i = 0; i < point.values.size(); ++i) {
    values += fmt::format("{}{:g}", i ? "," : "", point.values[i]);
    if (point.counts[i] != 1) values += fmt::format("x{}", point.counts[i]);
  }
  return fmt::format("{}{}{{{}}}={} {}", point.metric.name, point.high_resolution ? "!" : "", dimensions, values,
                     point.unit);
}

Texts show(const std::vector<Measurement>& points, const std::string& space) {
  Texts all;
  for (const Measurement& point : points) {
    EXPECT_TRUE(point.metric.dimensions.contains("ClusterName"));
    if (point.metric.space == space) all.push_back(show(point));
  }
  return all;
}

// Two machines of 4096 CPU units and 8000 MiB; the first has two GPUs, and runs two tasks of a service.
SeenCluster example() {
  SeenTask a{.id = "a", .family = "web", .service = "front", .running = true, .cpu_units = 1024, .memory_mib = 2000};
  a.gpus = {"GPU-0"};
  a.used = {{"main", 512, 1000}, {"side", 256, 500}};
  SeenTask b{.id = "b", .family = "web", .service = "front", .running = true, .cpu_units = 1024, .memory_mib = 2000};
  b.used = {{"main", 2048, 100}};
  SeenTask pending{.id = "c", .family = "web", .service = "front", .cpu_units = 1024, .memory_mib = 2000};
  SeenCluster cluster{.account = "111111111111", .region = "us-east-1", .name = "main"};
  SeenGpu busy{.id = "GPU-0", .reserved = 1};
  busy.utilization = 80;
  busy.used_mib = 6000;
  busy.free_mib = 10000;
  SeenGpu idle{.id = "GPU-1"};
  idle.utilization = 0;
  cluster.machines = {{"m1", "box-a", 4096, 8000, {busy, idle}, {a, b, pending}}, {"m2", "box-b", 4096, 8000, {}, {}}};
  return cluster;
}

TEST(ClusterMetrics, ReservationAndUtilizationFollowAmazonsFormulas) {
  EXPECT_THAT(show(measure_cluster(example(), base::Time()), kEcsSpace),
              ElementsAre("CPUReservation{}=25 Percent",                         // 2048 of 8192: running tasks only
                          "CPUUtilization{}=34.375 Percent",                     // 2816 of 8192
                          "CPUUtilization{ServiceName=front}=137.5 Percent",     // 2816 of 2048
                          "GPUReservation{}=50 Percent",                         // 1 of 2
                          "MemoryReservation{}=25 Percent",                      // 4000 of 16000
                          "MemoryUtilization{}=10 Percent",                      // 1600 of 16000
                          "MemoryUtilization{ServiceName=front}=40 Percent"));  // 1600 of 4000
}

TEST(ClusterMetrics, AClusterWithoutRunningTasksHasNone) {
  SeenCluster cluster = example();
  for (SeenTask& task : cluster.machines[0].tasks) task.running = false;
  EXPECT_THAT(show(measure_cluster(cluster, base::Time()), kEcsSpace), IsEmpty());
}

TEST(ClusterMetrics, UtilizationIsAbsentUntilAnAgentReportsIt) {
  SeenCluster cluster = example();
  for (SeenTask& task : cluster.machines[0].tasks) task.used.reset();
  cluster.machines[0].gpus[0].reserved = 0.25;
  EXPECT_THAT(show(measure_cluster(cluster, base::Time()), kEcsSpace),
              ElementsAre("CPUReservation{}=25 Percent", "GPUReservation{}=12.5 Percent",
                          "MemoryReservation{}=25 Percent"));
}

TEST(ClusterMetrics, ContainerInsightsAreOff_On_OrEnhanced) {
  SeenCluster cluster = example();
  EXPECT_THAT(show(measure_cluster(cluster, base::Time()), kInsightsSpace), IsEmpty());
  cluster.insights = Insights::On;
  const Texts on = show(measure_cluster(cluster, base::Time()), kInsightsSpace);
  EXPECT_THAT(on, IsSupersetOf(Texts{"CpuReserved{}=1024x2 None", "CpuUtilized{}=768,2048 None",
                                "CpuUtilized{ServiceName=front}=768,2048 None",
                                "CpuUtilized{TaskDefinitionFamily=web}=768,2048 None",
                                "MemoryUtilized{}=100,1500 Megabytes", "MemoryReserved{}=2000x2 Megabytes",
                                "TaskCount{}=2 Count", "ContainerInstanceCount{}=1 Count",
                                "RunningTaskCount{ServiceName=front}=2 Count",
                                "PendingTaskCount{ServiceName=front}=1 Count",
                                "GpuReserved{TaskDefinitionFamily=web}=1 Count",
                                "GpuUtilization{ServiceName=front}=80 Percent",
                                "GpuMemoryUtilized{}=6000 Megabytes",
                                "instance_cpu_reserved_capacity{}=0,75 Percent",
                                "instance_cpu_reserved_capacity{ContainerInstanceId=m1,InstanceId=box-a}=75 Percent",
                                "instance_gpu_reserved_capacity{}=50 Percent",
                                "instance_memory_limit{}=8.38861e+09x2 Bytes",
                                "instance_number_of_running_tasks{}=0,2 Count"}));
  EXPECT_THAT(on, Not(Contains(testing::HasSubstr("TaskId"))));
  cluster.insights = Insights::Enhanced;
  EXPECT_THAT(show(measure_cluster(cluster, base::Time()), kInsightsSpace),
              IsSupersetOf(Texts{"CpuUtilized{TaskId=a}=768 None", "TaskCpuUtilization{TaskId=a}=75 Percent",
                            "TaskMemoryUtilization{ServiceName=front,TaskId=a}=75 Percent",
                            "ContainerCpuUtilized{ContainerName=side,TaskDefinitionFamily=web,TaskId=a}=256 None",
                            "ContainerMemoryUtilized{ContainerName=main,ServiceName=front}=100,1000 Megabytes",
                            "ContainerCpuUtilized{}=256,512,2048 None"}));
}

TEST(ClusterMetrics, GpusHaveDcgmsNamesByGpuTaskServiceAndCluster) {
  EXPECT_THAT(show(measure_cluster(example(), base::Time()), kGpuSpace),
              ElementsAre("DCGM_FI_DEV_FB_FREE{}=10000 Megabytes",
                          "DCGM_FI_DEV_FB_FREE{ContainerInstanceId=m1,GpuId=GPU-0}=10000 Megabytes",
                          "DCGM_FI_DEV_FB_FREE{ServiceName=front}=10000 Megabytes",
                          "DCGM_FI_DEV_FB_FREE{TaskId=a}=10000 Megabytes", "DCGM_FI_DEV_FB_USED{}=6000 Megabytes",
                          "DCGM_FI_DEV_FB_USED{ContainerInstanceId=m1,GpuId=GPU-0}=6000 Megabytes",
                          "DCGM_FI_DEV_FB_USED{ServiceName=front}=6000 Megabytes",
                          "DCGM_FI_DEV_FB_USED{TaskId=a}=6000 Megabytes", "DCGM_FI_DEV_GPU_UTIL{}=0,80 Percent",
                          "DCGM_FI_DEV_GPU_UTIL{ContainerInstanceId=m1,GpuId=GPU-0}=80 Percent",
                          "DCGM_FI_DEV_GPU_UTIL{ContainerInstanceId=m1,GpuId=GPU-1}=0 Percent",
                          "DCGM_FI_DEV_GPU_UTIL{ServiceName=front}=80 Percent",
                          "DCGM_FI_DEV_GPU_UTIL{TaskId=a}=80 Percent"));
}

class EcsMeasure : public MachinesTest {
 protected:
  EcsMeasure() {
    locals_.add<LiveGpus>();
    locals_.add<LiveUsage>();
  }

  std::vector<Measurement> take(bool minute, bool second, std::set<MetricKey> interest = {}) {
    Measured measured;
    with_call([&](Call& call) { measured = measure(call, {minute, second, interest}); });
    return measured.points;
  }
  MetricKey key(const std::string& space, const std::string& name) {
    return {caller_.account, caller_.region, space, name, {{"ClusterName", "default"}}};
  }
  // As an agent reports it: percent of the machine, MiB.
  void report_usage(const std::string& machine, const Task& task, double cpu, double memory) {
    shapes::agent::ContainerMetric container{.containerName = "c"};
    container.cpuStatsSet = shapes::agent::CWStatsSet{cpu, cpu, cpu * 4, 4};
    container.memoryStatsSet = shapes::agent::CWStatsSet{memory, memory, memory * 4, 4};
    shapes::agent::PublishMetricsRequest request;
    request.taskMetrics = {{*task.taskArn, {container}}};
    locals_.get<LiveUsage>().put(model::InstanceId(machine), now_, request);
  }
};

TEST_F(EcsMeasure, AClusterIsMeasuredOnceAMinuteFromItsFleetAndTheReportsOfItsAgents) {
  EXPECT_THAT(take(true, false), IsEmpty());
  const std::string machine = add_machine("box-a", 2);
  const Task task = run_family("one").tasks->at(0);
  EXPECT_THAT(show(take(true, false), kEcsSpace), IsEmpty());
  report(task, "RUNNING");
  report_usage(machine, task, 12.5, 400);
  EXPECT_THAT(show(take(true, false), kEcsSpace),
              ElementsAre("CPUReservation{}=0 Percent", "CPUUtilization{}=12.5 Percent", "GPUReservation{}=50 Percent",
                          "MemoryReservation{}=0.2 Percent", "MemoryUtilization{}=5 Percent"));
  EXPECT_THAT(take(false, false), IsEmpty());
  now_ += LiveUsage::kValidFor + std::chrono::seconds(1);
  EXPECT_THAT(show(take(true, false), kEcsSpace), Not(Contains(testing::HasSubstr("Utilization"))));
}

TEST_F(EcsMeasure, EverySecondOnlyMetricsOfInterestArePublishedAndAgentsAreToReportFaster) {
  add_machine("box-a", 2);
  report(run_family("one").tasks->at(0), "RUNNING");
  EXPECT_THAT(show(take(false, true, {key("AWS/ECS", "GPUReservation")}), kEcsSpace),
              ElementsAre("GPUReservation!{}=50 Percent"));
  const auto cluster = state::ClusterNumber(1);
  EXPECT_TRUE(locals_.get<LiveUsage>().fast(cluster));
  EXPECT_THAT(show(take(true, true, {key("AWS/ECS", "GPUReservation")}), kEcsSpace),
              Contains("GPUReservation!{}=50 Percent"));
  take(true, false);
  EXPECT_FALSE(locals_.get<LiveUsage>().fast(cluster));
}

TEST_F(EcsMeasure, SamplesOfGpusArePublishedForTheTaskThatHoldsThem) {
  const std::string machine = add_machine("box-a", 1);
  const Task task = run_family("one").tasks->at(0);
  report(task, "RUNNING");
  shapes::agent::StokerGpuSample sample{.id = "GPU-box-a0", .utilizationPercent = 93, .memoryUsedInMiB = 1000};
  sample.memoryTotalInMiB = 16384;
  sample.xid = 79;
  locals_.get<LiveGpus>().put(model::InstanceId(machine), {0, {sample}});
  const std::string id = task.taskArn->substr(task.taskArn->rfind('/') + 1);
  const std::string of_task = "DCGM_FI_DEV_GPU_UTIL{TaskId=" + id + "}=93 Percent";
  const Texts usual = show(take(true, false), kGpuSpace);
  EXPECT_THAT(usual, IsSupersetOf(Texts{
                         "DCGM_FI_DEV_FB_FREE{}=15384 Megabytes",
                         "DCGM_FI_DEV_XID_ERRORS{ContainerInstanceId=" + machine + ",GpuId=GPU-box-a0}=79 None"}));
  EXPECT_THAT(usual, Not(Contains(of_task)));
  MetricKey used = key(kGpuSpace, "DCGM_FI_DEV_GPU_UTIL");
  used.dimensions["TaskId"] = id;
  EXPECT_THAT(show(take(false, true, {used}), kGpuSpace),
              ElementsAre("DCGM_FI_DEV_GPU_UTIL!{TaskId=" + id + "}=93 Percent"));
  run_json(&update_cluster_settings,
           R"({"cluster":"default","settings":[{"name":"containerInsights","value":"enhanced"}]})");
  EXPECT_THAT(show(take(true, false), kGpuSpace), Contains(of_task));
}

TEST_F(EcsMeasure, TheSettingContainerInsightsOfTheClusterIsFollowed) {
  add_machine("box-a", 1);
  report(run_family("plain", R"("group":"night")").tasks->at(0), "RUNNING");
  EXPECT_THAT(show(take(true, false), kInsightsSpace), IsEmpty());
  run_json(&update_cluster_settings,
           R"({"cluster":"default","settings":[{"name":"containerInsights","value":"enabled"}]})");
  EXPECT_THAT(show(take(true, false), kInsightsSpace),
              IsSupersetOf(Texts{"TaskCount{}=1 Count", "MemoryReserved{TaskDefinitionFamily=plain}=16 Megabytes"}));
}

TEST(LiveUsage, ReportsOfSeveralMessagesAreCombinedAndOldOnesDropped) {
  LiveUsage usage;
  const model::InstanceId machine("m");
  const base::Time start = base::from_seconds(1000);
  usage.put(machine, start, {{}, {{"arn/a", {}}}});
  usage.put(machine, start + std::chrono::seconds(60), {{}, {{"arn/b", {}}}});
  EXPECT_EQ(usage.of(machine, start + std::chrono::seconds(60)).size(), 2u);
  EXPECT_EQ(usage.of(machine, start + std::chrono::seconds(71)).size(), 1u);
  usage.forget(machine);
  EXPECT_TRUE(usage.of(machine, start).empty());
}

TEST(LiveUsage, NumbersThatAreNoneCountAsZero) {
  LiveUsage usage;
  shapes::agent::ContainerMetric container{.containerName = "c"};
  container.cpuStatsSet = shapes::agent::CWStatsSet{{}, {}, -5.0, 1};
  container.memoryStatsSet = shapes::agent::CWStatsSet{{}, {}, 5.0, 0};
  usage.put(model::InstanceId("m"), base::Time(), {{}, {{"arn/a", {container}}}});
  const ContainerUsage used = usage.of(model::InstanceId("m"), base::Time()).at("a").containers.at("c");
  EXPECT_EQ(used.cpu_percent, 0);
  EXPECT_EQ(used.memory_mib, 0);
}

}  // namespace
}  // namespace services::ecs
