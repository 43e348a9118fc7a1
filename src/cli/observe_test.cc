// SPDX-License-Identifier: Apache-2.0
// Filters, formats, watching, events and inspect.
#include <gmock/gmock.h>

#include <sstream>

#include "cli/changes.h"
#include "cli/exec_commands.h"
#include "cli/fake_server.h"
#include "cli/log_stream.h"
#include "cli/ps_selection.h"
#include "cli/run_follow.h"
#include "cli/watch.h"

namespace cli {
namespace {

using namespace shapes::ecs;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kObservedTask[] = "arn:aws:ecs:r:0:task/default/3fa94c1b2d7700112233445566778899";

Task observed_task() {
  Task task;
  task.taskArn = kObservedTask;
  task.taskDefinitionArn = "arn:aws:ecs:r:0:task-definition/train:3";
  task.lastStatus = task.desiredStatus = "RUNNING";
  task.containerInstanceArn = "arn:m1";
  task.group = "service:web";
  task.startedBy = "alice";
  return task;
}

TaskContext observed_context() { return {{{"arn:m1", "box-a"}}, {}, base::from_seconds(1000)}; }

bool matches(const std::vector<std::string>& filters) { return parse_filters(filters).match(observed_task(), observed_context()); }

TEST(TaskFilter, KeysHaveToMatchAndValuesOfAKeyAreAlternatives) {
  EXPECT_TRUE(matches({}));
  EXPECT_TRUE(matches({"status=running", "family=train", "machine=box-a", "service=web", "started-by=alice", "id=3fa9"}));
  EXPECT_TRUE(matches({"status=STOPPED", "status=RUNNING"}));
  EXPECT_FALSE(matches({"status=STOPPED"}));
  EXPECT_FALSE(matches({"family=trai"}));
  EXPECT_FALSE(matches({"id=fa9"}));
  EXPECT_FALSE(matches({"status=RUNNING", "machine=box-b"}));
  EXPECT_THROW(parse_filters({"colour=red"}), std::runtime_error);
  EXPECT_THROW(parse_filters({"status"}), std::runtime_error);
}

TEST(TaskFormat, FieldsAreReplaced) {
  const auto text = [](const std::string& format) { return format_task(format, observed_task(), observed_context()); };
  EXPECT_EQ(text("{{.ShortID}}\t{{ .Status }} on {{.Machine}}"), "3fa94c1b2d77\tRUNNING on box-a");
  EXPECT_EQ(text("plain"), "plain");
  EXPECT_EQ(text("{{.Family}}/{{.Definition}}/{{.Service}}/{{.StartedBy}}"), "train/train:3/web/alice");
  EXPECT_NO_THROW(check_format("{{.ID}} {{.Reason}}"));
  EXPECT_THROW(check_format("{{.Colour}}"), std::runtime_error);
  EXPECT_THROW(check_format("{{.ID"), std::runtime_error);
}

TEST(Watch, OnlyChangesArePrinted) {
  EXPECT_EQ(watched_text("", "a\n", false), "a\n");
  EXPECT_EQ(watched_text("a\n", "a\n", false), "");
  EXPECT_EQ(watched_text("a\n", "b\n", false), "\nb\n");
  EXPECT_EQ(watched_text("a\n", "b\n", true), "\x1b[H\x1b[2Jb\n");
}

TEST(Changes, AreOfTasksAndMachines) {
  ClusterState before, after;
  ContainerInstance machine;
  machine.agentConnected = true;
  machine.status = "ACTIVE";
  after.machines["arn:m1"] = machine;
  after.machine_names["arn:m1"] = "box-a";
  after.tasks[kObservedTask] = observed_task();
  const base::Time now = base::from_seconds(1000);
  const auto texts = [&] {
    std::vector<std::string> out;
    for (const ClusterChange& change : changes_between(before, after, now)) out.push_back(change.text);
    return out;
  };
  EXPECT_THAT(texts(), ElementsAre("task 3fa94c1b2d77 of train:3 is RUNNING on box-a", "machine box-a joined: ACTIVE"));
  before = after;
  EXPECT_THAT(texts(), IsEmpty());
  Task& stopped = after.tasks[kObservedTask];
  stopped.lastStatus = stopped.desiredStatus = "STOPPED";
  stopped.containers = {{.name = "main", .exitCode = 1}};
  stopped.stoppedReason = "Essential container in task exited";
  after.machines["arn:m1"].agentConnected = false;
  EXPECT_THAT(texts(), ElementsAre("task 3fa94c1b2d77 of train:3 is STOPPED on box-a: exit 1: Essential container in task exited",
                                   "machine box-a is lost"));
  before = after;
  after.machines.clear();
  EXPECT_THAT(texts(), ElementsAre("machine box-a was removed"));
}

TEST(QueueText, HasThePositionAndWhatIsAhead) {
  std::vector<Task> waiting(5, observed_task());
  for (std::size_t i = 0; i < waiting.size(); ++i) waiting[i].taskArn = "t/" + std::to_string(i);
  EXPECT_EQ(queue_text(waiting, "0"), "waiting at position 1 of 5");
  EXPECT_EQ(queue_text(waiting, "1"), "waiting at position 2 of 5; before it: 0 of train:3");
  EXPECT_EQ(queue_text(waiting, "4"), "waiting at position 5 of 5; before it: 0 of train:3, 1 of train:3, 2 of train:3 and 1 more");
}

TEST(LogBytes, AreThoseThatTheContainerWrote) {
  LogLine line;
  line.text = "\x1b[31mred\x1b[0m";
  EXPECT_EQ(bytes_of(line), "\x1b[31mred\x1b[0m\n");
  line.text = " 10%\r";
  line.partial = true;
  EXPECT_EQ(bytes_of(line), " 10%\r");
  line.text = "?";
  line.base64 = "/w==";
  EXPECT_EQ(bytes_of(line), "\xff");
}

class ObserveCommands : public FakeServer {
 protected:
  std::ostringstream out_, err_;
};

TEST_F(ObserveCommands, APullIsShownWithItsDuration) {
  reply("StokerExplain", R"({"state":{"task":{"lastStatus":"PENDING"},"version":"1"}})");
  reply("StokerExplain", R"({"state":{"task":{"lastStatus":"PENDING"},"version":"2","pulls":[{"detail":"3 of 7 layers"}]}})");
  reply("StokerExplain", R"({"state":{"task":{"lastStatus":"RUNNING","pullStartedAt":100,"pullStoppedAt":112},"version":"3"}})");
  ClusterClient client(options_);
  show_pull(client, "aaaa", 80, err_);
  EXPECT_EQ(err_.str(), "\r\x1b[Kpulling the image: 3 of 7 layers\r\x1b[Kpulled the image in 12 s\n");
  EXPECT_THAT(requests("StokerExplain"),
              ElementsAre(R"({"cluster":"default","task":"aaaa","waitSeconds":10})",
                          R"({"cluster":"default","task":"aaaa","knownVersion":"1","waitSeconds":10})",
                          R"({"cluster":"default","task":"aaaa","knownVersion":"2","waitSeconds":10})"));
}

TEST_F(ObserveCommands, APullIsNotShownWhereTheServerDoesNotWait) {
  reply("StokerExplain", R"({"state":{"task":{"lastStatus":"PENDING"}}})");
  reply_error("StokerExplain", "UnknownOperationException", "no");
  ClusterClient client(options_);
  show_pull(client, "aaaa", 80, err_);
  show_pull(client, "aaaa", 80, err_);
  EXPECT_EQ(err_.str(), "");
}

TEST_F(ObserveCommands, PsShowsThePullsOfPendingTasksAmongTheReasons) {
  reply("ListTasks", R"({"taskArns":["t/aaaa","t/bbbb"]})");
  reply("ListTasks", R"({"taskArns":[]})");
  reply("DescribeTasks", R"({"tasks":[{"taskArn":"t/aaaa","taskDefinitionArn":"d/train:3","lastStatus":"RUNNING"},
      {"taskArn":"t/bbbb","taskDefinitionArn":"d/web:1","lastStatus":"PENDING"}]})");
  reply("ListContainerInstances", R"({"containerInstanceArns":[]})");
  reply("StokerListGpus", R"({"gpus":[]})");
  reply("StokerExplain", R"({"state":{"task":{},"version":"1","pulls":[{"detail":"3 of 7 layers"}]}})");
  EXPECT_EQ(ps(options_, {.format = "{{.ID}} {{.Reason}}"}, out_), 0);
  EXPECT_EQ(out_.str(), "aaaa \nbbbb pulling the image: 3 of 7 layers\n");
  EXPECT_THAT(requests("StokerExplain"), ElementsAre(R"({"cluster":"default","task":"bbbb"})"));
}

