// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <sstream>

#include "cli/exec_commands.h"
#include "cli/fake_server.h"
#include "cli/usage_error.h"
#include "wire/error.h"

namespace cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr char kRunTask[] = R"({"tasks":[{"taskArn":"arn:aws:ecs:r:0:task/default/3fa94c1b2d7700112233445566778899",
    "taskDefinitionArn":"arn:aws:ecs:r:0:task-definition/run-ocr:1","containerInstanceArn":"arn:m1",
    "containers":[{"name":"main","gpuIds":["GPU-1","GPU-2"]}]}],"failures":[]})";

class RunCommand : public FakeServer {
 protected:
  RunCommand() {
    reply_error("DescribeTaskDefinition", "ClientException", "Unable to describe task definition.");
    reply("RegisterTaskDefinition",
          R"({"taskDefinition":{"taskDefinitionArn":"arn:aws:ecs:r:0:task-definition/run-ocr:1"}})");
    reply("RunTask", kRunTask);
    reply("ListContainerInstances", R"({"containerInstanceArns":["arn:m1"]})");
    reply("DescribeContainerInstances",
          R"({"containerInstances":[{"ec2InstanceId":"box-a","containerInstanceArn":"arn:m1"}]})");
    reply("StokerListGpus", R"({"gpus":[{"gpuId":"GPU-1","index":0,"model":"Tesla T4","machine":"box-a"},
        {"gpuId":"GPU-2","index":1,"model":"Tesla T4","machine":"box-a"},
        {"gpuId":"GPU-3","index":2,"model":"Tesla T4","machine":"box-a"}]})");
  }
  void reply_stopped(const std::string& container, const std::string& reason = "Essential container in task exited") {
    reply("/stoker/logs", R"({"container":"main","at":0,"stream":"stdout","text":"hello"})"
                          "\n"
                          R"({"container":"main","at":0,"stream":"stderr","text":"oops"})"
                          "\n");
    reply("DescribeTasks", R"({"tasks":[{"lastStatus":"STOPPED","stoppedReason":")" + reason + R"(","containers":[)" +
                               container + "]}]}");
  }
  int run_ocr(bool detach = false) { return run(options_, {.image = "ocr", .detach = detach}, out_, err_); }

  std::ostringstream out_, err_;
};

constexpr char kAnnouncement[] = "task 3fa94c1b2d77 of run-ocr:1 on box-a with GPU 0, 1 (Tesla T4)\n";

TEST_F(RunCommand, PrintsTheOutputAndReturnsTheExitCodeOfTheContainer) {
  reply_stopped(R"({"name":"main","exitCode":42})");
  EXPECT_EQ(run_ocr(), 42);
  EXPECT_EQ(out_.str(), "hello\n");
  EXPECT_EQ(err_.str(), std::string(kAnnouncement) + "oops\n");
  EXPECT_THAT(requests("/stoker/logs"),
              ElementsAre("cluster=default&task=3fa94c1b2d7700112233445566778899&follow=true"));
  EXPECT_THAT(requests("RunTask").at(0), HasSubstr(R"("startedBy":"stoker-run")"));
}

