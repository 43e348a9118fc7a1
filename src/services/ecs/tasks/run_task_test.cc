// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/tasks/sweep.h"
#include "services/ecs/machines/machines_fixture.h"

namespace services::ecs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class RunTask : public MachinesTest {};

TEST_F(RunTask, AnswersWithTheGpusThatItPinned) {
  add_machine("a", 2);
  const auto response = run_family("one");
  ASSERT_THAT(*response.tasks, SizeIs(1));
  const Task& task = response.tasks->at(0);
  EXPECT_THAT(*task.containers->at(0).gpuIds, ElementsAre("GPU-a0"));
  EXPECT_EQ(*task.lastStatus, "PENDING");
  EXPECT_EQ(*task.desiredStatus, "RUNNING");
  EXPECT_EQ(*task.group, "family:one");
  EXPECT_THAT(*response.failures, IsEmpty());
}

TEST_F(RunTask, TheThirdTaskIsRefusedUntilOneOfTwoEnds) {
  add_machine("a", 1);
  add_machine("b", 1);
  add_machine("cpu", 0);
  const auto first = run_family("one"), second = run_family("one"), third = run_family("one");
  ASSERT_THAT(*second.tasks, SizeIs(1));
  EXPECT_NE(first.tasks->at(0).containerInstanceArn, second.tasks->at(0).containerInstanceArn);
  EXPECT_THAT(*third.tasks, IsEmpty());
  ASSERT_THAT(*third.failures, SizeIs(3));
  for (const Failure& failure : *third.failures) EXPECT_EQ(*failure.reason, "RESOURCE:GPU");
  report(first.tasks->at(0), "STOPPED");
  EXPECT_THAT(*run_family("one").tasks, SizeIs(1));
}

TEST_F(RunTask, AClusterWithoutMachinesIsAnError) {
  EXPECT_EQ(error_of(&run_task, R"({"taskDefinition":"one"})"),
            "InvalidParameterException: No Container Instances were found in your cluster.");
}

TEST_F(RunTask, DistinctInstanceAllowsNoExpressionNotEvenAnEmptyOne) {
  add_machine("a", 1);
  for (std::string expression : {"", "attribute:a == b"}) {
    EXPECT_EQ(error_of(&run_task, R"({"taskDefinition":"one","placementConstraints":[{"type":"distinctInstance",
                                      "expression":")" + expression + "\"}]}"),
              "InvalidParameterException: distinctInstance expression should not be specified.");
  }
}

TEST_F(RunTask, ANetworkHasSubnetsWithNames) {
  add_machine("a", 1);
  register_json(with_container("", R"("networkMode":"awsvpc")"));
  auto refused = [&](const std::string& vpc) {
    return error_of(&run_task, R"({"taskDefinition":"f","networkConfiguration":{"awsvpcConfiguration":{)" + vpc + "}}}");
  };
  EXPECT_EQ(refused(R"("subnets":["subnet-1"],"securityGroups":["sg-1"])"), "");
  EXPECT_EQ(refused(R"("subnets":[])"), "InvalidParameterException: subnets can not be empty.");
  EXPECT_EQ(refused(R"("subnets":["a",""])"), "InvalidParameterException: subnet cannot be blank.");
  EXPECT_EQ(refused(R"("subnets":["a"],"securityGroups":[""])"),
            "InvalidParameterException: security group cannot be blank.");
  EXPECT_EQ(refused(R"("subnets":["a"],"securityGroups":["1","2","3","4","5","6"])"),
            "InvalidParameterException: securityGroups can have at most 5 items.");
  EXPECT_EQ(refused(R"("subnets":["1","2","3","4","5","6","7","8","9","10","11","12","13","14","15","16","17"])"),
            "InvalidParameterException: subnets can have at most 16 items.");
}

TEST_F(RunTask, ADisconnectedMachineGetsNoTasks) {
  const std::string id = add_machine("a", 1);
  with_call([&](Call& call) { set_connected(call, model::InstanceId(id), false); });
  EXPECT_EQ(*run_family("one").failures->at(0).reason, "AGENT");
}

TEST_F(RunTask, AFailedRequestReleasesWhatItTook) {
  add_machine("a", 1);
  EXPECT_THROW(store_->write_now([&](store::Tx& tx) {
    Call call{tx, caller_, now_, now_, &locals_};
    run_task(call, from_json<RunTaskRequest>(R"({"taskDefinition":"one"})"));
    throw std::runtime_error("the disk is full");
  }),
               std::runtime_error);
  EXPECT_THAT(*run_family("one").tasks, SizeIs(1));
}

TEST_F(RunTask, CountPlacesAsManyAsFitAndSaysWhyNotMore) {
  add_machine("a", 2);
  const auto response = run_family("one", R"("count":5)");
  EXPECT_THAT(*response.tasks, SizeIs(2));
  EXPECT_THAT(*response.failures, SizeIs(1));
}

