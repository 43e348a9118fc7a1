// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/tasks/execute_command.h"

#include "services/ecs/machines/machines_fixture.h"
#include "state/exec_session.h"

namespace services::ecs {
namespace {

using shapes::stoker::StokerExecSpec;
using testing::HasSubstr;
using testing::StartsWith;

class ExecuteCommandTest : public MachinesTest {
 protected:
  ExecuteCommandTest() {
    machine_ = add_machine("box", 2);
    set_can_exec(true);
    task_ = run_family("one", R"("enableExecuteCommand":true)").tasks->at(0);
    arn_ = *task_.taskArn;
  }

  void set_can_exec(bool can) { set_attribute(kExecAttribute, can); }
  void set_attribute(std::string_view name, bool has) {
    with_call([&](Call& call) {
      auto instance = *load_instance(call.tx, model::InstanceId(machine_));
      auto& attributes = *instance.body.attributes;
      std::erase_if(attributes, [&](const auto& attribute) { return attribute.name == name; });
      if (has) attributes.push_back({.name = std::string(name)});
      update_instance(call.tx, instance);
    });
  }
  void start(const Task& task) {
    report(task, "RUNNING", R"(,"containers":[{"containerName":"c","status":"RUNNING","runtimeId":"abc-1"}],
        "managedAgents":[{"containerName":"c","managedAgentName":"ExecuteCommandAgent","status":"RUNNING"}])");
  }
  static std::string request(const std::string& arn, const std::string& more = R"(,"interactive":true)") {
    return R"({"command":"ls -l","task":")" + arn + "\"" + more + "}";
  }
  std::string error(const std::string& json) { return error_of(&execute_command, json); }
  state::ExecSession stored(const std::string& id) {
    state::ExecSession session;
    with_call([&](Call& call) { session = *state::find_exec_session(call.tx, id); });
    return session;
  }
  StokerExecSpec spec_of(const ExecuteCommandResponse& response) {
    return from_json<StokerExecSpec>(stored(*response.session->sessionId).spec_json);
  }
  ManagedAgent agent_of(const Task& task) { return describe(task).containers->at(0).managedAgents->at(0); }

  std::string machine_, arn_;
  Task task_;
};

TEST_F(ExecuteCommandTest, WritesASessionAndWakesTheDoor) {
  start(task_);
  const auto response = run_json(&execute_command, request(arn_));
  EXPECT_TRUE(wakes_.contains(std::string(state::kExecTopic)));
  EXPECT_EQ(response.containerName, "c");
  EXPECT_EQ(response.taskArn, arn_);
  EXPECT_EQ(response.interactive, true);
  const std::string id = *response.session->sessionId;
  EXPECT_THAT(id, StartsWith("ecs-execute-command-"));
  EXPECT_EQ(id.size(), std::string("ecs-execute-command-").size() + 26);
  EXPECT_THAT(*response.session->streamUrl, HasSubstr("/v1/data-channel/" + id + "?role=publish_subscribe&cell-number="));
  const state::ExecSession session = stored(id);
  EXPECT_EQ(session.token_hash, state::exec_token_hash(*response.session->tokenValue));
  EXPECT_EQ(session.target, "ecs:default_" + arn_.substr(arn_.rfind('/') + 1) + "_abc-1");
  EXPECT_EQ(spec_of(response).command, "ls -l");
}

TEST_F(ExecuteCommandTest, ABlankCommandIsAShell) {
  start(task_);
  const auto response =
      run_json(&execute_command, R"({"command":" ","interactive":true,"task":")" + arn_ + "\"}");
  EXPECT_EQ(spec_of(response).command, "sh");
}

TEST_F(ExecuteCommandTest, TheManagedAgentFollowsTheContainer) {
  EXPECT_EQ(agent_of(task_).lastStatus, "PENDING");
  start(task_);
  EXPECT_EQ(agent_of(task_).name, "ExecuteCommandAgent");
  EXPECT_EQ(agent_of(task_).lastStatus, "RUNNING");
  report(task_, "RUNNING", R"(,"managedAgents":[{"containerName":"c","managedAgentName":"ExecuteCommandAgent",
      "status":"STOPPED","reason":"no shell"},{"containerName":"x","managedAgentName":"Other","status":"RUNNING"}])");
  EXPECT_EQ(agent_of(task_).reason, "no shell");
  set_can_exec(false);
  EXPECT_EQ(agent_of(task_).lastStatus, "STOPPED");
  EXPECT_THAT(*agent_of(task_).reason, HasSubstr("does not support"));
  report(task_, "STOPPED", R"(,"containers":[{"containerName":"c","status":"STOPPED","exitCode":0}])");
  EXPECT_EQ(agent_of(task_).lastStatus, "STOPPED");
}

TEST_F(ExecuteCommandTest, OnlyEnabledTasksHaveAManagedAgent) {
  const Task other = run_family("plain").tasks->at(0);
  EXPECT_FALSE(describe(other).containers->at(0).managedAgents);
}