TEST_F(RunCommand, TheModelOfAGpuCannotMoveTheCursor) {
  reply("StokerListGpus", R"({"gpus":[{"gpuId":"GPU-1","index":0,"model":"T4\u001b[2J","machine":"box-a"}]})");
  EXPECT_EQ(run_ocr(true), 0) << "the first reply has another model";
  err_.str("");
  EXPECT_EQ(run_ocr(true), 0);
  EXPECT_THAT(err_.str(), HasSubstr("(T4?[2J)\n"));
}

TEST_F(RunCommand, AContainerThatDidNotStartReturns125AndTheReason) {
  reply_stopped(R"({"name":"main","reason":"CannotPullContainerError: no such image"})", "Task failed to start");
  EXPECT_EQ(run_ocr(), 125);
  EXPECT_THAT(err_.str(), HasSubstr("stoker: the task stopped before its container started: Task failed to start "
                                    "(CannotPullContainerError: no such image)\n"));
}

TEST_F(RunCommand, AnErrorReplyForTheLogsIsNotTheEndOfTheTask) {
  reply_error("/stoker/logs", "TargetNotConnectedException", "The agent is lost.");
  reply("DescribeTasks", R"({"tasks":[{"lastStatus":"STOPPED","containers":[{"name":"main","exitCode":0}]}]})");
  EXPECT_EQ(run_ocr(), 0);
  EXPECT_EQ(out_.str(), "");
}

TEST_F(RunCommand, AMachineWithoutALogStreamIsNamedOnce) {
  reply_error("/stoker/logs", "InvalidParameterException", "The machine box-a provides no log stream.");
  reply("DescribeTasks", R"({"tasks":[{"lastStatus":"RUNNING","containers":[]}]})");
  reply("DescribeTasks", R"({"tasks":[{"lastStatus":"STOPPED","containers":[{"name":"main","exitCode":3}]}]})");
  EXPECT_EQ(run_ocr(), 3);
  EXPECT_EQ(err_.str(), std::string(kAnnouncement) + "stoker: no output: The machine box-a provides no log stream.\n");
}

TEST_F(RunCommand, DetachedItPrintsTheIdAndDoesNotWait) {
  EXPECT_EQ(run_ocr(true), 0);
  EXPECT_EQ(out_.str(), "3fa94c1b2d7700112233445566778899\n");
  EXPECT_EQ(err_.str(), kAnnouncement);
  EXPECT_THAT(requests("/stoker/logs"), IsEmpty());
  options_.json = true;
  out_.str("");
  EXPECT_EQ(run_ocr(true), 0);
  EXPECT_THAT(out_.str(), HasSubstr(R"("taskArn":"arn:aws:ecs:r:0:task/default/3fa94c1b2d7700112233445566778899")"));
}

TEST_F(RunCommand, ATaskThatCannotBePlacedReturnsOneAndAnExplanation) {
  reply("StokerExplain", R"({"sentences":["no GPU free"]})");
  reply("DeregisterTaskDefinition", "{}");
  reply("DeleteTaskDefinitions", "{}");
  reply_error("RunTask", "InvalidParameterException", "No Container Instances were found in your cluster.");
  ASSERT_EQ(run_ocr(true), 0) << "the first reply places the task";
  EXPECT_THAT(requests("DeregisterTaskDefinition"), IsEmpty());
  EXPECT_EQ(run_ocr(), 1);
  EXPECT_THAT(requests("DeregisterTaskDefinition"), SizeIs(1)) << "a rejected run leaves no revision behind";
  EXPECT_THAT(requests("DeleteTaskDefinitions"), ElementsAre(HasSubstr("task-definition/run-ocr:1")));
  EXPECT_THAT(err_.str(), testing::EndsWith("no GPU free\n"));
  EXPECT_THAT(requests("StokerExplain"), ElementsAre(R"({"cluster":"default","taskDefinition":"run-ocr:1"})"));
}

TEST_F(RunCommand, OtherErrorsOfRunTaskAreThrown) {
  reply_error("RunTask", "AccessDeniedException", "No.");
  ASSERT_EQ(run_ocr(true), 0) << "the first reply places the task";
  EXPECT_THROW(run_ocr(), wire::ApiError);
}

// Of 12 tasks, RunTask starts at most 10 in one call.
TEST_F(RunCommand, TasksThatWereStartedAreReportedAlthoughALaterCallFails) {
  std::string ten;
  for (int i = 0; i < 10; ++i) {
    ten += (i ? "," : "") + std::string(R"({"taskArn":"arn:aws:ecs:r:0:task/default/cafe0)") + std::to_string(i) +
           R"(","taskDefinitionArn":"arn:aws:ecs:r:0:task-definition/many:1"})";
  }
  reply("RunTask", R"({"tasks":[)" + ten + R"(],"failures":[]})");
  reply_error("RunTask", "ServerException", "The disk is full.");
  ASSERT_EQ(run_ocr(true), 0) << "the first reply places one task";
  out_.str("");
  EXPECT_EQ(run(options_, {.image = "ocr", .detach = true, .count = 12}, out_, err_), 1);
  std::vector<std::string> ids;
  std::istringstream lines(out_.str());
  for (std::string line; std::getline(lines, line);) ids.push_back(line);
  EXPECT_THAT(ids, SizeIs(10));
  EXPECT_EQ(ids.back(), "cafe09");
  EXPECT_THAT(err_.str(), HasSubstr("ServerException: The disk is full.\n"));
  EXPECT_THAT(err_.str(), HasSubstr("started 10 of 12 tasks"));
  EXPECT_THAT(requests("DeregisterTaskDefinition"), IsEmpty()) << "the tasks that run need their definition";
}

TEST_F(RunCommand, TasksOfOneMachineAreReportedAlthoughALaterCallFails) {
  reply("StartTask", kRunTask);
  reply_error("StartTask", "ServerException", "The disk is full.");
  EXPECT_EQ(run(options_, {.image = "ocr", .detach = true, .count = 2, .machine = "box-a"}, out_, err_), 1);
  EXPECT_EQ(out_.str(), "3fa94c1b2d7700112233445566778899\n");
  EXPECT_THAT(err_.str(), HasSubstr("started 1 of 2 tasks"));
  EXPECT_THAT(requests("DeregisterTaskDefinition"), IsEmpty());
}