TEST_F(ObserveCommands, QuietPrintsTheIdsThatMatch) {
  reply("ListTasks", R"({"taskArns":["t/aaaa","t/bbbb"]})");
  reply("ListTasks", R"({"taskArns":[]})");
  reply("DescribeTasks", R"({"tasks":[{"taskArn":"t/aaaa","taskDefinitionArn":"d/train:3","lastStatus":"RUNNING"},
      {"taskArn":"t/bbbb","taskDefinitionArn":"d/web:1","lastStatus":"PENDING"}]})");
  EXPECT_EQ(ps(options_, {.quiet = true, .filters = {"family=web"}}, out_), 0);
  EXPECT_EQ(out_.str(), "bbbb\n");
}

TEST_F(ObserveCommands, WaitPrintsTheExitCodeOfEachTask) {
  reply("ListTasks", R"({"taskArns":["t/aaaa","t/bbbb"]})");
  reply("DescribeTasks", R"({"tasks":[{"lastStatus":"STOPPED","containers":[{"name":"a","exitCode":0},{"name":"b","exitCode":3}]}]})");
  reply("DescribeTasks", R"({"tasks":[{"lastStatus":"STOPPED","containers":[{"name":"a"}]}]})");
  EXPECT_EQ(wait(options_, {"aa", "bb"}, out_), 0);
  EXPECT_EQ(out_.str(), "3\n125\n");
}

