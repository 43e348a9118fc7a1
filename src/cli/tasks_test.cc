// SPDX-License-Identifier: Apache-2.0
// stoker ps, stop, logs, gpus and nodes.
#include <gmock/gmock.h>

#include <sstream>

#include "cli/fake_server.h"

namespace cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr char kOneTask[] = R"({"taskArns":["arn:aws:ecs:r:0:task/default/3fa94c1b2d7700112233445566778899"]})";
constexpr char kNone[] = R"({"taskArns":[]})";
constexpr char kRunningTask[] = R"({"tasks":[{"taskArn":"arn:aws:ecs:r:0:task/default/3fa94c1b2d7700112233445566778899",
    "taskDefinitionArn":"arn:aws:ecs:r:0:task-definition/train:3","lastStatus":"RUNNING","desiredStatus":"RUNNING",
    "containerInstanceArn":"arn:m1","group":"family:train","containers":[{"name":"main","gpuIds":["GPU-1"]}]}]})";
constexpr char kStoppedTask[] = R"({"tasks":[{"taskArn":"arn:aws:ecs:r:0:task/default/bbbb",
    "taskDefinitionArn":"arn:aws:ecs:r:0:task-definition/old:1","lastStatus":"STOPPED","desiredStatus":"STOPPED",
    "group":"family:old","stoppedReason":"out of memory"}]})";
constexpr char kBoxA[] = R"({"containerInstances":[{"ec2InstanceId":"box-a","containerInstanceArn":"arn:m1",
    "status":"ACTIVE","agentConnected":true,"runningTasksCount":1,"pendingTasksCount":0}]})";

class TaskCommands : public FakeServer {
 protected:
  void reply_machine() {
    reply("ListContainerInstances", R"({"containerInstanceArns":["arn:m1"]})");
    reply("DescribeContainerInstances", kBoxA);
  }
  void reply_gpu() { reply("StokerListGpus", R"({"gpus":[{"gpuId":"GPU-1","index":2,"machine":"box-a"}]})"); }

  std::string logs_error(const LogArguments& arguments) {
    try {
      logs(options_, arguments, out_, err_);
      return "";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }

  std::string stop_error(const std::string& task) {
    try {
      stop(options_, {task}, "", out_);
      return "";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }

  std::ostringstream out_, err_;
};

TEST_F(TaskCommands, PsShowsRunningTasks) {
  reply("ListTasks", kOneTask);
  reply("ListTasks", kNone);
  reply("DescribeTasks", kRunningTask);
  reply_machine();
  reply_gpu();
  EXPECT_EQ(ps(options_, {}, out_), 0);
  EXPECT_EQ(out_.str(),
            "TASK          FAMILY:REV  STATUS   GPUS  MACHINE  STARTED  GROUP / BY\n"
            "3fa94c1b2d77  train:3     RUNNING  2     box-a    -        family:train\n");
}

TEST_F(TaskCommands, PsWithAllShowsStoppedTasksAndReasons) {
  reply("ListTasks", kNone);
  reply("ListTasks", R"({"taskArns":["arn:aws:ecs:r:0:task/default/bbbb"]})");
  reply("DescribeTasks", kStoppedTask);
  reply_machine();
  reply_gpu();
  EXPECT_EQ(ps(options_, {.all = true}, out_), 0);
  EXPECT_EQ(out_.str(),
            "TASK  FAMILY:REV  STATUS   GPUS  MACHINE  RAN  REASON\n"
            "bbbb  old:1       STOPPED  -     -        -    out of memory\n");
}

TEST_F(TaskCommands, PsWithoutTasksNamesTheClusterAndTheOption) {
  reply("ListTasks", kNone);
  options_.cluster = "blue";
  EXPECT_EQ(ps(options_, {}, out_), 0);
  EXPECT_EQ(ps(options_, {.all = true}, out_), 0);
  EXPECT_EQ(out_.str(),
            "no tasks in cluster blue; --all shows those that stopped within the last hour\n"
            "no tasks in cluster blue\n");
}

TEST_F(TaskCommands, PsByServiceHasAColumnOfServicesAndTheOthersLast) {
  reply("ListTasks", R"({"taskArns":["arn:aws:ecs:r:0:task/default/aaaa","arn:aws:ecs:r:0:task/default/bbbb",
      "arn:aws:ecs:r:0:task/default/cccc"]})");
  reply("ListTasks", kNone);
  reply("DescribeTasks", R"({"tasks":[
      {"taskArn":"t/aaaa","taskDefinitionArn":"d/train:3","lastStatus":"RUNNING","group":"family:train"},
      {"taskArn":"t/bbbb","taskDefinitionArn":"d/web:2","lastStatus":"RUNNING","group":"service:web","createdAt":2},
      {"taskArn":"t/cccc","taskDefinitionArn":"d/web:1","lastStatus":"RUNNING","group":"service:web","createdAt":1}]})");
  reply_machine();
  reply_gpu();
  EXPECT_EQ(ps(options_, {.by_service = true}, out_), 0);
  EXPECT_EQ(out_.str(),
            "SERVICE  TASK  FAMILY:REV  STATUS   GPUS  MACHINE  STARTED\n"
            "web      cccc  web:1       RUNNING  -     -        -\n"
            "web      bbbb  web:2       RUNNING  -     -        -\n"
            "-        aaaa  train:3     RUNNING  -     -        -\n");
}

