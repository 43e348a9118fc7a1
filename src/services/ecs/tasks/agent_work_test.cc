// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/tasks/agent_work.h"

#include "services/ecs/machines/machines_fixture.h"
#include "services/ecs/tasks/report.h"
#include "state/keys.h"

namespace services::ecs {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class AgentWork : public MachinesTest {
 protected:
  Work look(const std::string& instance, const std::set<std::string>& sent = {}) {
    Work work;
    with_call([&](Call& call) { work = work_for(call, admit(call, "default", instance), sent); });
    return work;
  }
  void deliver(const std::string& instance, const std::string& arn) {
    with_call([&](Call& call) { set_delivered(call, admit(call, "default", instance), {arn}); });
  }
  std::vector<shapes::agent::IAMRoleCredentialsMessage> renew(const std::string& instance) {
    std::vector<shapes::agent::IAMRoleCredentialsMessage> messages;
    with_call([&](Call& call) { messages = renewed_credentials(call, admit(call, "default", instance)); });
    return messages;
  }
  void acknowledge(const std::string& instance, const shapes::agent::Credentials& credentials) {
    with_call([&](Call& call) {
      acknowledge_credentials(call, admit(call, "default", instance), {"m", credentials.expiration, credentials.credentialsId});
    });
  }
  std::string error_of_look(const std::string& instance) {
    try {
      look(instance);
    } catch (const wire::ApiError& error) {
      return error.code();
    }
    return "";
  }
};

TEST_F(AgentWork, ATaskWithoutARoleHasNoCredentials) {
  const std::string id = add_machine("a", 1);
  run_family("plain");
  const shapes::agent::Task task = look(id).tasks.at(0);
  EXPECT_FALSE(task.roleCredentials);
  EXPECT_FALSE(task.executionRoleCredentials);
}

TEST_F(AgentWork, ContainersOfAmazonsAgentUseThisServer) {
  caller_.endpoint = "http://10.0.0.1:4566";
  const std::string id = add_machine("a", 1);
  run_family("plain");
  EXPECT_EQ(look(id).tasks.at(0).containers.at(0).environment.at("AWS_ENDPOINT_URL"), caller_.endpoint);
}

TEST_F(AgentWork, OurAgentSetsTheEnvironmentItself) {
  const std::string id = add_machine("a", 1);
  with_call([&](Call& call) {
    auto instance = *load_instance(call.tx, model::InstanceId(id));
    instance.body.attributes->push_back({.name = "stoker.agent"});
    update_instance(call.tx, instance);
  });
  run_family("plain");
  EXPECT_THAT(look(id).tasks.at(0).containers.at(0).environment, IsEmpty());
}

TEST_F(AgentWork, ADefinitionMayNameAnotherServer) {
  const std::string id = add_machine("a", 1);
  run_family("plain", R"("overrides":{"containerOverrides":[{"name":"c",
      "environment":[{"name":"AWS_ENDPOINT_URL","value":"http://x"}]}]})");
  EXPECT_EQ(look(id).tasks.at(0).containers.at(0).environment.at("AWS_ENDPOINT_URL"), "http://x");
}

TEST_F(AgentWork, LostCredentialsAreSentUntilTheyAreAcknowledged) {
  const std::string id = add_machine("a", 1);
  run_family("one");
  const shapes::agent::Task task = look(id).tasks.at(0);
  deliver(id, task.arn);
  EXPECT_THAT(renew(id), IsEmpty());
  with_call([&](Call& call) { mark_credentials_lost(call, admit(call, "default", id)); });
  EXPECT_THAT(renew(id), SizeIs(1));
  const auto again = renew(id);
  ASSERT_THAT(again, SizeIs(1));
  EXPECT_EQ(again[0].roleCredentials, *task.roleCredentials);
  acknowledge(id, again[0].roleCredentials);
  EXPECT_THAT(renew(id), IsEmpty());
}