TEST_F(ExecuteCommandTest, RejectsWhatAmazonRejectsInItsWords) {
  EXPECT_EQ(error(request(arn_, R"(,"interactive":false)")),
            "InvalidParameterException: Interactive is the only mode supported currently.");
  EXPECT_EQ(error(request("abc")), "InvalidParameterException: task length should be one of [32,36]");
  EXPECT_THAT(error(request(std::string(32, 'a'))), StartsWith("InvalidParameterException: The task provided"));
  EXPECT_THAT(error(request(arn_, R"(,"interactive":true,"cluster":"other")")), StartsWith("ClusterNotFoundException"));
  const std::string not_enabled =
      "InvalidParameterException: The execute command failed because execute command was not enabled when the task was "
      "run or the execute command agent isn\u2019t running. Wait and try again or run a new task with execute command "
      "enabled and try again.";
  EXPECT_EQ(error(request(arn_)), not_enabled) << "the container does not run yet";
  start(task_);
  EXPECT_THAT(error(request(arn_, R"(,"interactive":true,"container":"x")")), HasSubstr("container x was not found"));
  const Task other = run_family("plain").tasks->at(0);
  start(other);
  EXPECT_EQ(error(request(*other.taskArn)), not_enabled);
}

TEST_F(ExecuteCommandTest, AMachineWithoutTheAbilityOrConnectionIsNotATarget) {
  const std::string text =
      "TargetNotConnectedException: The execute command failed due to an internal error. Try again later.";
  start(task_);
  set_attribute("stoker.agent", true);
  set_can_exec(false);
  EXPECT_EQ(error(request(arn_)), text);
  set_can_exec(true);
  with_call([&](Call& call) { set_connected(call, model::InstanceId(machine_), false); });
  EXPECT_EQ(error(request(arn_)), text);
}

TEST_F(ExecuteCommandTest, AMachineWithAmazonsAgentIsNamed) {
  start(task_);
  set_can_exec(false);
  const std::string text = "TargetNotConnectedException: The machine box runs Amazon's ECS agent";
  EXPECT_THAT(error(request(arn_)), StartsWith(text));
  EXPECT_THAT(error_of(&stoker_exec, R"({"command":["ls"],"task":")" + arn_ + "\"}"), StartsWith(text));
}

TEST_F(ExecuteCommandTest, AContainerHasALimitOfSessions) {
  start(task_);
  for (int i = 0; i < kMaxSessionsOfContainer; ++i) run_json(&execute_command, request(arn_));
  EXPECT_THAT(error(request(arn_)), HasSubstr("has 32 sessions already"));
}

TEST_F(ExecuteCommandTest, TheClustersLoggingDecidesWhereOutputGoes) {
  start(task_);
  EXPECT_FALSE(spec_of(run_json(&execute_command, request(arn_))).logGroup) << "the container has no log group";
  run_json(&update_cluster, R"({"cluster":"default","configuration":{"executeCommandConfiguration":{"logging":"OVERRIDE",
      "logConfiguration":{"cloudWatchLogGroupName":"g","s3BucketName":"b","s3KeyPrefix":"p"}}}})");
  const StokerExecSpec spec = spec_of(run_json(&execute_command, request(arn_)));
  EXPECT_EQ(spec.logGroup, "g");
  EXPECT_EQ(spec.bucket, "b");
  EXPECT_EQ(spec.keyPrefix, "p");
  run_json(&update_cluster,
           R"({"cluster":"default","configuration":{"executeCommandConfiguration":{"logging":"NONE"}}})");
  EXPECT_FALSE(spec_of(run_json(&execute_command, request(arn_))).logGroup);
}

TEST_F(ExecuteCommandTest, OurOwnOperationNeedsNoOptIn) {
  const Task other = run_family("plain").tasks->at(0);
  const std::string task = R"({"task":")" + *other.taskArn + "\"";
  EXPECT_THAT(error_of(&stoker_exec, task + R"(,"command":["ls"]})"), HasSubstr("is not running: its status is PENDING"));
  start(other);
  const auto response = run_json(&stoker_exec, task + R"(,"command":["ls","-l"],"tty":true,"rows":50,"columns":120})");
  const StokerExecSpec spec = spec_of(response);
  EXPECT_TRUE(spec.ours);
  EXPECT_EQ(spec.arguments, (std::vector<std::string>{"ls", "-l"}));
  EXPECT_EQ(spec.columns, 120);
  EXPECT_FALSE(spec.interactive);
  EXPECT_THAT(error_of(&stoker_exec, task + "}"), HasSubstr("A command is required."));
  EXPECT_THAT(error_of(&stoker_exec, task + R"(,"attach":true,"command":["ls"]})"), HasSubstr("not valid with attach"));
  EXPECT_TRUE(spec_of(run_json(&stoker_exec, task + R"(,"attach":true})")).attach);
  EXPECT_TRUE(spec_of(run_json(&stoker_exec, task + R"(,"attach":true,"logs":true})")).logs);
}

}  // namespace
}  // namespace services::ecs