TEST_F(TaskCommands, PsPrintsJsonAsDescribeTasksDoes) {
  reply("ListTasks", kOneTask);
  reply("ListTasks", kNone);
  reply("DescribeTasks", kRunningTask);
  options_.json = true;
  EXPECT_EQ(ps(options_, {}, out_), 0);
  EXPECT_THAT(out_.str(), AllOf(testing::StartsWith(R"({"tasks":[{)"), HasSubstr(R"("lastStatus":"RUNNING")")));
  EXPECT_THAT(requests("StokerListGpus"), IsEmpty());
}

TEST_F(TaskCommands, StopSendsTheReasonAndReportsEachTask) {
  reply("ListTasks", R"({"taskArns":["arn:aws:ecs:r:0:task/default/aaaa","arn:aws:ecs:r:0:task/default/bbbb"]})");
  reply("StopTask", R"({"task":{"lastStatus":"RUNNING"}})");
  reply("StopTask", R"({"task":{"lastStatus":"STOPPED"}})");
  EXPECT_EQ(stop(options_, {"aa", "bb"}, "no longer needed", out_), 0);
  EXPECT_EQ(out_.str(), "aaaa is stopping\nbbbb has stopped\n");
  EXPECT_THAT(requests("StopTask"), ElementsAre(R"({"cluster":"default","task":"aaaa","reason":"no longer needed"})",
                                                R"({"cluster":"default","task":"bbbb","reason":"no longer needed"})"));
}

TEST_F(TaskCommands, StopStopsNothingWhenOneTaskIsUnknown) {
  reply("ListTasks", R"({"taskArns":["arn:aws:ecs:r:0:task/default/aaaa"]})");
  reply("DescribeTasks", R"({"tasks":[]})");
  EXPECT_THROW(stop(options_, {"aa", "zz"}, "", out_), std::runtime_error);
  EXPECT_THAT(requests("StopTask"), IsEmpty());
}

TEST_F(TaskCommands, ATaskIsStoppedByTheNameOfItsFamily) {
  reply("ListTasks", kOneTask);
  reply("DescribeTasks", kRunningTask);
  reply("StopTask", R"({"task":{"lastStatus":"RUNNING"}})");
  EXPECT_EQ(stop(options_, {"train"}, "", out_), 0);
  EXPECT_EQ(out_.str(), "3fa94c1b2d77 is stopping\n");
}

TEST_F(TaskCommands, ATaskIsNotStoppedByTheNameOfTheServiceThatReplacesIt) {
  reply("ListTasks", kOneTask);
  reply("StopTask", R"({"task":{"lastStatus":"RUNNING"}})");
  reply("DescribeTasks", R"({"tasks":[{"taskArn":"arn:aws:ecs:r:0:task/default/3fa94c1b2d7700112233445566778899",
      "taskDefinitionArn":"arn:aws:ecs:r:0:task-definition/train:3","lastStatus":"RUNNING","group":"service:web"}]})");
  EXPECT_THAT(stop_error("web"), HasSubstr("`stoker service scale web 0`"));
  EXPECT_THAT(requests("StopTask"), IsEmpty());
  EXPECT_EQ(stop(options_, {"3fa9"}, "", out_), 0) << "the id of the same task";
}

TEST_F(TaskCommands, WaitFindsTheTaskOfAFamily) {
  reply("ListTasks", R"({"taskArns":["arn:aws:ecs:r:0:task/default/bbbb"]})");
  reply("DescribeTasks", kStoppedTask);
  EXPECT_EQ(wait(options_, {"old"}, out_), 0);
  EXPECT_EQ(out_.str(), "125\n");
}