TEST_F(AgentWork, CredentialsOfAnExecutionRoleAloneAreAcknowledged) {
  const std::string id = add_machine("a", 1);
  run_family("plain", R"("overrides":{"executionRoleArn":"exec"})");
  const shapes::agent::Task task = look(id).tasks.at(0);
  ASSERT_FALSE(task.roleCredentials);
  deliver(id, task.arn);
  now_ += std::chrono::minutes(301);
  const auto renewed = renew(id);
  ASSERT_THAT(renewed, SizeIs(1));
  acknowledge(id, renewed[0].roleCredentials);
  EXPECT_THAT(renew(id), IsEmpty());
}

TEST_F(AgentWork, AMessageWritesATaskOnceHoweverOftenItRepeatsItself) {
  const std::string id = add_machine("a", 1);
  const Task task = run_family("plain").tasks->at(0);
  report(task, "RUNNING");
  const auto before = *describe(task).version;
  shapes::agent::PublishHealthRequest request;
  for (const char* status : {"HEALTHY", "UNHEALTHY", "HEALTHY", "UNHEALTHY"}) {
    request.tasks.push_back({*task.taskArn, {{"c", status}}});
  }
  with_call([&](Call& call) { store_health(call, admit(call, "default", id), request); });
  EXPECT_EQ(*describe(task).version, before + 1);
}

TEST_F(AgentWork, ARepeatedReportChangesNothingAndWakesNobody) {
  add_machine("a", 1);
  const Task task = run_family("plain").tasks->at(0);
  const std::string more = R"(,"containers":[{"containerName":"c","status":"RUNNING","runtimeId":"abc"}])";
  report(task, "RUNNING", more);
  const auto before = *describe(task).version;
  report(task, "RUNNING", more);
  EXPECT_THAT(wakes_, IsEmpty());
  run_json(&submit_container_state_change,
           R"({"task":")" + *task.taskArn + R"(","containerName":"c","status":"RUNNING","runtimeId":"abc"})");
  EXPECT_THAT(wakes_, IsEmpty());
  EXPECT_EQ(*describe(task).version, before);
}

// All tasks of a deployment run the image with the digest that the first one reports.
TEST_F(AgentWork, AnInvalidDigestIsIgnored) {
  add_machine("a", 1);
  const Task task = run_family("plain").tasks->at(0);
  report(task, "RUNNING", R"(,"containers":[{"containerName":"c","imageDigest":"sha256:0 --privileged"}])");
  EXPECT_EQ(describe(task).containers->at(0).imageDigest, std::nullopt);
  report(task, "RUNNING", R"(,"containers":[{"containerName":"c","imageDigest":"sha256:0a1b"}])");
  EXPECT_EQ(describe(task).containers->at(0).imageDigest, "sha256:0a1b");
}

TEST_F(AgentWork, TextsOfReportsAreCut) {
  const std::string id = add_machine("a", 1);
  const Task task = run_family("plain").tasks->at(0);
  const std::string text(1000, 'x');
  report(task, "RUNNING", R"(,"containers":[{"containerName":"c","networkBindings":[{"bindIP":")" + text + R"("}]}])");
  EXPECT_EQ(describe(task).containers->at(0).networkBindings->at(0).bindIP->size(), 255u);
  with_call([&](Call& call) { store_gpus(call, model::InstanceId(id), {{{"GPU-a0", text, 1, false, text + text}}}); });
  with_call([&](Call& call) {
    const auto gpus = load_instance(call.tx, model::InstanceId(id))->gpus.gpus;
    EXPECT_EQ(gpus.at(0).model.size(), 255u);
    EXPECT_EQ(gpus.at(0).trouble->size(), 1000u);
  });
}

