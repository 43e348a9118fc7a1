// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/tasks/explain.h"

#include "services/ecs/machines/departure.h"
#include "services/ecs/machines/live_gpus.h"
#include "services/ecs/machines/machines_fixture.h"

namespace services::ecs {
namespace {

using shapes::stoker::StokerExplainResponse;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class Explain : public MachinesTest {
 protected:
  Explain() {
    locals_.add<LiveGpus>();
    register_json(with_container(R"("resourceRequirements":[{"type":"GPU","value":"1"}])"));
  }

  void disconnect(const std::string& id) {
    with_call([&](Call& call) { set_connected(call, model::InstanceId(id), false); });
  }
  Task run_one(const std::string& family = "f") {
    return run_json(&run_task, R"({"taskDefinition":")" + family + "\"}").tasks->at(0);
  }
  void deliver(const std::string& instance, const Task& task) {
    with_call([&](Call& call) { set_delivered(call, admit(call, "default", instance), {*task.taskArn}); });
  }
  std::vector<std::string> sentences(const Task& task) {
    return run_json(&stoker_explain, R"({"task":")" + *task.taskArn + "\"}").sentences;
  }
  StokerExplainResponse explain_definition(const std::string& more = "") {
    return run_json(&stoker_explain, R"({"taskDefinition":"f")" + more + "}");
  }
};

TEST_F(Explain, ARunningTaskShowsItsMachineAndItsGpus) {
  const std::string id = add_machine("box-a", 1);
  const Task task = run_one();
  deliver(id, task);
  report(task, "RUNNING");
  now_ += std::chrono::seconds(90);
  EXPECT_THAT(sentences(task), ElementsAre("It has been RUNNING for 1 min 30 s on box-a.",
                                           "It holds all of GPU-box-a0 (V100), for container c.",
                                           "Container c is PENDING."));
}

TEST_F(Explain, ATaskOfADisconnectedMachineWaitsForTheAgent) {
  const std::string id = add_machine("box-a", 1);
  const Task task = run_one();
  disconnect(id);
  now_ += std::chrono::seconds(40);
  const auto lines = sentences(task);
  EXPECT_EQ(lines.at(0), "It has been PENDING for 40 s: it waits for the agent of box-a to connect.");
  EXPECT_EQ(lines.at(1),
            "The agent of box-a has been away for 40 s: start the agent, or stop the task and run it again elsewhere.");
}

TEST_F(Explain, APendingTaskShowsItsPulls) {
  const std::string id = add_machine("box-a", 1);
  const Task task = run_one();
  deliver(id, task);
  shapes::agent::StokerPull pull{.image = "busybox", .taskArns = {*task.taskArn}, .startedAt = base::to_millis(now_)};
  live_pulls_.put(model::InstanceId(id), now_, {{pull}});
  now_ += std::chrono::seconds(40);
  EXPECT_EQ(sentences(task).at(0), "It has been PENDING for 40 s: box-a has been pulling its images for 40 s.");
  pull.layers = 7;
  pull.layersDone = 3;
  live_pulls_.put(model::InstanceId(id), now_, {{pull}});
  const auto response = run_json(&stoker_explain, R"({"task":")" + *task.taskArn + "\"}");
  EXPECT_EQ(response.sentences.at(1), "The image busybox: 3 of 7 layers.");
  ASSERT_THAT(*response.state->pulls, SizeIs(1));
  EXPECT_EQ(response.state->pulls->at(0).layersDone, 3);
  report(task, "RUNNING");
  EXPECT_FALSE(run_json(&stoker_explain, R"({"task":")" + *task.taskArn + "\"}").state->pulls);
}

