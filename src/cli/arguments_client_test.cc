// SPDX-License-Identifier: Apache-2.0
// The arguments of all commands that call the server, up to the requests that they send.
#include <gmock/gmock.h>

#include "cli/arguments.h"
#include "cli/fake_server.h"

namespace cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class ClientArguments : public FakeServer {
 protected:
  // Returns the error, or "" and the parsed command in command_.
  std::string parse(const std::string& line) {
    CLI::App app;
    app.require_subcommand(1);
    command_ = nullptr;
    add_cluster_commands(app, options_, command_);
    add_job_commands(app, options_, command_);
    add_server_commands(app, options_, command_);
    try {
      app.parse(line);
      return "";
    } catch (const CLI::ParseError& error) {
      return error.what();
    }
  }
  // Parses and runs it. Returns what it prints to standard output.
  std::string run_line(const std::string& line) {
    EXPECT_EQ(parse(line), "") << line;
    if (!command_) return "no command";
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    try {
      status_ = command_();
    } catch (const std::exception& error) {
      ADD_FAILURE() << line << ": " << error.what();
    }
    testing::internal::GetCapturedStderr();
    return testing::internal::GetCapturedStdout();
  }
  void reply_run() {
    reply_error("DescribeTaskDefinition", "ClientException", "Unable to describe task definition.");
    reply("RegisterTaskDefinition",
          R"({"taskDefinition":{"taskDefinitionArn":"arn:aws:ecs:r:0:task-definition/f:1"}})");
    reply("RunTask", R"({"tasks":[{"taskArn":"arn:aws:ecs:r:0:task/default/cafe01"}],"failures":[]})");
  }

  Command command_;
  int status_ = -1;
};

TEST_F(ClientArguments, OneCommandIsRequired) {
  EXPECT_NE(parse(""), "");
  EXPECT_NE(parse("no-such-command"), "");
  EXPECT_NE(parse("key"), "") << "key needs a subcommand";
  EXPECT_NE(parse("ps extra"), "");
}

TEST_F(ClientArguments, ClusterRegionAndJsonAreOptionsOfEveryClusterCommand) {
  for (const char* command : {"run image", "ps", "stop t", "logs t", "nodes", "nodes drain m", "gpus", "explain t",
                              "explain service s", "services", "service scale s 1", "service update s --force",
                              "service rollback s", "service events s", "service delete s", "groups", "group show g",
                              "group set g --max 1", "scaling", "scaling --group g", "scaling --service s -n 5",
                              "explain group g", "explain policy p"}) {
    options_ = {};
    ASSERT_EQ(parse(std::string(command) + " --cluster blue --region eu-west-1 --json --data /d"), "") << command;
    EXPECT_EQ(options_.cluster, "blue") << command;
    EXPECT_EQ(options_.region, "eu-west-1") << command;
    EXPECT_EQ(options_.data, "/d") << command;
    EXPECT_TRUE(options_.json) << command;
    EXPECT_TRUE(command_) << command;
  }
}

TEST_F(ClientArguments, DefaultsAreTheDefaultClusterAndRegion) {
  ASSERT_EQ(parse("ps"), "");
  EXPECT_EQ(options_.cluster, "default");
  EXPECT_EQ(options_.region, "us-east-1");
  EXPECT_FALSE(options_.json);
}

TEST_F(ClientArguments, RunSendsItsOptionsAsATaskDefinition) {
  reply_run();
  run_line(
      "run --json -d --gpus 2 --cpu 512 --memory 1000 -e A=1 -e B=2 --entrypoint sh --entrypoint -c --name f ocr -- "
      "python3 --flag x");
  EXPECT_EQ(status_, 0);
  EXPECT_THAT(requests("RegisterTaskDefinition"),
              ElementsAre(AllOf(HasSubstr(R"("family":"f")"), HasSubstr(R"("image":"ocr")"), HasSubstr(R"("cpu":512)"),
                                HasSubstr(R"("memory":1000)"), HasSubstr(R"("command":["python3","--flag","x"])"),
                                HasSubstr(R"("entryPoint":["sh","-c"])"),
                                HasSubstr(R"("environment":[{"name":"A","value":"1"},{"name":"B","value":"2"}])"))));
}

