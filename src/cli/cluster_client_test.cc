// SPDX-License-Identifier: Apache-2.0
#include "cli/cluster_client.h"

#include <gmock/gmock.h>

#include "cli/fake_server.h"

namespace cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class ClusterClientTest : public FakeServer {
 protected:
  // The text of the exception that `call` throws, or "".
  template <class Call>
  std::string error_of(const Call& call) {
    try {
      ClusterClient client(options_);
      call(client);
      return "";
    } catch (const std::exception& error) {
      return error.what();
    }
  }
  std::string find_task(const std::string& text) {
    std::string id;
    const std::string error = error_of([&](ClusterClient& client) { id = client.find_task(text); });
    return error.empty() ? id : error;
  }
  std::string find_machine(const std::string& text) {
    std::string name;
    const std::string error =
        error_of([&](ClusterClient& client) { name = *client.find_instance(text).ec2InstanceId; });
    return error.empty() ? name : error;
  }
};

constexpr char kTwoPagesFirst[] = R"({"taskArns":["arn:aws:ecs:r:0:task/default/aaa1"],"nextToken":"page2"})";
constexpr char kTwoPagesLast[] = R"({"taskArns":["arn:aws:ecs:r:0:task/default/aab2"]})";
constexpr char kNoTasks[] = R"({"taskArns":[]})";

TEST_F(ClusterClientTest, ATaskIsFoundByIdPrefixAndArnOnAnyPage) {
  for (int i = 0; i < 4; ++i) {
    reply("ListTasks", kTwoPagesFirst);
    reply("ListTasks", kTwoPagesLast);
    reply("ListTasks", R"({"taskArns":["arn:aws:ecs:r:0:task/default/bbb3"]})");
  }
  EXPECT_EQ(find_task("aab"), "aab2");
  EXPECT_EQ(find_task("arn:aws:ecs:r:0:task/default/bbb3"), "bbb3");
  EXPECT_EQ(find_task("aa"), "aa is the prefix of 2 tasks: aaa1, aab2 in cluster default");
  EXPECT_EQ(find_task("x"), "no such task: x in cluster default");
  EXPECT_THAT(requests("ListTasks").at(0), HasSubstr(R"("desiredStatus":"RUNNING")"));
  EXPECT_THAT(requests("ListTasks").at(1), HasSubstr(R"("nextToken":"page2")"));
  EXPECT_THAT(requests("ListTasks").at(2), HasSubstr(R"("desiredStatus":"STOPPED")"));
}

TEST_F(ClusterClientTest, ATaskIsFoundByTheNameOfItsFamilyOrServiceIfItIsTheOnlyOne) {
  const auto find = [&](const std::string& text) {
    std::string id;
    const std::string error = error_of([&](ClusterClient& client) { id = client.find_task_or_name(text); });
    return error.empty() ? id : error;
  };
  reply("ListTasks", R"({"taskArns":["t/aaaa","t/bbbb","t/cccc"]})");
  reply("DescribeTasks", R"({"tasks":[
      {"taskArn":"t/aaaa","taskDefinitionArn":"d/train:3","lastStatus":"RUNNING","group":"family:train"},
      {"taskArn":"t/bbbb","taskDefinitionArn":"d/app:1","lastStatus":"RUNNING","group":"service:web"},
      {"taskArn":"t/cccc","taskDefinitionArn":"d/app:2","lastStatus":"RUNNING","group":"family:app"}]})");
  EXPECT_EQ(find("train"), "aaaa");
  EXPECT_EQ(find("train:3"), "aaaa");
  EXPECT_EQ(find("web"), "bbbb");
  EXPECT_EQ(find("cc"), "cccc") << "an id comes first";
  EXPECT_THAT(find("app"), HasSubstr("2 tasks have the name app: use an id (bbbb, cccc)"));
  EXPECT_EQ(find("train:4"), "no such task: train:4 in cluster default");
}

TEST_F(ClusterClientTest, TasksAreDescribedInPagesOfAHundred) {
  std::string arns;
  for (int i = 0; i < 150; ++i)
    arns += (i ? "," : "") + ("\"arn:aws:ecs:r:0:task/default/t" + std::to_string(i) + "\"");
  reply("ListTasks", R"({"taskArns":[)" + arns + "]}");
  reply("ListTasks", kNoTasks);
  reply("DescribeTasks", R"({"tasks":[{"lastStatus":"RUNNING"}]})");
  EXPECT_THAT(ClusterClient(options_).running_tasks(), SizeIs(2));
  ASSERT_THAT(requests("DescribeTasks"), SizeIs(2));
  EXPECT_THAT(requests("DescribeTasks").at(0), HasSubstr("\"t99\""));
  EXPECT_THAT(requests("DescribeTasks").at(1), HasSubstr("\"t100\""));
}