TEST_F(Explain, AnAnswerAboutATaskWaitsUntilItsVersionChanges) {
  const std::string id = add_machine("box-a", 1);
  const Task task = run_one();
  const std::string topic = state::task_topic(model::TaskId(task.taskArn->substr(task.taskArn->rfind('/') + 1)));
  std::optional<Wait> wait;
  const auto explain = [&](const std::string& known, base::Time started) {
    StokerExplainResponse response;
    with_call([&](Call& call) {
      call.started = started;
      response = stoker_explain(call, {.task = task.taskArn, .knownVersion = known, .waitSeconds = 10});
      wait = call.wait;
    });
    return response.state->version;
  };
  std::string version = explain("", now_);
  EXPECT_FALSE(wait) << "the first answer comes at once";
  EXPECT_EQ(explain(version, now_), version);
  ASSERT_TRUE(wait);
  EXPECT_EQ(wait->topic, topic);
  EXPECT_EQ(wait->until, now_ + std::chrono::seconds(10));
  explain(version, now_ - std::chrono::seconds(10));
  EXPECT_FALSE(wait) << "it has waited for ten seconds";

  const shapes::agent::StokerPull pull{.image = "busybox", .taskArns = {*task.taskArn}, .layers = 7};
  live_pulls_.put(model::InstanceId(id), now_, {{pull}});
  EXPECT_NE(std::exchange(version, explain(version, now_)), version);
  EXPECT_FALSE(wait);
  report(task, "RUNNING");
  EXPECT_THAT(wakes_, testing::Contains(topic));
  explain(version, now_);
  EXPECT_FALSE(wait);
}

TEST_F(Explain, OnlyAnAnswerAboutATaskWaitsAndNotForLong) {
  EXPECT_THAT(error_of(&stoker_explain, R"({"taskDefinition":"f","waitSeconds":1})"), HasSubstr("need a task"));
  EXPECT_THAT(error_of(&stoker_explain, R"({"taskDefinition":"f","knownVersion":"1"})"), HasSubstr("need a task"));
  for (const char* seconds : {"-1", "21"}) {
    EXPECT_THAT(error_of(&stoker_explain, std::string(R"({"task":"abc","waitSeconds":)") + seconds + "}"),
                HasSubstr("waitSeconds must be between 0 and 20."));
  }
}

TEST_F(Explain, AStoppedTaskShowsItsReasonAndItsExitCodes) {
  const std::string id = add_machine("box-a", 1);
  const Task task = run_one();
  deliver(id, task);
  report(task, "STOPPED", R"(,"reason":"Essential container in task exited","containers":[{"containerName":"c",
      "status":"STOPPED","exitCode":137,"reason":"OutOfMemoryError: Container killed due to memory usage"}])");
  now_ += std::chrono::seconds(5);
  const auto lines = sentences(task);
  EXPECT_THAT(lines.at(0), HasSubstr("It STOPPED 5 s ago on box-a: Essential container in task exited"));
  EXPECT_THAT(lines.back(), HasSubstr("Container c exited with 137 (SIGKILL"));
  EXPECT_THAT(lines.back(), HasSubstr("OutOfMemoryError"));
}

TEST_F(Explain, AStoppingTaskShowsSinceWhenAndWhy) {
  const std::string id = add_machine("box-a", 1);
  const Task task = run_one();
  deliver(id, task);
  run_json(&stop_task, R"({"task":")" + *task.taskArn + R"(","reason":"enough"})");
  now_ += std::chrono::seconds(3);
  const auto lines = sentences(task);
  EXPECT_EQ(lines.at(0), "Its stop was requested 3 s ago: enough (UserInitiated).");
  EXPECT_THAT(lines.at(1), HasSubstr("stopTimeout"));
}

TEST_F(Explain, ADefinitionThatFitsShowsItsPlacement) {
  add_machine("box-a", 2);
  add_machine("cpu", 0);
  const auto response = explain_definition();
  ASSERT_TRUE(response.placement);
  EXPECT_EQ(response.sentences.at(0), "f:1 could be placed now, on box-a with GPU-box-a0.");
  ASSERT_THAT(*response.machines, SizeIs(2));
  EXPECT_TRUE(response.machines->at(0).fits);
  EXPECT_EQ(response.machines->at(0).machine, "box-a");
  EXPECT_EQ(*response.machines->at(1).detail, "cpu: has no GPU");
  EXPECT_THAT(*run_json(&list_tasks, "{}").taskArns, IsEmpty());  // nothing was started
}