TEST_F(ClientArguments, RunSendsAGpuShare) {
  reply_run();
  run_line("run --json --detach --gpu-memory 8000 --gpu-compute 30 ocr");
  EXPECT_THAT(requests("RegisterTaskDefinition").at(0),
              HasSubstr(R"("nvidiaMps":{"memory":8000,"maxComputePercent":30})"));
}

TEST_F(ClientArguments, InvalidRunValuesAreRejectedWithTheOption) {
  EXPECT_THAT(parse("run"), HasSubstr("image"));
  EXPECT_THAT(parse("run --gpu-memory 0 x"), HasSubstr("--gpu-memory"));
  EXPECT_THAT(parse("run --gpu-compute 101 x"), HasSubstr("--gpu-compute"));
  EXPECT_THAT(parse("run --cpu 0 x"), HasSubstr("--cpu"));
  EXPECT_THAT(parse("run --cpu 512 --cpus 2 x"), HasSubstr("--cpu"));
}

TEST_F(ClientArguments, PsTakesAll) {
  reply("ListTasks", R"({"taskArns":[]})");
  EXPECT_THAT(run_line("ps"), HasSubstr("--all"));
  EXPECT_THAT(run_line("ps -a"), Not(HasSubstr("--all")));
}

TEST_F(ClientArguments, StopTakesSeveralTasksAndAReason) {
  reply("ListTasks", R"({"taskArns":["arn:aws:ecs:r:0:task/default/aaaa","arn:aws:ecs:r:0:task/default/bbbb"]})");
  reply("StopTask", R"({"task":{"lastStatus":"RUNNING"}})");
  run_line("stop aa bb --reason done");
  EXPECT_THAT(requests("StopTask"), ElementsAre(R"({"cluster":"default","task":"aaaa","reason":"done"})",
                                                R"({"cluster":"default","task":"bbbb","reason":"done"})"));
  EXPECT_THAT(parse("stop"), HasSubstr("task"));
}

TEST_F(ClientArguments, LogsTakesAContainerAndItsOptions) {
  reply("ListTasks", R"({"taskArns":["arn:aws:ecs:r:0:task/default/aaaa"]})");
  reply("DescribeTasks", R"({"tasks":[{"containers":[{"name":"web"}]}]})");
  reply("/stoker/logs", R"({"container":"web","at":0,"stream":"stdout","text":"hello"})"
                        "\n");
  EXPECT_EQ(run_line("logs aa web -f --tail 0 -t"), "1970-01-01T00:00:00Z hello\n");
  EXPECT_THAT(requests("/stoker/logs"), ElementsAre("cluster=default&task=aaaa&container=web&follow=true&tail=0"));
  EXPECT_THAT(parse("logs aa --tail -1"), HasSubstr("--tail"));
  EXPECT_THAT(parse("logs"), HasSubstr("task"));
}

constexpr const char* kAwslogsDefinition =
    R"({"taskDefinition":{"containerDefinitions":[{"name":"web","logConfiguration":{"logDriver":"awslogs",)"
    R"("options":{"awslogs-group":"g","awslogs-region":"eu-west-1","awslogs-stream-prefix":"p"}}}]}})";

TEST_F(ClientArguments, LogsOfContainersWithAwslogsComeFromCloudWatchLogs) {
  reply("ListTasks", R"({"taskArns":["arn:aws:ecs:r:0:task/default/aaaa"]})");
  reply("DescribeTasks", R"({"tasks":[{"taskArn":"arn:aws:ecs:r:0:task/default/aaaa","taskDefinitionArn":"f:1",)"
                         R"("lastStatus":"RUNNING","containers":[{"name":"web"}]}]})");
  reply("DescribeTasks", R"({"tasks":[{"taskArn":"arn:aws:ecs:r:0:task/default/aaaa","taskDefinitionArn":"f:1",)"
                         R"("lastStatus":"STOPPED","containers":[{"name":"web"}]}]})");
  reply("DescribeTaskDefinition", kAwslogsDefinition);
  reply("GetLogEvents", R"({"events":[{"timestamp":0,"message":"one"}],"nextForwardToken":"f/1"})");
  reply("GetLogEvents", R"({"events":[{"timestamp":1,"message":"two\n"}],"nextForwardToken":"f/2"})");
  reply("GetLogEvents", R"({"events":[],"nextForwardToken":"f/2"})");
  EXPECT_EQ(run_line("logs aa -f"), "one\ntwo\n");
  EXPECT_EQ(requests("GetLogEvents").at(0),
            R"({"logGroupName":"g","logStreamName":"p/web/aaaa","startFromHead":true})");
  EXPECT_THAT(requests("GetLogEvents").at(1), HasSubstr(R"("nextToken":"f/1")"));
  EXPECT_THAT(requests("/stoker/logs"), IsEmpty());
}