TEST_F(ObserveCommands, InspectFindsWhateverHasTheName) {
  reply("ListTasks", R"({"taskArns":[]})");
  reply("ListContainerInstances", R"({"containerInstanceArns":["arn:m1"]})");
  reply("DescribeContainerInstances", R"({"containerInstances":[{"ec2InstanceId":"box-a","containerInstanceArn":"arn:m1"}]})");
  EXPECT_EQ(inspect(options_, {"box-a"}, out_), 0);
  EXPECT_EQ(out_.str(), "[{\"containerInstanceArn\":\"arn:m1\",\"ec2InstanceId\":\"box-a\"}]\n");
  reply("DescribeServices", R"({"services":[]})");
  reply_error("DescribeTaskDefinition", "ClientException", "Unable to describe task definition.");
  reply("StokerListGpus", R"({"gpus":[]})");
  try {
    inspect(options_, {"nothing"}, out_);
    FAIL() << "no error";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("has the name nothing in cluster default"));
  }
}

TEST_F(ObserveCommands, LogsOfAServiceAreThoseOfItsTasks) {
  reply("ListTasks", R"({"taskArns":["t/aaaa","t/bbbb"]})");
  reply("ListTasks", R"({"taskArns":[]})");
  reply("ListTasks", R"({"taskArns":["t/aaaa","t/bbbb"]})");
  reply("ListTasks", R"({"taskArns":[]})");
  reply("DescribeTasks", R"({"tasks":[{"taskArn":"t/aaaa","taskDefinitionArn":"d/web:3","lastStatus":"RUNNING",
      "group":"service:web","containers":[{"name":"main"}]},
      {"taskArn":"t/bbbb","taskDefinitionArn":"d/web:1","lastStatus":"RUNNING","group":"service:web","containers":[{"name":"main"}]}]})");
  reply("DescribeTaskDefinition", R"({"taskDefinition":{"containerDefinitions":[{"name":"main"}]}})");
  reply("/stoker/logs", "{\"container\":\"main\",\"at\":5000,\"stream\":\"stdout\",\"text\":\"old\"}\n"
                        "{\"container\":\"main\",\"at\":60000,\"stream\":\"stdout\",\"text\":\"new\"}\n");
  EXPECT_EQ(logs(options_, {.task = "web", .since = "30"}, out_, err_), 0);
  EXPECT_EQ(out_.str(), "aaaa | new\nbbbb | new\n");
}