constexpr char kTwoLines[] = R"({"container":"main","at":0,"stream":"stdout","text":"out"})"
                             "\n"
                             R"({"container":"side","at":1500,"stream":"stderr","text":"err"})"
                             "\n";
constexpr char kTwoContainers[] = R"({"tasks":[{"containers":[{"name":"main"},{"name":"side"}]}]})";

TEST_F(TaskCommands, LogsKeepTheStreamsAndNameTheContainers) {
  reply("ListTasks", R"({"taskArns":["arn:aws:ecs:r:0:task/default/aaaa"]})");
  reply("DescribeTasks", kTwoContainers);
  reply("/stoker/logs", kTwoLines);
  EXPECT_EQ(logs(options_, {.task = "aa"}, out_, err_), 0);
  EXPECT_EQ(out_.str(), "main | out\n");
  EXPECT_EQ(err_.str(), "side | err\n");
  EXPECT_THAT(requests("/stoker/logs"), ElementsAre("cluster=default&task=aaaa"));
}

TEST_F(TaskCommands, LogsOfOneContainerHaveNoNamesAndCanHaveTimes) {
  reply("ListTasks", R"({"taskArns":["arn:aws:ecs:r:0:task/default/aaaa"]})");
  reply("DescribeTasks", kTwoContainers);
  reply("/stoker/logs", kTwoLines);
  EXPECT_EQ(
      logs(options_, {.task = "aa", .container = "main", .follow = true, .timestamps = true, .tail = 2}, out_, err_),
      0);
  EXPECT_EQ(out_.str(), "1970-01-01T00:00:00Z out\n");
  EXPECT_EQ(err_.str(), "1970-01-01T00:00:01.500Z err\n");
  EXPECT_THAT(requests("/stoker/logs"), ElementsAre("cluster=default&task=aaaa&container=main&follow=true&tail=2"));
}

TEST_F(TaskCommands, LogsAsJsonAreOnOneStream) {
  reply("ListTasks", R"({"taskArns":["arn:aws:ecs:r:0:task/default/aaaa"]})");
  reply("DescribeTasks", kTwoContainers);
  reply("/stoker/logs", kTwoLines);
  options_.json = true;
  EXPECT_EQ(logs(options_, {.task = "aa"}, out_, err_), 0);
  EXPECT_EQ(out_.str(), kTwoLines);
  EXPECT_EQ(err_.str(), "");
}

TEST_F(TaskCommands, LogsOfAMissingContainerAreAnError) {
  reply("ListTasks", R"({"taskArns":["arn:aws:ecs:r:0:task/default/aaaa"]})");
  reply("DescribeTasks", kTwoContainers);
  EXPECT_EQ(logs_error({.task = "aa", .container = "web"}), "the task has no container web");
  EXPECT_THAT(requests("/stoker/logs"), IsEmpty());
}

TEST_F(TaskCommands, GpusAreATableOrJson) {
  reply("StokerListGpus", R"({"gpus":[{"gpuId":"GPU-1","index":2,"machine":"box-a","model":"Tesla T4",
      "totalMemoryInMiB":15360,"healthy":true,"sharingMode":"IDLE","remainingMemoryInMiB":15360,"holders":[]}]})");
  EXPECT_EQ(gpus(options_, false, out_), 0);
  EXPECT_EQ(out_.str(),
            "GPU  MACHINE  #  MODEL     MODE  UTIL  GiB USED  HELD BY\n"
            "1    box-a    2  Tesla T4  IDLE  ?     ?/15.0    -\n");
  options_.json = true;
  EXPECT_EQ(gpus(options_, false, err_), 0);
  EXPECT_THAT(err_.str(), HasSubstr(R"("gpuId":"GPU-1","index":2,"machine":"box-a")"));
}

TEST_F(TaskCommands, WithoutGpusTheClusterIsNamed) {
  reply("StokerListGpus", R"({"gpus":[]})");
  EXPECT_EQ(gpus(options_, false, out_), 0);
  EXPECT_EQ(out_.str(), "no GPUs in cluster default\n");
}