TEST_F(RunTask, ARepeatedTokenReturnsTheSameTasks) {
  add_machine("a", 4);
  const auto first = run_family("one", R"("clientToken":"t","count":2)");
  const auto again = run_family("one", R"("clientToken":"t","count":2)");
  EXPECT_EQ(first.tasks->at(1).taskArn, again.tasks->at(1).taskArn);
  EXPECT_THAT(error_of(&run_task, R"({"taskDefinition":"one","clientToken":"t"})"), HasSubstr("ConflictException"));
}

TEST_F(RunTask, ARepeatedTokenShowsTheCurrentStateOfItsTasks) {
  const std::string id = add_machine("a", 2);
  const auto first = run_family("one", R"("clientToken":"t","count":2)");
  report(first.tasks->at(0), "RUNNING");
  report(first.tasks->at(1), "STOPPED");
  const auto again = run_family("one", R"("clientToken":"t","count":2)");
  ASSERT_THAT(*again.tasks, SizeIs(2));
  EXPECT_EQ(*again.tasks->at(0).lastStatus, "RUNNING");
  EXPECT_EQ(*again.tasks->at(0).connectivity, "CONNECTED");
  EXPECT_EQ(*again.tasks->at(0).connectivityAt, now_);
  EXPECT_EQ(*again.tasks->at(1).lastStatus, "STOPPED");
}

TEST_F(RunTask, SharesOfAGpuGoOnOneUntilItsMemoryIsFull) {
  const std::string id = add_machine("a", 2);
  const auto response = run_family("share", R"("count":3)");
  ASSERT_THAT(*response.tasks, SizeIs(3));
  EXPECT_EQ(response.tasks->at(0).containers->at(0).gpuIds, response.tasks->at(1).containers->at(0).gpuIds);
  EXPECT_NE(response.tasks->at(0).containers->at(0).gpuIds, response.tasks->at(2).containers->at(0).gpuIds);
  const auto devices = *describe_machine(id).gpuDevices;
  EXPECT_EQ(*devices[0].sharingMode, "NVIDIA_MPS");
  EXPECT_EQ(*devices[0].containerCount, 2);
  EXPECT_EQ(*devices[0].remainingMemoryInMiB, 16384 - 12000);
}

TEST_F(RunTask, APayloadCarriesTheGpusAndTheShare) {
  const std::string id = add_machine("a", 1);
  run_family("share", R"("overrides":{"containerOverrides":[{"name":"c","command":["x"],
      "environment":[{"name":"K","value":"v"}]}]})");
  with_call([&](Call& call) {
    const Admitted home = admit(call, "default", id);
    const Work work = work_for(call, home, {});
    ASSERT_THAT(work.tasks, SizeIs(1));
    const shapes::agent::Task& task = work.tasks[0];
    EXPECT_EQ(task.associations.at(0).name, "GPU-a0");
    EXPECT_EQ(task.stokerGpuShares->at(0).memoryInMiB, 6000);
    EXPECT_EQ(*task.stokerGpuShares->at(0).maxComputePercent, 30);
    EXPECT_EQ(*task.containers[0].overrides, R"({"command":["x"]})");
    EXPECT_EQ(task.containers[0].environment.at("K"), "v");
    set_delivered(call, home, {task.arn});
    EXPECT_THAT(work_for(call, home, {}).tasks, IsEmpty());
    EXPECT_THAT(manifest_of(call, home).tasks, SizeIs(1));
  });
}

TEST_F(RunTask, AStopIsSentToTheAgentAndTheGpuIsHeldUntilTheTaskHasStopped) {
  const std::string id = add_machine("a", 1);
  const Task task = run_family("one").tasks->at(0);
  report(task, "RUNNING");
  run_json(&stop_task, R"({"task":")" + *task.taskArn + R"(","reason":"enough"})");
  EXPECT_EQ(*describe(task).lastStatus, "RUNNING");
  EXPECT_EQ(*describe(task).desiredStatus, "STOPPED");
  EXPECT_THAT(*run_family("one").tasks, IsEmpty());
  with_call([&](Call& call) { EXPECT_EQ(work_for(call, admit(call, "default", id), {}).tasks.at(0).desiredStatus, "STOPPED"); });
  report(task, "STOPPED", R"(,"containers":[{"containerName":"c","status":"STOPPED","exitCode":143}])");
  const Task stopped = describe(task);
  EXPECT_EQ(*stopped.stopCode, "UserInitiated");
  EXPECT_EQ(*stopped.stoppedReason, "enough");
  EXPECT_EQ(*stopped.containers->at(0).exitCode, 143);
  EXPECT_THAT(*run_family("one").tasks, SizeIs(1));
}