TEST_F(ClientArguments, LogsOfATaskThatIsNoLongerDescribedAreFoundByItsId) {
  const std::string id = "0123456789abcdef0123456789abcdef";
  reply("ListTasks", R"({"taskArns":[]})");
  reply("ListTaskDefinitions", R"({"taskDefinitionArns":["f:1"]})");
  reply("DescribeTaskDefinition", kAwslogsDefinition);
  reply("GetLogEvents", R"({"events":[{"timestamp":0,"message":"old"}],"nextForwardToken":"f/1"})");
  reply("GetLogEvents", R"({"events":[{"timestamp":0,"message":"old"}],"nextForwardToken":"f/1"})");
  reply("GetLogEvents", R"({"events":[],"nextForwardToken":"f/1"})");
  EXPECT_EQ(run_line("logs " + id), "old\n");
  EXPECT_THAT(requests("GetLogEvents").at(0), HasSubstr("p/web/" + id));
}

TEST_F(ClientArguments, NodesListsWithoutASubcommandAndChangesWithOne) {
  reply("ListContainerInstances", R"({"containerInstanceArns":["a"]})");
  reply("DescribeContainerInstances",
        R"({"containerInstances":[{"ec2InstanceId":"box-a","containerInstanceArn":"a"}]})");
  reply("UpdateContainerInstancesState", R"({"containerInstances":[{}],"failures":[]})");
  reply("DeregisterContainerInstance", R"({"containerInstance":{}})");
  EXPECT_THAT(run_line("nodes"), HasSubstr("MACHINE"));
  EXPECT_EQ(run_line("nodes drain box-a"), "box-a gets no new tasks; it has no tasks\n");
  EXPECT_EQ(run_line("nodes activate box-a"), "box-a gets tasks again\n");
  EXPECT_THAT(run_line("nodes remove --force box-a"), HasSubstr("box-a was removed"));
  EXPECT_THAT(requests("DeregisterContainerInstance").at(0), HasSubstr(R"("force":true)"));
  EXPECT_NE(parse("nodes drain"), "");
  EXPECT_NE(parse("nodes drain --force box-a"), "") << "only remove has --force";
  EXPECT_NE(parse("nodes paint box-a"), "");
}

TEST_F(ClientArguments, KeysTakeAnAccountOfTwelveDigits) {
  reply("CreateKey", R"({"key":{"id":"A","secret":"s","account":"123456789012","createdAt":0,"root":false}})");
  EXPECT_THAT(run_line("key create --account 123456789012"), HasSubstr("aws_access_key_id = A\n"));
  EXPECT_THAT(requests("CreateKey"), ElementsAre(R"({"account":"123456789012"})"));
  EXPECT_THAT(parse("key create --account 12"), HasSubstr("an account must have 12 digits"));
  EXPECT_THAT(parse("key import --account x"), HasSubstr("an account must have 12 digits"));
  EXPECT_NE(parse("key list --account 123456789012"), "");
}

TEST_F(ClientArguments, KeyDeleteNeedsAnId) {
  reply("DeleteKey", "{}");
  EXPECT_EQ(run_line("key delete AKIA"), "deleted AKIA\n");
  EXPECT_THAT(parse("key delete"), HasSubstr("id"));
}

TEST_F(ClientArguments, ServerCommandsHaveOnlyTheOptionsThatTheyUse) {
  EXPECT_EQ(parse("env --region r --json"), "");
  EXPECT_NE(parse("env --cluster c"), "");
  EXPECT_EQ(parse("status --region r --json"), "");
  EXPECT_NE(parse("status --cluster c"), "");
  EXPECT_EQ(parse("token --cluster c --region r --json"), "");
  EXPECT_EQ(parse("scrub --json"), "");
  EXPECT_NE(parse("scrub --region r"), "");
}