TEST_F(RunCommand, InputIsRejectedWhereOnlyProcessesRun) {
  reply("DescribeContainerInstances", R"({"containerInstances":[{"ec2InstanceId":"box-b","containerInstanceArn":"arn:m1",
      "attributes":[{"name":"stoker.driver","value":"process"}]}]})");
  ASSERT_EQ(run_ocr(true), 0) << "the first reply describes another machine";
  const RunArguments interactive{.image = "ocr", .interactive = true};
  EXPECT_THROW(run_or_attach(options_, interactive, out_, err_), std::runtime_error);
  EXPECT_THAT(requests("RunTask"), SizeIs(1)) << "nothing more was started";
  options_.json = true;
  EXPECT_THROW(run_or_attach(options_, interactive, out_, err_), UsageError);
}

TEST_F(RunCommand, AnInteractiveRunWithRmRemovesItsRevisionAtTheEnd) {
  reply_stopped(R"({"name":"main","exitCode":3})");
  reply("DeregisterTaskDefinition", "{}");
  reply("DeleteTaskDefinitions", "{}");
  EXPECT_EQ(run_or_attach(options_, {.image = "ocr", .interactive = true, .remove = true}, out_, err_), 3);
  EXPECT_EQ(out_.str(), "hello\n") << "it ended before the session began";
  EXPECT_THAT(requests("RegisterTaskDefinition"), ElementsAre(HasSubstr(R"("interactive":true)")));
  EXPECT_THAT(requests("DeleteTaskDefinitions"), ElementsAre(HasSubstr("task-definition/run-ocr:1")));
  EXPECT_EQ(run_or_attach(options_, {.image = "ocr", .interactive = true}, out_, err_), 3);
  EXPECT_THAT(requests("DeleteTaskDefinitions"), SizeIs(1)) << "without --rm it stays";
}

TEST_F(RunCommand, TheSameArgumentsReuseTheirRevision) {
  const std::string tag = definition_of({.image = "ocr", .detach = true})->tags->front().value.value_or("");
  reply("DescribeTaskDefinition",
        R"({"taskDefinition":{"taskDefinitionArn":"arn:aws:ecs:r:0:task-definition/run-ocr:7"},
      "tags":[{"key":"stoker:run","value":")" +
            tag + R"("}]})");
  ASSERT_EQ(run_ocr(true), 0);
  EXPECT_THAT(requests("RegisterTaskDefinition"), SizeIs(1)) << "the family does not exist at first";
  ASSERT_EQ(run_ocr(true), 0);
  EXPECT_THAT(requests("RegisterTaskDefinition"), SizeIs(1));
  EXPECT_THAT(requests("RunTask").at(1), HasSubstr("run-ocr:7"));
}

TEST_F(RunCommand, OtherArgumentsRegisterANewRevision) {
  reply("DescribeTaskDefinition",
        R"({"taskDefinition":{"taskDefinitionArn":"arn:aws:ecs:r:0:task-definition/run-ocr:7"},
      "tags":[{"key":"stoker:run","value":"another hash"}]})");
  ASSERT_EQ(run_ocr(true), 0);
  ASSERT_EQ(run_ocr(true), 0);
  EXPECT_THAT(requests("RegisterTaskDefinition"), SizeIs(2));
}

TEST_F(RunCommand, OptionsOfTheLaunchAreSent) {
  EXPECT_EQ(run(options_, {.image = "ocr", .detach = true, .constraints = {"ec2InstanceId == box-a"}, .wait = true}, out_, err_), 0);
  EXPECT_THAT(requests("RunTask").at(0), HasSubstr(R"("placementConstraints":[{"type":"memberOf","expression":"ec2InstanceId == box-a"}])"));
  EXPECT_THAT(requests("RunTask").at(0), HasSubstr(R"("tags":[{"key":"stoker:wait","value":"true"}])"));
  reply("StartTask", kRunTask);
  EXPECT_EQ(run(options_, {.image = "ocr", .detach = true, .machine = "box-a"}, out_, err_), 0);
  EXPECT_THAT(requests("StartTask").at(0), HasSubstr(R"("containerInstances":["arn:m1"])"));
  EXPECT_THROW(run(options_, {.image = "ocr", .count = 2}, out_, err_), UsageError) << "without --detach";
}

TEST_F(RunCommand, InvalidArgumentsSendNothing) {
  EXPECT_THROW(run(options_, {.image = "ocr", .gpus = "two"}, out_, err_), UsageError);
  EXPECT_THROW(run(options_, {.image = "ocr", .volumes = {"bad"}}, out_, err_), UsageError);
  EXPECT_THROW(run(options_, {.image = "ocr", .ports = {"bad"}}, out_, err_), UsageError);
  EXPECT_THAT(requests("DescribeTaskDefinition"), IsEmpty());
}

}  // namespace
}  // namespace cli
