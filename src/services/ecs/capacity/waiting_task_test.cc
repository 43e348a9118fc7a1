// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/capacity/waiting_task.h"

#include "services/ecs/capacity/capacity_fixture.h"

namespace services::ecs {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class WaitingTaskTest : public CapacityTest {};

TEST_F(WaitingTaskTest, ATaskWithoutRoomWaitsAndIsPlacedWhenAMachineJoins) {
  use_provider();
  const Task task = run_one("one");
  EXPECT_EQ(task.lastStatus, "PROVISIONING");
  EXPECT_EQ(task.desiredStatus, "RUNNING");
  EXPECT_EQ(task.capacityProviderName, "p");
  EXPECT_EQ(task.launchType, "EC2");
  EXPECT_FALSE(task.containerInstanceArn);
  EXPECT_THAT(wakes_, Contains(std::string(kCapacityTopic)));
  EXPECT_THAT(wakes_, Contains(std::string(kPublishTopic)));

  const std::string machine = join_instance("i-1", 1);
  EXPECT_THAT(wakes_, Contains(std::string(kCapacityTopic)));
  EXPECT_THAT(scaling_.joined, ElementsAre("i-1"));
  EXPECT_EQ(describe_machine(machine).capacityProviderName, "p");
  run_capacity();
  const Task placed = describe(task);
  EXPECT_EQ(placed.lastStatus, "PENDING");
  EXPECT_THAT(*placed.containerInstanceArn, HasSubstr(machine));
  EXPECT_THAT(*placed.containers->at(0).gpuIds, ElementsAre("GPU-i-10"));
  EXPECT_THAT(capacity_wakes_, Contains(wake_of(machine)));
  report(task, "RUNNING");
  EXPECT_EQ(status_of(task), "RUNNING");
}

TEST_F(WaitingTaskTest, TheOldestIsPlacedFirstWhenATaskEnds) {
  use_provider();
  join_instance("i-1", 1);
  const Task running = run_one("one"), older = run_one("one"), younger = run_one("one");
  EXPECT_EQ(running.lastStatus, "PENDING");
  run_capacity();
  EXPECT_EQ(status_of(older), "PROVISIONING");
  report(running, "STOPPED");
  EXPECT_THAT(wakes_, Contains(std::string(kCapacityTopic)));
  run_capacity();
  EXPECT_EQ(status_of(older), "PENDING");
  EXPECT_EQ(status_of(younger), "PROVISIONING");
}

TEST_F(WaitingTaskTest, ALaterTaskThatFitsDoesNotWaitForOneThatDoesNot) {
  use_provider();
  const Task large = run_one("four"), small = run_one("one");
  join_instance("i-1", 1);
  run_capacity();
  EXPECT_EQ(status_of(large), "PROVISIONING");
  EXPECT_EQ(status_of(small), "PENDING");
}

TEST_F(WaitingTaskTest, ItIsPlacedOnMachinesOfItsProviderOnly) {
  use_provider();
  add_machine("box", 1);
  const Task task = run_one("one");
  EXPECT_EQ(task.lastStatus, "PROVISIONING");
  EXPECT_EQ(run_one("one", R"("launchType":"EC2")").lastStatus, "PENDING");
  join_instance("i-1", 1);
  run_capacity();
  EXPECT_EQ(status_of(task), "PENDING");
}

TEST_F(WaitingTaskTest, WithoutManagedScalingATaskFails) {
  add_provider("p", "", R"({"status":"DISABLED"})");
  associate(R"("p")", R"({"capacityProvider":"p","weight":1})");
  EXPECT_EQ(error_of(&run_task, R"({"taskDefinition":"one"})"),
            "InvalidParameterException: No Container Instances were found in your capacity provider.");
  join_instance("i-1", 1);
  EXPECT_THAT(*run_family("one").tasks, SizeIs(1));
  const auto refused = run_family("one");
  EXPECT_THAT(*refused.tasks, IsEmpty());
  EXPECT_EQ(refused.failures->at(0).reason, "RESOURCE:GPU");
}

TEST_F(WaitingTaskTest, AProviderWithoutInstancesIsAFailureOfItsTasks) {
  add_provider("p", "", R"({"status":"DISABLED"})");
  add_provider("q", "", R"({"status":"DISABLED"})");
  associate(R"("p","q")", R"({"capacityProvider":"p","weight":1},{"capacityProvider":"q","weight":1})");
  join_instance("i-1");
  const auto response = run_family("plain", R"("count":2)");
  EXPECT_THAT(*response.tasks, SizeIs(1));
  ASSERT_THAT(*response.failures, SizeIs(1));
  EXPECT_THAT(*response.failures->at(0).arn, HasSubstr("capacity-provider/q"));
}

TEST_F(WaitingTaskTest, TheWaitEndsAfterHalfAnHour) {
  use_provider();
  const Task task = run_one();
  run_capacity();
  EXPECT_EQ(capacity_next_, now_ + kWaitsFor);
  now_ += kWaitsFor;
  run_capacity();
  const Task stopped = describe(task);
  EXPECT_EQ(stopped.lastStatus, "STOPPED");
  EXPECT_EQ(stopped.stopCode, "TaskFailedToStart");
  EXPECT_EQ(stopped.stoppedReason, "Capacity provider p had no capacity for the task within 30 minutes.");
  EXPECT_FALSE(stopped.containerInstanceArn);
}

TEST_F(WaitingTaskTest, StopTaskStopsItAtOnce) {
  use_provider();
  const Task task = run_one();
  const Task stopped = *run_json(&stop_task, R"({"task":")" + *task.taskArn + R"(","reason":"enough"})").task;
  EXPECT_EQ(stopped.lastStatus, "STOPPED");
  EXPECT_EQ(stopped.stopCode, "UserInitiated");
  EXPECT_EQ(stopped.stoppedReason, "enough");
  EXPECT_EQ(status_of(task), "STOPPED");
  join_instance("i-1");
  run_capacity();
  EXPECT_EQ(status_of(task), "STOPPED");
}

TEST_F(WaitingTaskTest, WaitingTasksAreCountedAndListed) {
  use_provider();
  run_family("plain", R"("count":3)");
  EXPECT_EQ(run_json(&describe_clusters, "{}").clusters->at(0).pendingTasksCount, 3);
  EXPECT_THAT(*run_json(&list_tasks, "{}").taskArns, SizeIs(3));
}

TEST_F(WaitingTaskTest, AClusterHasALimitOfWaitingTasks) {
  use_provider();
  for (std::int64_t i = 0; i < kMaxWaiting / 10; ++i) run_family("plain", R"("count":10)");
  EXPECT_EQ(error_of(&run_task, R"({"taskDefinition":"plain"})"),
            "ClientException: Tasks provisioning capacity limit exceeded.");
  create(R"({"serviceName":"s","taskDefinition":"four","desiredCount":1})");
  EXPECT_THAT(tasks("s"), IsEmpty());
  EXPECT_EQ(last_event("s"),
            "was unable to place tasks in your cluster because the tasks provisioning capacity limit was exceeded. For "
            "more information, see the Troubleshooting section of the Amazon ECS Developer Guide.");
  join_instance("i-1");
  settle();
  EXPECT_THAT(tasks("s"), IsEmpty()) << "the machine is too small, and the others wait still";
  run_capacity();
  EXPECT_THAT(capacity_wakes_, Contains(std::string(state::kServicesTopic)));
  settle();
  EXPECT_THAT(tasks("s"), SizeIs(1)) << "it waits with them";
}

TEST_F(WaitingTaskTest, AStrategySplitsTheTasksOfALaunch) {
  add_provider("p");
  add_provider("q");
  associate(R"("p","q")");
  const auto response = run_family(
      "plain",
      R"("count":10,"capacityProviderStrategy":[{"capacityProvider":"p","base":2,"weight":1},{"capacityProvider":"q","weight":3}])");
  std::map<std::string, int> counts;
  for (const Task& task : *response.tasks) ++counts[*task.capacityProviderName];
  EXPECT_EQ(counts["p"], 4);
  EXPECT_EQ(counts["q"], 6);
}

TEST_F(WaitingTaskTest, PlacementConstraintsOfTheLaunchStillApply) {
  use_provider();
  const Task first = run_one("plain", R"("group":"g","placementConstraints":[{"type":"distinctInstance"}])");
  const Task second = run_one("plain", R"("group":"g","placementConstraints":[{"type":"distinctInstance"}])");
  join_instance("i-1");
  run_capacity();
  EXPECT_EQ(status_of(first), "PENDING");
  EXPECT_EQ(status_of(second), "PROVISIONING");
  join_instance("i-2");
  run_capacity();
  EXPECT_EQ(status_of(second), "PENDING");
}

TEST_F(WaitingTaskTest, WaitingTasksSurviveARestart) {
  use_provider();
  const Task task = run_one();
  join_instance("i-1");
  locals_.add<CapacityIndex>();
  with_call([](Call& call) { load_capacity(call); });
  run_capacity();
  EXPECT_EQ(status_of(task), "PENDING");
}

TEST_F(WaitingTaskTest, AServiceDoesNotStartMoreThanItWantsAndStopsWaitingTasksFirst) {
  use_provider();
  create(R"({"serviceName":"s","taskDefinition":"one","desiredCount":3})");
  EXPECT_EQ(describe_service("s").pendingCount, 3);
  EXPECT_FALSE(describe_service("s").launchType);
  EXPECT_THAT(tasks("s"), SizeIs(3));
  join_instance("i-1", 1);
  settle();
  run_capacity();
  obey("s");
  settle();
  EXPECT_EQ(describe_service("s").runningCount, 1);
  EXPECT_EQ(describe_service("s").pendingCount, 2);
  update(R"({"service":"s","desiredCount":1})");
  const auto left = tasks("s");
  ASSERT_THAT(left, SizeIs(1));
  EXPECT_EQ(left[0].known, model::TaskStatus::Running);
  EXPECT_EQ(describe_service("s").deployments->at(0).failedTasks, 0);
}

TEST_F(WaitingTaskTest, ADeploymentOnAFullMachineStopsTheOldTaskInsteadOfWaiting) {
  use_provider();
  join_instance("i-1", 1);
  create(R"({"serviceName":"s","taskDefinition":"one","desiredCount":1})");
  run_until_quiet("s");
  update(R"({"service":"s","taskDefinition":"one","forceNewDeployment":true})");
  ASSERT_THAT(tasks("s"), SizeIs(1));
  EXPECT_EQ(tasks("s")[0].desired, model::DesiredStatus::Stopped);
}

TEST_F(WaitingTaskTest, AnotherStrategyOfAServiceNeedsANewDeployment) {
  use_provider();
  create(R"({"serviceName":"s","taskDefinition":"one","desiredCount":1,"launchType":"EC2"})");
  EXPECT_EQ(describe_service("s").launchType, "EC2");
  const std::string strategy = R"("capacityProviderStrategy":[{"capacityProvider":"p","weight":1}])";
  EXPECT_THAT(error_of(&update_service, R"({"service":"s",)" + strategy + "}"),
              HasSubstr("you must force a new deployment"));
  update(R"({"service":"s","forceNewDeployment":true,)" + strategy + "}");
  EXPECT_EQ(describe_service("s").capacityProviderStrategy->at(0).capacityProvider, "p");
}

TEST_F(WaitingTaskTest, ExplainNamesTheProviderAndItsGroup) {
  use_provider();
  scaling_.groups["p-group"].DesiredCapacity = 2;
  const Task task = run_one("one");
  now_ += std::chrono::minutes(1);
  auto sentences = run_json(&stoker_explain, R"({"task":")" + *task.taskArn + "\"}").sentences;
  EXPECT_THAT(sentences,
              ElementsAre("It has been PROVISIONING for 1 min: it waits for capacity of the capacity provider p, for "
                          "another 29 min at most.",
                          "The Auto Scaling group p-group desires 2 of at most 4 instances: 0 running, 0 "
                          "joined the cluster.",
                          "It waits for an instance to start."));
  create(R"({"serviceName":"s","taskDefinition":"one","desiredCount":1})");
  sentences = run_json(&stoker_explain, R"({"service":"s"})").sentences;
  EXPECT_THAT(sentences, Contains("1 task is PROVISIONING: waiting for capacity of the capacity provider p."));
}

TEST_F(WaitingTaskTest, ExplainNamesAnInstanceThatJoinedBeforeItsGroupHadTheProvider) {
  join_instance("i-1", 1);
  use_provider();
  scaling_.groups["p-group"].DesiredCapacity = 1;
  const Task task = run_one("one");
  const auto sentences = run_json(&stoker_explain, R"({"task":")" + *task.taskArn + "\"}").sentences;
  EXPECT_THAT(sentences, Contains("i-1 joined before the group had the capacity provider, and can't run its tasks: "
                                  "terminate it, so that the group launches another."));
  EXPECT_THAT(sentences, Not(Contains("It waits for the agent of a running instance to join.")));
}

}  // namespace
}  // namespace services::ecs
