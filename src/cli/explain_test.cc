// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <sstream>

#include "cli/explanation.h"
#include "cli/fake_server.h"

namespace cli {
namespace {

using shapes::stoker::StokerExplainResponse;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string text_of(const StokerExplainResponse& explanation) {
  std::ostringstream out;
  print_explanation(out, explanation);
  return out.str();
}

TEST(Explanation, HasSentencesWithShortIds) {
  StokerExplainResponse explanation;
  explanation.sentences = {"held by task 3fa94c1b2d7700112233445566778899", "second"};
  EXPECT_EQ(text_of(explanation), "held by task 3fa94c1b2d77\nsecond\n");
  explanation.machines.emplace();
  EXPECT_EQ(text_of(explanation), "held by task 3fa94c1b2d77\nsecond\n") << "an empty table is not printed";
}

TEST(Explanation, HasATableOfMachinesWithReasons) {
  StokerExplainResponse explanation;
  explanation.sentences = {"no GPU free"};
  explanation.machines = {{"box-a", "", false, "RESOURCE:GPU", "box-a: 0 of 2 GPUs are free"}, {"box-b", "", true}};
  explanation.more = true;
  EXPECT_EQ(text_of(explanation),
            "no GPU free\n"
            "\n"
            "MACHINE  FITS  WHY NOT\n"
            "box-a    no    0 of 2 GPUs are free [RESOURCE:GPU]\n"
            "box-b    yes\n"
            "more machines are not shown\n");
}

class Explain : public FakeServer {
 protected:
  void reply_tasks() { reply("ListTasks", R"({"taskArns":["arn:aws:ecs:r:0:task/default/cafe01"]})"); }
  std::string explain_error(const std::string& what) {
    try {
      explain(options_, what, out_);
      return "";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }

  std::ostringstream out_;
};

TEST_F(Explain, ATaskIsFoundByItsPrefix) {
  reply_tasks();
  reply("StokerExplain",
        R"({"sentences":["It runs."],"state":{"task":{},"since":0,"machine":"box-a","agentConnected":true}})");
  EXPECT_EQ(explain(options_, "cafe", out_), 0);
  EXPECT_EQ(out_.str(), "It runs.\n");
  EXPECT_THAT(requests("StokerExplain"), ElementsAre(R"({"cluster":"default","task":"cafe01"})"));
}

TEST_F(Explain, ANameThatIsNotHexadecimalIsADefinition) {
  reply("StokerExplain",
        R"({"sentences":["It fits."],"placement":{"machine":"box-a","containerInstanceArn":"a","gpuIds":[]}})");
  EXPECT_EQ(explain(options_, "train:3", out_), 0);
  EXPECT_THAT(requests("StokerExplain"), ElementsAre(R"({"cluster":"default","taskDefinition":"train:3"})"));
  EXPECT_THAT(requests("ListTasks"), IsEmpty());
}

TEST_F(Explain, ADefinitionListsItsTasksAndAllThatIsMissingTheNearestFirst) {
  reply("StokerExplain", R"({"sentences":["train:3 can't be placed now."],"taskDefinitionArn":"arn:aws:ecs:r:0:task-definition/train:3",
      "machines":[{"machine":"box","containerInstanceArn":"arn:x/aaaaaaaa1","fits":false,"reason":"RESOURCE:GPU","detail":"box: no GPU"},
                  {"machine":"box","containerInstanceArn":"arn:x/bbbbbbbb1","fits":false,"reason":"RESOURCE:GPU","detail":"box: no GPU"}]})");
  reply("ListContainerInstances", R"({"containerInstanceArns":["arn:x/aaaaaaaa1","arn:x/bbbbbbbb1"]})");
  reply("DescribeContainerInstances", R"({"containerInstances":[
      {"ec2InstanceId":"box","containerInstanceArn":"arn:x/aaaaaaaa1","remainingResources":[{"name":"MEMORY","integerValue":100}],
       "registeredResources":[{"name":"MEMORY","integerValue":1000},{"name":"GPU","stringSetValue":["1","2"]}]},
      {"ec2InstanceId":"box","containerInstanceArn":"arn:x/bbbbbbbb1","remainingResources":[{"name":"MEMORY","integerValue":1000}],
       "registeredResources":[{"name":"MEMORY","integerValue":1000},{"name":"GPU","stringSetValue":["3","4"]}]}]})");
  reply("StokerListGpus", R"({"gpus":[]})");
  reply("DescribeTaskDefinition", R"({"taskDefinition":{"containerDefinitions":[{"name":"main","memory":500,
      "resourceRequirements":[{"type":"GPU","value":"1"}]}]}})");
  reply("ListTasks", R"({"taskArns":["arn:aws:ecs:r:0:task/default/cafe01"]})");
  reply("ListTasks", R"({"taskArns":[]})");
  reply("DescribeTasks", R"({"tasks":[{"taskArn":"arn:aws:ecs:r:0:task/default/cafe01","lastStatus":"RUNNING",
      "taskDefinitionArn":"arn:aws:ecs:r:0:task-definition/train:2","containerInstanceArn":"arn:x/bbbbbbbb1"}]})");
  EXPECT_EQ(explain(options_, "train", out_), 2);
  EXPECT_EQ(out_.str(),
            "TASK    FAMILY:REV  STATUS   GPUS  MACHINE         STARTED  GROUP / BY\n"
            "cafe01  train:2     RUNNING  -     box (bbbbbbbb)  -\n"
            "\n"
            "train:3 can't be placed now.\n"
            "\n"
            "MACHINE         FITS  WHY NOT\n"
            "box (bbbbbbbb)  no    1 GPU needed, 0 of 2 free [RESOURCE:GPU]\n"
            "box (aaaaaaaa)  no    1 GPU needed, 0 of 2 free; 500 MiB of memory needed, 100 of 1000 free [RESOURCE:GPU]\n");
  reply("ListTasks", R"({"taskArns":["arn:aws:ecs:r:0:task/default/cafe01"]})");
  reply("ListTasks", R"({"taskArns":[]})");
  out_.str("");
  options_.json = true;
  EXPECT_EQ(explain(options_, "train", out_), 2);
  EXPECT_THAT(out_.str(), HasSubstr(R"("lastStatus":"RUNNING","taskArn":"arn:aws:ecs:r:0:task/default/cafe01")"));
}