TEST_F(TaskCommands, NodesAreATable) {
  reply_machine();
  EXPECT_EQ(nodes(options_, false, out_), 0);
  EXPECT_EQ(out_.str(),
            "MACHINE  ID      STATUS  TASKS  CPU FREE  GiB FREE  GPU FREE  MODEL\n"
            "box-a    arn:m1  ACTIVE  1      0.0/0.0   0.0/0.0   -         -\n");
}

TEST_F(TaskCommands, ANameCannotControlTheTerminal) {
  reply("ListContainerInstances", R"({"containerInstanceArns":["arn:m1"]})");
  reply("DescribeContainerInstances",
        R"({"containerInstances":[{"containerInstanceArn":"arn:m1","ec2InstanceId":"a\u001b[2J","agentConnected":true,
            "healthStatus":{"details":[{"type":"CONTAINER_RUNTIME","status":"IMPAIRED","statusReason":"\u001b[31mred"}]}}]})");
  reply("DeregisterContainerInstance", R"({"containerInstance":{"status":"INACTIVE"}})");
  EXPECT_EQ(nodes(options_, false, out_), 0);
  const NodeArguments removal{.change = NodeChange::Remove, .machine = "arn:m1", .force = true};
  EXPECT_EQ(change_node(options_, removal, out_, out_), 0);
  EXPECT_EQ(out_.str().find('\x1b'), std::string::npos) << out_.str();
  EXPECT_THAT(out_.str(), HasSubstr("a?[2J accepts no tasks: ?[31mred\n"));
  EXPECT_THAT(out_.str(), HasSubstr("a?[2J was removed"));
}

TEST_F(TaskCommands, WithoutMachinesNodesShowsHowOneJoins) {
  reply("ListContainerInstances", R"({"containerInstanceArns":[]})");
  EXPECT_EQ(nodes(options_, false, out_), 0);
  EXPECT_EQ(out_.str(), "no machines in cluster default: see `stoker token` for how one joins\n");
}

TEST_F(TaskCommands, ADrainedMachineReportsItsRemainingTasks) {
  reply_machine();
  reply("UpdateContainerInstancesState",
        R"({"containerInstances":[{"runningTasksCount":1,"pendingTasksCount":1}],"failures":[]})");
  reply("UpdateContainerInstancesState", R"({"containerInstances":[{"runningTasksCount":0}],"failures":[]})");
  EXPECT_EQ(change_node(options_, {.change = NodeChange::Drain, .machine = "box-a", .force = false}, out_, err_), 0);
  EXPECT_EQ(change_node(options_, {.change = NodeChange::Drain, .machine = "box-a", .force = false}, out_, err_), 0);
  EXPECT_EQ(change_node(options_, {.change = NodeChange::Activate, .machine = "box-a", .force = false}, out_, err_), 0);
  EXPECT_EQ(out_.str(),
            "box-a gets no new tasks; 2 tasks are still on it\n"
            "box-a gets no new tasks; it has no tasks\n"
            "box-a gets tasks again\n");
  EXPECT_THAT(requests("UpdateContainerInstancesState").at(0), HasSubstr(R"("status":"DRAINING")"));
  EXPECT_THAT(requests("UpdateContainerInstancesState").at(2), HasSubstr(R"("status":"ACTIVE")"));
}

TEST_F(TaskCommands, AMachineThatCannotBeDrainedIsAnError) {
  reply_machine();
  reply("UpdateContainerInstancesState", R"({"containerInstances":[],"failures":[{"reason":"INACTIVE"}]})");
  try {
    change_node(options_, {.change = NodeChange::Drain, .machine = "box-a", .force = false}, out_, err_);
    FAIL() << "no error";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "box-a remains ACTIVE: INACTIVE");
  }
}

TEST_F(TaskCommands, RemoveSendsForceAndReportsTheMachine) {
  reply_machine();
  reply("DeregisterContainerInstance", R"({"containerInstance":{"status":"INACTIVE"}})");
  EXPECT_EQ(change_node(options_, {.change = NodeChange::Remove, .machine = "box-a", .force = true}, out_, err_), 0);
  EXPECT_THAT(out_.str(), HasSubstr("box-a was removed"));
  EXPECT_THAT(requests("DeregisterContainerInstance").at(0), HasSubstr(R"("force":true)"));
  options_.json = true;
  EXPECT_EQ(change_node(options_, {.change = NodeChange::Remove, .machine = "box-a"}, err_, out_), 0);
  EXPECT_EQ(err_.str(), R"({"status":"INACTIVE"})"
                        "\n");
}

}  // namespace
}  // namespace cli