TEST_F(ClusterClientTest, AStoppingTaskCountsAsRunningUntilItHasStopped) {
  reply("ListTasks", kNoTasks);
  reply("ListTasks", R"({"taskArns":["arn:aws:ecs:r:0:task/default/t1","arn:aws:ecs:r:0:task/default/t2"]})");
  reply("DescribeTasks",
        R"({"tasks":[{"taskArn":"t1","lastStatus":"DEACTIVATING"},{"taskArn":"t2","lastStatus":"STOPPED"}]})");
  ClusterClient client(options_);
  const auto running = client.running_tasks();
  ASSERT_THAT(running, SizeIs(1));
  EXPECT_EQ(running[0].taskArn, "t1");
  const auto stopped = client.stopped_tasks();
  ASSERT_THAT(stopped, SizeIs(1));
  EXPECT_EQ(stopped[0].taskArn, "t2");
}

TEST_F(ClusterClientTest, ATaskThatHasDisappearedIsAnError) {
  reply("DescribeTasks", R"({"tasks":[]})");
  EXPECT_EQ(error_of([](ClusterClient& client) { client.describe_task("t1"); }), "task t1 no longer exists");
}

TEST_F(ClusterClientTest, MachinesAreSortedByNameAndFoundByNameIdOrPrefix) {
  reply("ListContainerInstances", R"({"containerInstanceArns":["a"]})");
  reply("DescribeContainerInstances", R"({"containerInstances":[
      {"ec2InstanceId":"box-b","containerInstanceArn":"arn:aws:ecs:r:0:container-instance/default/f00d"},
      {"ec2InstanceId":"box-a","containerInstanceArn":"arn:aws:ecs:r:0:container-instance/default/beef"},
      {"ec2InstanceId":"twin","containerInstanceArn":"arn:aws:ecs:r:0:container-instance/default/1111"},
      {"ec2InstanceId":"twin","containerInstanceArn":"arn:aws:ecs:r:0:container-instance/default/2222"}]})");
  std::vector<std::string> names;
  for (const auto& instance : ClusterClient(options_).instances()) names.push_back(*instance.ec2InstanceId);
  EXPECT_THAT(names, ElementsAre("box-a", "box-b", "twin", "twin"));
  EXPECT_EQ(find_machine("box-b"), "box-b");
  EXPECT_EQ(find_machine("bee"), "box-a");
  EXPECT_EQ(find_machine("arn:aws:ecs:r:0:container-instance/default/f00d"), "box-b");
  EXPECT_EQ(find_machine("twin"), "several machines have the name twin: use an id (1111, 2222)");
  EXPECT_EQ(find_machine("2222"), "twin");
  EXPECT_EQ(find_machine("box"), "no such machine: box in cluster default");
}

TEST_F(ClusterClientTest, GpusOfAllPagesAreSortedByMachineAndIndex) {
  reply("StokerListGpus", R"({"gpus":[{"gpuId":"g3","machine":"b","index":0},{"gpuId":"g2","machine":"a","index":1}],
      "nextToken":"more"})");
  reply("StokerListGpus", R"({"gpus":[{"gpuId":"g1","machine":"a","index":0}]})");
  std::vector<std::string> ids;
  for (const auto& gpu : ClusterClient(options_).gpus()) ids.push_back(gpu.gpuId);
  EXPECT_THAT(ids, ElementsAre("g1", "g2", "g3"));
}

TEST_F(ClusterClientTest, AMissingClusterIsExplained) {
  reply_error("ListTasks", "ClusterNotFoundException", "Cluster not found.");
  EXPECT_THAT(find_task("t"), HasSubstr("the first machine that joins creates it"));
  options_.cluster = "blue";
  EXPECT_EQ(find_task("t"), "no such cluster: blue in region us-east-1");
}

TEST_F(ClusterClientTest, OtherErrorsKeepTheirCode) {
  reply_error("ListTasks", "AccessDeniedException", "No.");
  try {
    ClusterClient(options_).find_task("t");
    FAIL() << "no error";
  } catch (const wire::ApiError& error) {
    EXPECT_EQ(error.code(), "AccessDeniedException");
    EXPECT_EQ(error.message(), "No.");
  }
}

TEST(MachineNames, AreByArn) {
  shapes::ecs::ContainerInstance named, unnamed;
  named.containerInstanceArn = "arn-1";
  named.ec2InstanceId = "box-a";
  unnamed.containerInstanceArn = "arn-2";
  EXPECT_THAT(machine_names({named, unnamed}),
              ElementsAre(testing::Pair("arn-1", "box-a"), testing::Pair("arn-2", "")));
}

}  // namespace
}  // namespace cli