TEST_F(Explain, AHexadecimalNameWithoutATaskIsADefinition) {
  reply_tasks();
  reply("StokerExplain", R"({"sentences":[],"placement":{"machine":"box-a","containerInstanceArn":"a","gpuIds":[]}})");
  EXPECT_EQ(explain(options_, "beef", out_), 0);
  EXPECT_THAT(requests("StokerExplain"), ElementsAre(R"({"cluster":"default","taskDefinition":"beef"})"));
}

TEST_F(Explain, WhenNeitherExistsTheErrorIsAboutTheTask) {
  reply_tasks();
  reply_error("StokerExplain", "ClientException", "Unable to describe task definition.");
  EXPECT_EQ(explain_error("beef"), "no such task: beef in cluster default");
  EXPECT_EQ(explain_error("arn:aws:ecs:r:0:task/default/beef"), "no such task: beef in cluster default");
  EXPECT_EQ(explain_error("web"),
            "web: Unable to describe task definition. For others: `stoker explain service|group|policy NAME`");
}

TEST_F(Explain, ADefinitionThatFitsNowhereExitsWithTwo) {
  reply("StokerExplain", R"({"sentences":["no GPU free"]})");
  EXPECT_EQ(explain(options_, "train", out_), 2);
  EXPECT_EQ(out_.str(), "no GPU free\n");
  options_.json = true;
  EXPECT_EQ(explain(options_, "train", out_), 2);
  EXPECT_THAT(out_.str(), HasSubstr(R"({"sentences":["no GPU free"],"more":false})"));
}

}  // namespace
}  // namespace cli