TEST_F(AgentWork, ATaskWithExecuteCommandHasItsManagedAgent) {
  const std::string id = add_machine("a", 2);
  run_family("one", R"("enableExecuteCommand":true)");
  run_family("one");
  const auto tasks = look(id).tasks;
  ASSERT_THAT(tasks, SizeIs(2));
  std::size_t with_agent = 0;
  for (const shapes::agent::Task& task : tasks) {
    const auto& agents = task.containers.at(0).managedAgents;
    if (!agents) continue;
    EXPECT_EQ(agents->at(0).name, "ExecuteCommandAgent");
    ++with_agent;
  }
  EXPECT_EQ(with_agent, 1u);
}

TEST_F(AgentWork, CredentialsAreScopedToATask) {
  const std::string id = add_machine("a", 1);
  run_family("one");
  const shapes::agent::Task task = look(id).tasks.at(0);
  with_call([&](Call& call) {
    EXPECT_EQ(state::find_key(call.tx, task.roleCredentials->accessKeyId)->scope, state::KeyScope::Task);
  });
}

TEST_F(AgentWork, RenewedCredentialsKeepTheirId) {
  const std::string id = add_machine("a", 1);
  run_family("one");
  const shapes::agent::Task task = look(id).tasks.at(0);
  deliver(id, task.arn);
  acknowledge(id, *task.roleCredentials);
  EXPECT_THAT(renew(id), IsEmpty());
  now_ += std::chrono::minutes(301);
  const auto renewed = renew(id);
  ASSERT_THAT(renewed, SizeIs(1));
  EXPECT_EQ(renewed[0].roleCredentials.credentialsId, task.roleCredentials->credentialsId);
  EXPECT_NE(renewed[0].roleCredentials.accessKeyId, task.roleCredentials->accessKeyId);
}

TEST_F(AgentWork, RenewedCredentialsAreSentUntilTheAgentAcknowledgesThem) {
  const std::string id = add_machine("a", 1);
  run_family("one");
  const shapes::agent::Task task = look(id).tasks.at(0);
  deliver(id, task.arn);
  acknowledge(id, *task.roleCredentials);
  now_ += std::chrono::minutes(301);
  const auto first = renew(id);
  now_ += std::chrono::minutes(10);
  acknowledge(id, *task.roleCredentials);  // of the key before
  const auto second = renew(id);
  ASSERT_THAT(second, SizeIs(1));
  EXPECT_EQ(second[0].roleCredentials.accessKeyId, first[0].roleCredentials.accessKeyId);
  acknowledge(id, second[0].roleCredentials);
  EXPECT_THAT(renew(id), IsEmpty());
}

TEST_F(AgentWork, ASessionForgetsWhatItSentOfAStoppedTask) {
  const std::string id = add_machine("a", 2);
  const Task first = run_family("one").tasks->at(0);
  Work work = look(id);
  deliver(id, *first.taskArn);
  run_family("one");
  work = look(id, work.sent);
  EXPECT_THAT(work.tasks, SizeIs(1));
  EXPECT_THAT(work.sent, SizeIs(1));
  EXPECT_THAT(look(id, work.sent).tasks, IsEmpty());
}

TEST_F(AgentWork, AStopIsSentAfterTwentyTasksWereSent) {
  const std::string id = add_machine("a", 0);
  std::vector<Task> tasks;
  for (int i = 0; i < 25; ++i) tasks.push_back(run_family("plain").tasks->at(0));
  Work first = look(id);
  EXPECT_THAT(first.tasks, SizeIs(20));
  EXPECT_TRUE(first.more);
  Work rest = look(id, first.sent);
  EXPECT_THAT(rest.tasks, SizeIs(5));
  EXPECT_FALSE(rest.more);
  run_json(&stop_task, R"({"task":")" + *tasks.back().taskArn + "\"}");
  const Work stop = look(id, rest.sent);
  ASSERT_THAT(stop.tasks, SizeIs(1));
  EXPECT_EQ(stop.tasks[0].desiredStatus, "STOPPED");
}