TEST_F(ClientArguments, ExplainNeedsOneArgumentAndReturnsItsStatus) {
  reply("StokerExplain", R"({"sentences":["no GPU free"]})");
  EXPECT_EQ(run_line("explain train"), "no GPU free\n");
  EXPECT_EQ(status_, 2);
  EXPECT_NE(parse("explain"), "");
  EXPECT_NE(parse("explain a b"), "");
}

TEST_F(ClientArguments, ExplainTakesAService) {
  reply("StokerExplain", R"({"sentences":["It is steady."],"serviceArn":"a"})");
  EXPECT_EQ(run_line("explain service web"), "It is steady.\n");
  EXPECT_EQ(status_, 0);
  EXPECT_THAT(requests("StokerExplain"), ElementsAre(R"({"cluster":"default","service":"web"})"));
  run_line("explain service");
  EXPECT_EQ(requests("StokerExplain").at(1), R"({"cluster":"default","taskDefinition":"service"})")
      << "one word is a task or a definition";
  EXPECT_NE(parse("explain service a b"), "");
  EXPECT_NE(parse("group"), "");
  EXPECT_NE(parse("group show"), "");
  EXPECT_NE(parse("group set g --min -1"), "");
  EXPECT_NE(parse("scaling --group g --service s"), "");
}

TEST_F(ClientArguments, ServiceNeedsASubcommandAndAName) {
  EXPECT_NE(parse("service"), "");
  EXPECT_NE(parse("service web"), "");
  for (const char* one : {"scale", "update --force", "rollback", "events", "delete"}) {
    EXPECT_THAT(parse("service " + std::string(one)), HasSubstr("service")) << one;
  }
  EXPECT_THAT(parse("service scale web"), HasSubstr("count"));
  EXPECT_NE(parse("service scale web -1"), "");
  EXPECT_NE(parse("service scale web many"), "");
  EXPECT_THAT(parse("service update web --min 101"), HasSubstr("--min"));
  EXPECT_THAT(parse("service update web --max 0"), HasSubstr("--max"));
  EXPECT_NE(parse("service rollback web --force"), "") << "only update and delete have --force";
}

TEST_F(ClientArguments, ParsingSendsNothing) {
  ASSERT_EQ(parse("gpus"), "");
  EXPECT_THAT(requests("StokerListGpus"), IsEmpty());
}

TEST_F(ClientArguments, SubmitTakesFilesAndOptions) {
  const std::string file = testing::TempDir() + "submitted_" + base::random_uuid();
  std::ofstream(file) << "x";
  reply("/pipelines/ocr", R"({"name":"ocr"})");
  reply("/pipelines/ocr/jobs", R"({"task_id":"j1","pipeline":"ocr","status":"QUEUED"})", 202);
  const std::string printed =
      run_line("submit ocr " + file + " --id j1 --metadata a=b --metadata c== --priority 3 --webhook http://x/");
  std::filesystem::remove(file);
  EXPECT_EQ(printed, "j1  " + file + "\n");
  EXPECT_THAT(targets("/pipelines/ocr/jobs"),
              ElementsAre(AllOf(HasSubstr("priority=3"), HasSubstr("metadata.a=b"), HasSubstr("metadata.c=%3D"))));
  for (const char* line : {"submit", "submit ocr", "submit ocr a --priority 10", "submit ocr a --metadata x",
                           "submit ocr a --metadata =x"}) {
    EXPECT_NE(parse(line), "") << line;
  }
}

TEST_F(ClientArguments, JobsAndJobNameTheirRequests) {
  reply("/jobs", R"({"jobs":[],"next_cursor":null})");
  EXPECT_EQ(run_line("jobs ocr --status failed --limit 5"), "no jobs of ocr with status FAILED\n");
  EXPECT_THAT(requests("/jobs"), ElementsAre("limit=5&pipeline=ocr&status=FAILED"));
  reply("/jobs/j1", R"({"task_id":"j1","pipeline":"ocr","status":"QUEUED"})");
  EXPECT_THAT(run_line("job show j1 --pipeline ocr"), HasSubstr("QUEUED"));
  reply("/jobs/j1/result", "{}");
  EXPECT_EQ(run_line("job result j1"), "{}");
  for (const char* line : {"jobs --status no", "jobs --limit 0", "job", "job show", "job delete j1"}) {
    EXPECT_NE(parse(line), "") << line;
  }
}

}  // namespace
}  // namespace cli
