// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <sstream>

#include "cli/fake_server.h"
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
  reply_error("RunTask", "InvalidParameterException", "No Container Instances were found in your cluster.");
  ASSERT_EQ(run_ocr(true), 0) << "the first reply places the task";
  EXPECT_EQ(run_ocr(), 1);
  EXPECT_THAT(err_.str(), testing::EndsWith("no GPU free\n"));
  EXPECT_THAT(requests("StokerExplain"), ElementsAre(R"({"cluster":"default","taskDefinition":"run-ocr:1"})"));
}

TEST_F(RunCommand, OtherErrorsOfRunTaskAreThrown) {
  reply_error("RunTask", "AccessDeniedException", "No.");
  ASSERT_EQ(run_ocr(true), 0) << "the first reply places the task";
  EXPECT_THROW(run_ocr(), wire::ApiError);
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

TEST_F(RunCommand, InvalidArgumentsSendNothing) {
  EXPECT_THROW(run(options_, {.image = "ocr", .gpus = "two"}, out_, err_), std::runtime_error);
  EXPECT_THAT(requests("DescribeTaskDefinition"), IsEmpty());
}

}  // namespace
}  // namespace cli