TEST_F(ObserveCommands, LogsOfAFamilyGoOnAfterATaskWithoutOutput) {
  reply("ListTasks", R"({"taskArns":[]})");
  reply("ListTasks", R"({"taskArns":[]})");
  reply("ListTasks", R"({"taskArns":[]})");
  reply("ListTasks", R"({"taskArns":[]})");
  reply("ListTasks", R"({"taskArns":["t/aaaa","t/bbbb"]})");
  reply("DescribeTasks", R"({"tasks":[{"taskArn":"t/aaaa","taskDefinitionArn":"d/train:1","lastStatus":"STOPPED",
      "containers":[{"name":"main"}]},
      {"taskArn":"t/bbbb","taskDefinitionArn":"d/train:1","lastStatus":"STOPPED","containers":[{"name":"main"}]}]})");
  reply("DescribeTaskDefinition", R"({"taskDefinition":{"containerDefinitions":[{"name":"main"}]}})");
  reply_error("/stoker/logs", "ResourceNotFoundException", "The task stopped before it reached its machine");
  reply("/stoker/logs", "{\"container\":\"main\",\"at\":5000,\"stream\":\"stdout\",\"text\":\"trained\"}\n");
  EXPECT_EQ(logs(options_, {.task = "train"}, out_, err_), 1);
  EXPECT_EQ(out_.str(), "bbbb | trained\n");
  EXPECT_EQ(err_.str(), "stoker: task aaaa: The task stopped before it reached its machine\n");
}

TEST_F(ObserveCommands, TheFormatJsonIsATaskALine) {
  reply("ListTasks", R"({"taskArns":["t/aaaa","t/bbbb"]})");
  reply("ListTasks", R"({"taskArns":[]})");
  reply("DescribeTasks", R"({"tasks":[{"taskArn":"t/aaaa"},{"taskArn":"t/bbbb"}]})");
  EXPECT_EQ(ps(options_, {.format = "json"}, out_), 0);
  EXPECT_EQ(out_.str(), "{\"taskArn\":\"t/aaaa\"}\n{\"taskArn\":\"t/bbbb\"}\n");
}

TEST_F(ObserveCommands, AnOptionThatIsTakenForAContainerIsExplained) {
  reply("ListTasks", R"({"taskArns":["t/aaaa"]})");
  reply_error("StokerExec", "InvalidParameterException", "The container echo hi was not found in the task.");
  try {
    exec(options_, {.task = "aa", .container = "echo hi", .command = {"sh"}});
    FAIL() << "no error";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "The container echo hi was not found in the task. -c names a container: options of the "
                               "command go after --");
  }
}

TEST_F(ObserveCommands, AMissingClusterNamesThoseWithMachines) {
  reply_error("ListTasks", "ClusterNotFoundException", "Cluster not found.");
  reply("StokerListClusters", R"({"clusters":[{"name":"default","region":"eu-west-1","machines":2},
      {"name":"empty","region":"eu-west-1","machines":0}]})");
  options_.cluster = "blue";
  try {
    ps(options_, {}, out_);
    FAIL() << "no error";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "no such cluster: blue in region us-east-1; clusters with machines: default in eu-west-1 (2 machines)");
  }
}

}  // namespace
}  // namespace cli
