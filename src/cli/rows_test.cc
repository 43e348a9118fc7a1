// SPDX-License-Identifier: Apache-2.0
#include "cli/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cli {
namespace {

using namespace shapes::ecs;
using shapes::stoker::StokerGpuHolder;
using shapes::stoker::StokerGpuState;
using testing::ElementsAre;

const base::Time kRowsNow = base::from_seconds(1'000'000);
constexpr char kTaskArn[] = "arn:aws:ecs:us-east-1:000000000000:task/default/3fa94c1b2d7700112233445566778899";
constexpr char kMachineArn[] = "arn:aws:ecs:us-east-1:000000000000:container-instance/default/77aa88bb99cc00dd";

Task running_task() {
  Task task;
  task.taskArn = kTaskArn;
  task.taskDefinitionArn = "arn:aws:ecs:us-east-1:000000000000:task-definition/train:3";
  task.lastStatus = task.desiredStatus = "RUNNING";
  task.containerInstanceArn = kMachineArn;
  task.startedAt = kRowsNow - std::chrono::minutes(5);
  task.group = "family:train";
  task.startedBy = "alice";
  task.containers = {{.name = "main", .gpuIds = std::vector<std::string>{"GPU-1a2b3c4d-0000"}}};
  return task;
}

StokerGpuState gpu_3() {
  StokerGpuState gpu;
  gpu.gpuId = "GPU-1a2b3c4d-0000";
  gpu.index = 3;
  gpu.machine = "box-a";
  gpu.model = "Tesla T4";
  gpu.totalMemoryInMiB = 15360;
  gpu.sharingMode = "IDLE";
  return gpu;
}

TaskContext context() { return {{{kMachineArn, "box-a"}}, {{"GPU-1a2b3c4d-0000", gpu_3()}}, kRowsNow}; }

TEST(TaskRow, HasIdDefinitionStatusGpusMachineAgeAndGroup) {
  EXPECT_THAT(task_row(running_task(), context(), false),
              ElementsAre("3fa94c1b2d77", "train:3", "RUNNING", "3", "box-a", "5 min", "family:train / alice"));
}

TEST(TaskRow, AGpuShareShowsItsMemory) {
  TaskContext with_share = context();
  with_share.gpus["GPU-1a2b3c4d-0000"].holders = {
      {"another task", "main", 1, "g"}, {kTaskArn, "other", 2, "g"}, {kTaskArn, "main", 6000, "g"}};
  EXPECT_EQ(task_row(running_task(), with_share, false).at(3), "3 (5.9G)");
}

TEST(TaskRow, AnUnknownGpuShowsItsShortIdAndSeveralAreJoined) {
  Task task = running_task();
  task.containers->push_back({.name = "two", .gpuIds = std::vector<std::string>{"GPU-ffffffff-1111"}});
  EXPECT_EQ(task_row(task, context(), false).at(3), "3,GPU-ffffffff");
  task.containers->clear();
  EXPECT_EQ(task_row(task, context(), false).at(3), "-");
}

TEST(TaskRow, ATaskThatShouldStopIsStopping) {
  Task task = running_task();
  task.desiredStatus = "STOPPED";
  EXPECT_EQ(task_row(task, context(), false).at(2), "STOPPING");
  task.lastStatus = "STOPPED";
  EXPECT_EQ(task_row(task, context(), false).at(2), "STOPPED");
}

TEST(TaskRow, AnUnplacedTaskHasDashes) {
  Task task = running_task();
  task.containerInstanceArn.reset();
  task.startedAt.reset();
  task.startedBy.reset();
  const auto row = task_row(task, context(), false);
  EXPECT_EQ(row.at(4), "-");
  EXPECT_EQ(row.at(5), "-");
  EXPECT_EQ(row.at(6), "family:train");
}

TEST(TaskRow, TheReasonHasTheTimeTheExitCodesAndTheText) {
  Task task = running_task();
  task.stoppedReason = "Essential container in task exited";
  EXPECT_EQ(task_row(task, context(), true).back(), "Essential container in task exited");
  task.stoppedAt = kRowsNow - std::chrono::minutes(3);
  task.containers = {{.name = "a", .exitCode = 1}, {.name = "b"}, {.name = "c", .exitCode = 137}};
  EXPECT_EQ(task_row(task, context(), true).back(), "3 min ago, exit 1, exit 137: Essential container in task exited");
  EXPECT_EQ(task_row(task, context(), true).at(5), "2 min") << "how long it ran";
  task.containers->at(1).reason = "CannotPullContainerError: no such image";
  task.startedAt.reset();
  EXPECT_EQ(task_row(task, context(), true).back(), "3 min ago, exit 1, exit 137: CannotPullContainerError: no such image");
  EXPECT_EQ(task_row(task, context(), true).at(5), "-");
}

ContainerInstance machine() {
  ContainerInstance instance;
  instance.ec2InstanceId = "box-a";
  instance.containerInstanceArn = kMachineArn;
  instance.status = "ACTIVE";
  instance.agentConnected = true;
  instance.runningTasksCount = 2;
  instance.registeredResources = {{.name = "CPU", .integerValue = 4096},
                                  {.name = "MEMORY", .integerValue = 16384},
                                  {.name = "GPU", .stringSetValue = std::vector<std::string>{"GPU-a", "GPU-b"}}};
  instance.remainingResources = {{.name = "CPU", .integerValue = 1024},
                                 {.name = "MEMORY", .integerValue = 1536},
                                 {.name = "GPU", .stringSetValue = std::vector<std::string>{"GPU-b"}}};
  instance.attributes = {{.name = "stoker.driver", .value = "docker"},
                         {.name = "stoker.gpu-model", .value = "Tesla T4"}};
  return instance;
}

TEST(NodeRow, HasStatusTasksAndFreeResources) {
  EXPECT_THAT(node_row(machine(), kRowsNow), ElementsAre("box-a", "77aa88bb", "ACTIVE", "2", "1.0/4.0", "1/16",
                                                         "1/2", "Tesla T4"));
}

TEST(NodeRow, PendingTasksAreShown) {
  ContainerInstance instance = machine();
  instance.pendingTasksCount = 1;
  EXPECT_EQ(node_row(instance, kRowsNow).at(3), "2+1");
}

TEST(NodeRow, ALostAgentShowsSinceWhen) {
  ContainerInstance instance = machine();
  instance.agentConnected = false;
  EXPECT_EQ(node_row(instance, kRowsNow).at(2), "lost");
  InstanceHealthCheckResult lost;
  lost.lastStatusChange = kRowsNow - std::chrono::seconds(40);
  instance.healthStatus = ContainerInstanceHealthStatus{.details = std::vector{lost}};
  EXPECT_EQ(node_row(instance, kRowsNow).at(2), "lost for 40 s");
  instance.agentConnected = true;
  EXPECT_EQ(node_row(instance, kRowsNow).at(2), "ACTIVE");
  instance.healthStatus->details->front().type = "CONTAINER_RUNTIME";
  instance.healthStatus->details->front().status = "IMPAIRED";
  EXPECT_EQ(node_row(instance, kRowsNow).at(2), "impaired for 40 s");
}

TEST(NodeRow, AMachineWithoutGpusAndAttributesHasDashes) {
  ContainerInstance instance = machine();
  instance.registeredResources->pop_back();
  instance.attributes.reset();
  const auto row = node_row(instance, kRowsNow);
  EXPECT_EQ(row.at(6), "-");
  EXPECT_EQ(row.at(7), "-");
}

TEST(GpuRow, AnIdleGpuHasNoHolder) {
  EXPECT_THAT(gpu_row(gpu_3()), ElementsAre("1a2b3c4d", "box-a", "3", "Tesla T4", "IDLE", "?", "?/15.0", "-"));
}

TEST(GpuRow, HasLoadMemoryAndHolders) {
  StokerGpuState gpu = gpu_3();
  gpu.sharingMode = "NVIDIA_MPS";
  gpu.utilizationPercent = 80;
  gpu.memoryUsedInMiB = 7000;
  gpu.holders = {{kTaskArn, "main", 6000, "family:train"}, {kTaskArn, "b", std::nullopt, "service:web"}};
  EXPECT_THAT(gpu_row(gpu),
              ElementsAre("1a2b3c4d", "box-a", "3", "Tesla T4", "MPS", "80 %", "6.8/15.0",
                          "3fa94c1b2d77 family:train (6000 MiB), 3fa94c1b2d77 service:web"));
}

TEST(GpuRow, AnUnhealthyGpuShowsItsError) {
  StokerGpuState gpu = gpu_3();
  gpu.healthy = false;
  EXPECT_EQ(gpu_row(gpu).at(4), "UNHEALTHY");
  EXPECT_EQ(gpu_row(gpu).back(), "-; unhealthy: its agent reports no reason");
  gpu.trouble = "Xid 79";
  EXPECT_EQ(gpu_row(gpu).back(), "-; unhealthy: Xid 79");
}

}  // namespace
}  // namespace cli