TEST_F(AgentWork, ASessionEndsWithTheKeyThatOpenedIt) {
  const std::string id = add_machine("a", 0);
  EXPECT_EQ(error_of_look(id), "");
  with_call([&](Call& call) { state::delete_key(call.tx, caller_.access_key); });
  EXPECT_EQ(error_of_look(id), "AccessDeniedException");
}

TEST_F(AgentWork, ASessionEndsWithItsInstance) {
  const std::string id = add_machine("a", 0);
  Admitted home;
  with_call([&](Call& call) { home = admit(call, "default", id); });
  run_json(&deregister_container_instance, R"({"containerInstance":")" + id + "\"}");
  with_call([&](Call& call) { EXPECT_THROW(work_for(call, home, {}), wire::ApiError); });
}

TEST_F(AgentWork, ASnapshotShowsWhetherThereIsSomethingToSend) {
  const std::string id = add_machine("a", 1);
  const Task task = run_family("one").tasks->at(0);
  const auto unsent = [&](const std::set<std::string>& sent) {
    Unsent found;
    store_->read_now([&](store::Tx& tx) {
      Call call{tx, caller_, now_, now_, &locals_};
      found = look_for_work(call, admit(call, "default", id), sent);
    });
    return found;
  };
  EXPECT_THAT(unsent({}).positions, SizeIs(1));
  const Work work = look(id);
  EXPECT_THAT(unsent(work.sent).positions, IsEmpty());
  EXPECT_EQ(unsent(work.sent).sent, work.sent);
  run_json(&stop_task, R"({"task":")" + *task.taskArn + "\"}");
  EXPECT_THAT(unsent(work.sent).positions, SizeIs(1)) << "its desired status has changed";
}

TEST(FindUnsent, APayloadHasALimitedNumberOfTasks) {
  std::vector<state::Task> tasks(45);
  for (std::size_t i = 0; i < tasks.size(); ++i) tasks[i].id = model::TaskId("t" + std::to_string(i));
  const Unsent first = find_unsent(tasks, {"t0/RUNNING", "gone/RUNNING"});
  EXPECT_THAT(first.positions, SizeIs(20));
  EXPECT_EQ(first.positions[0], 1u);
  EXPECT_TRUE(first.more);
  EXPECT_THAT(first.sent, testing::ElementsAre("t0/RUNNING"));
  tasks.resize(20);
  EXPECT_FALSE(find_unsent(tasks, {}).more);
}

TEST_F(AgentWork, AnAgentReportsOnlyContainersOfTheDefinition) {
  const std::string id = add_machine("a", 1);
  const Task task = run_family("plain").tasks->at(0);
  report(task, "", R"(,"containers":[{"containerName":"invented","status":"RUNNING"},{"containerName":"c","status":"RUNNING"}])");
  run_json(&submit_container_state_change,
           R"({"containerName":"second","status":"RUNNING","task":")" + *task.taskArn + "\"}");
  shapes::agent::PublishHealthRequest health;
  health.tasks = {{*task.taskArn, {{"third", "HEALTHY"}, {"c", "splendid"}}}};
  with_call([&](Call& call) { store_health(call, admit(call, "default", id), health); });
  with_call([&](Call& call) {
    const std::string name = task.taskArn->substr(task.taskArn->rfind('/') + 1);
    const Report stored = report_of(*state::find_task(call.tx, model::TaskId(name)));
    EXPECT_THAT(stored.containers, SizeIs(1));
    EXPECT_TRUE(stored.health.empty());
  });
}

TEST_F(AgentWork, ReasonsAreCut) {
  add_machine("a", 1);
  const Task task = run_family("plain").tasks->at(0);
  const std::string longer(5000, 'x');
  report(task, "STOPPED", R"(,"reason":")" + longer + R"(","containers":[{"containerName":"c","reason":")" + longer + "\"}]");
  EXPECT_EQ(describe(task).stoppedReason->size(), 1024u);
  EXPECT_EQ(describe(task).containers->at(0).reason->size(), 1024u);
}

}  // namespace
}  // namespace services::ecs