TEST_F(RunTask, ALostMachinesTasksAreStoppedAndALateReportChangesNothing) {
  const std::string id = add_machine("a", 1);
  const Task task = run_family("one").tasks->at(0);
  report(task, "RUNNING");
  with_call([&](Call& call) { set_connected(call, model::InstanceId(id), false); });
  now_ += std::chrono::minutes(2);
  with_call([&](Call& call) { sweep_tasks(call, std::chrono::minutes(1)); });
  EXPECT_EQ(*describe(task).lastStatus, "STOPPED");
  EXPECT_THAT(*describe(task).stoppedReason, HasSubstr("instance a) lost"));
  report(task, "RUNNING");
  EXPECT_EQ(*describe(task).lastStatus, "STOPPED");
  with_call([&](Call& call) {
    const Admitted home = admit(call, "default", id);
    EXPECT_THAT(manifest_of(call, home).tasks, IsEmpty());
    EXPECT_THAT(to_stop(call, home, {{*task.taskArn, *task.clusterArn, "RUNNING"}}), SizeIs(1));
  });
}

TEST_F(RunTask, StoppedTasksAreDeletedAfterAnHour) {
  add_machine("a", 1);
  const Task task = run_family("one").tasks->at(0);
  report(task, "STOPPED");
  now_ += std::chrono::minutes(59);
  with_call([&](Call& call) { sweep_tasks(call, kLostAfter); });
  EXPECT_EQ(*describe(task).lastStatus, "STOPPED");
  now_ += std::chrono::minutes(2);
  with_call([&](Call& call) { sweep_tasks(call, kLostAfter); });
  const auto response = run_json(&describe_tasks, R"({"tasks":[")" + *task.taskArn + "\"]}");
  EXPECT_EQ(*response.failures->at(0).reason, "MISSING");
}

TEST_F(RunTask, AGpuIsRegisteredByOneInstanceAtATime) {
  const std::string a = add_machine("a", 1);
  constexpr char kOther[] = R"({"instanceIdentityDocument":"{\"instanceId\":\"b\"}",
                                "platformDevices":[{"id":"GPU-a0","type":"GPU"}]})";
  EXPECT_THAT(error_of(&register_container_instance, kOther),
              HasSubstr("GPU-a0 is already registered by container instance"));
  const Task task = run_family("one").tasks->at(0);
  with_call([&](Call& call) { set_connected(call, model::InstanceId(a), false); });
  EXPECT_EQ(error_of(&register_container_instance, kOther), "");
  EXPECT_EQ(*describe_machine(a).status, "INACTIVE");
  EXPECT_THAT(*describe(task).stoppedReason, HasSubstr("Another container instance has registered GPU-a0."));
}

TEST_F(RunTask, AnotherAccountMayRegisterTheSameGpu) {
  add_machine("a", 1);
  caller_.account = "222222222222";
  run_json(&create_cluster, "{}");
  EXPECT_EQ(error_of(&register_container_instance, R"({"platformDevices":[{"id":"GPU-a0","type":"GPU"}]})"), "");
}

TEST_F(RunTask, ANegativeResourceIsRejectedEvenWithoutAName) {
  EXPECT_THAT(error_of(&register_container_instance, R"({"totalResources":[{"type":"INTEGER","integerValue":-1}]})"),
              HasSubstr("Invalid resource"));
}

TEST_F(RunTask, AnInstanceOfAnotherAccountIsReportedAsMissing) {
  const std::string arn =
      "arn:aws:ecs:us-east-1:222222222222:container-instance/default/0123456789abcdef0123456789abcdef";
  const auto response =
      run_json(&start_task, R"({"taskDefinition":"one","containerInstances":[")" + arn + "\"]}");
  ASSERT_THAT(*response.failures, SizeIs(1));
  EXPECT_EQ(*response.failures->at(0).arn, arn);
  EXPECT_EQ(*response.failures->at(0).reason, "MISSING");
}

TEST_F(RunTask, ATaskShowsHowItsGpuIsShared) {
  add_machine("a", 1);
  const auto task = run_family("share").tasks->at(0);
  EXPECT_EQ(*task.containers->at(0).gpuSharingStrategy->nvidiaMps->memory, 6000);
  EXPECT_FALSE(run_family("plain").tasks->at(0).containers->at(0).gpuSharingStrategy);
}

TEST_F(RunTask, AMachineThatRegistersAgainReplacesItsFormerSelf) {
  const std::string id = add_machine("a", 1);
  const Task task = run_family("one").tasks->at(0);
  with_call([&](Call& call) { set_connected(call, model::InstanceId(id), false); });
  add_machine("a", 1);
  EXPECT_EQ(*describe_machine(id).status, "INACTIVE");
  EXPECT_EQ(*describe(task).lastStatus, "STOPPED");
  EXPECT_THAT(*run_family("one").tasks, SizeIs(1));
}

TEST_F(RunTask, AReloadedFleetIsTheSame) {
  const std::string id = add_machine("a", 4);
  run_family("one", R"("count":3)");
  Fleets loaded;
  store_->read_now([&](store::Tx& tx) { loaded.load(tx); });
  auto idle = [&](Fleets& fleets) {
    return fleets.with(state::ClusterNumber(1), [&](scheduler::Fleet& fleet) { return fleet.find(model::InstanceId(id))->idle_gpus(); });
  };
  EXPECT_EQ(idle(loaded), 1);
  EXPECT_EQ(idle(fleets_), 1);
}

}  // namespace
}  // namespace services::ecs