TEST_F(Explain, ADefinitionThatDoesNotFitShowsAReasonForEachMachine) {
  add_machine("box-a", 1);
  run_one();
  const std::string lost = add_machine("box-b", 1), gone = add_machine("box-c", 1);
  disconnect(lost);
  run_json(&deregister_container_instance, R"({"containerInstance":")" + gone + "\"}");
  now_ += std::chrono::seconds(40);
  const auto response = explain_definition();
  EXPECT_FALSE(response.placement);
  EXPECT_EQ(response.sentences.at(0), "f:1 can't be placed now on any of 3 machines.");
  EXPECT_THAT(response.sentences.at(1), HasSubstr("The nearest is box-a: no GPU free: 1 of 1 held by task"));
  std::map<std::string, std::string> details;
  for (const auto& verdict : *response.machines) details[verdict.machine] = *verdict.detail;
  EXPECT_EQ(details["box-b"], "box-b: its agent has been away for 40 s");
  EXPECT_EQ(details["box-c"], "box-c: was deregistered 40 s ago");
}

TEST_F(Explain, AClusterWithoutMachinesShowsHowToAddOne) {
  const auto response = explain_definition();
  EXPECT_THAT(*response.machines, IsEmpty());
  EXPECT_THAT(response.sentences.at(0), HasSubstr("has no machine"));
}

TEST_F(Explain, OverridesAndConstraintsCount) {
  add_machine("box-a", 2);
  EXPECT_FALSE(explain_definition(R"(,"overrides":{"containerOverrides":[{"name":"c",
      "resourceRequirements":[{"type":"GPU","value":"3"}]}]})").placement);
  EXPECT_FALSE(explain_definition(R"(,"placementConstraints":[{"type":"memberOf",
      "expression":"ec2InstanceId == box-z"}])").placement);
}

TEST_F(Explain, ATaskOrDefinitionMustExist) {
  EXPECT_THAT(error_of(&stoker_explain, "{}"), HasSubstr("Specify either a task, a task definition or a service."));
  EXPECT_THAT(error_of(&stoker_explain, R"({"task":"abc"})"), HasSubstr("task was not found"));
  EXPECT_THAT(error_of(&stoker_explain, R"({"taskDefinition":"none"})"), HasSubstr("TaskDefinition not found."));
}

TEST_F(Explain, GpusAreListedWithTheirLoadAndTheirHolders) {
  const std::string id = add_machine("box-a", 2);
  const Task one = run_one("share"), two = run_one("share");
  shapes::agent::StokerGpuSamples load;
  load.samples.push_back({.id = "GPU-box-a0", .utilizationPercent = 71, .memoryUsedInMiB = 9000});
  locals_.get<LiveGpus>().put(model::InstanceId(id), load);
  auto gpus = run_json(&stoker_list_gpus, "{}").gpus;
  ASSERT_THAT(gpus, SizeIs(2));
  EXPECT_EQ(gpus[0].sharingMode, "NVIDIA_MPS");
  EXPECT_EQ(gpus[0].remainingMemoryInMiB, 16384 - 12000);
  EXPECT_EQ(gpus[0].utilizationPercent, 71);
  ASSERT_THAT(gpus[0].holders, SizeIs(2));
  EXPECT_EQ(gpus[0].holders[1].taskArn, *two.taskArn);
  EXPECT_EQ(gpus[0].holders[1].sharedMemoryInMiB, 6000);
  EXPECT_EQ(gpus[0].holders[1].group, "family:share");
  EXPECT_EQ(gpus[1].index, 1);
  EXPECT_EQ(gpus[1].sharingMode, "IDLE");
  EXPECT_FALSE(gpus[1].utilizationPercent);
  disconnect(id);
  EXPECT_FALSE(run_json(&stoker_list_gpus, "{}").gpus[0].utilizationPercent);
}

TEST_F(Explain, GpusArePagedByMachine) {
  add_machine("a", 2);
  add_machine("b", 2);
  add_machine("cpu", 0);
  std::size_t seen = 0;
  std::string token;
  int pages = 0;
  do {
    auto page = run_json(&stoker_list_gpus, R"({"maxResults":1)" + (token.empty() ? "" : R"(,"nextToken":")" + token + "\"") + "}");
    seen += page.gpus.size();
    token = page.nextToken.value_or("");
    ++pages;
  } while (!token.empty());
  EXPECT_EQ(seen, 4u);
  EXPECT_EQ(pages, 3);
}

}  // namespace
}  // namespace services::ecs
