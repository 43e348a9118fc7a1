// SPDX-License-Identifier: Apache-2.0
#include "doors/agents/task_logs.h"

#include "doors/agents/agents_fixture.h"

namespace doors::agents {
namespace {

using shapes::agent::PayloadMessage;
using shapes::agent::StokerLogLines;
using shapes::agent::StokerReadLogs;
using shapes::agent::StokerStopLogs;
using testing::HasSubstr;
using testing::Not;

class TaskLogsTest : public AgentsTest {
 protected:
  TaskLogsTest() { give_machine_our_agent(); }

  // Sends a request; read its answer when the agent has done its part.
  std::unique_ptr<http::RawClient> request_logs(const std::string& query) {
    auto client = std::make_unique<http::RawClient>(server_->port());
    client->send("GET /stoker/logs?cluster=default&" + query + " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    return client;
  }
  static std::string id_of(const shapes::ecs::Task& task) {
    return task.taskArn->substr(task.taskArn->rfind('/') + 1);
  }
  // An agent that has the task.
  std::shared_ptr<http::WebSocket> deliver() {
    auto socket = connect_and_agree();
    acknowledge(*socket, next<PayloadMessage>(*socket, "PayloadMessage").messageId);
    settle(*socket);
    return socket;
  }
  static StokerLogLines lines(const StokerReadLogs& request, const std::string& text, bool end) {
    StokerLogLines out;
    out.requestId = request.requestId;
    out.lines.push_back({"c", 1, "stdout", text});
    out.end = end;
    return out;
  }
};

TEST_F(TaskLogsTest, AMachineWithAmazonsAgentHasNoStream) {
  with_call([&](services::Call& call) {
    auto instance = *services::ecs::load_instance(call.tx, machine_);
    std::erase_if(*instance.body.attributes, [](const auto& attribute) { return attribute.name == "stoker.agent"; });
    services::ecs::update_instance(call.tx, instance);
  });
  const auto task = start_task();
  EXPECT_THAT(request_logs("task=" + id_of(task))->read_to_end(), HasSubstr("provides no log stream"));
}

TEST_F(TaskLogsTest, LinesComeFromTheTasksMachine) {
  const auto task = start_task();
  auto agent = deliver();
  auto client = request_logs("task=" + id_of(task) + "&container=c&tail=5&follow=true");
  const auto request = next<StokerReadLogs>(*agent, "StokerReadLogs");
  EXPECT_EQ(request.taskArn, *task.taskArn);
  EXPECT_EQ(request.containerName, "c");
  EXPECT_EQ(request.tail, 5);
  EXPECT_TRUE(request.follow);
  send(*agent, "StokerLogLines", lines(request, "one", false));
  send(*agent, "StokerLogLines", lines(request, "two", true));
  const std::string answer = client->read_to_end();
  EXPECT_THAT(answer, HasSubstr("HTTP/1.1 200"));
  EXPECT_THAT(answer, HasSubstr(R"("text":"one")"));
  EXPECT_THAT(answer, HasSubstr(R"("text":"two")"));
  EXPECT_EQ(next<StokerStopLogs>(*agent, "StokerStopLogs").requestId, request.requestId);
}

TEST_F(TaskLogsTest, AReaderWaitsUntilItsTaskIsDelivered) {
  const auto task = start_task();
  auto client = request_logs("task=" + id_of(task));
  auto agent = connect_and_agree();
  acknowledge(*agent, next<PayloadMessage>(*agent, "PayloadMessage").messageId);
  const auto request = next<StokerReadLogs>(*agent, "StokerReadLogs");
  send(*agent, "StokerLogLines", lines(request, "hello", true));
  EXPECT_THAT(client->read_to_end(), HasSubstr("hello"));
}

TEST_F(TaskLogsTest, AnAgentsErrorIsTheReadersError) {
  const auto task = start_task();
  auto agent = deliver();
  auto client = request_logs("task=" + id_of(task));
  StokerLogLines none;
  none.requestId = next<StokerReadLogs>(*agent, "StokerReadLogs").requestId;
  none.error = "no such container";
  none.end = true;
  send(*agent, "StokerLogLines", none);
  EXPECT_THAT(client->read_to_end(), HasSubstr("ResourceNotFoundException: no such container"));
}

TEST_F(TaskLogsTest, LinesThatNobodyReadsAreStopped) {
  start_task();
  auto agent = deliver();
  StokerReadLogs unknown;
  unknown.requestId = "unknown";
  send(*agent, "StokerLogLines", lines(unknown, "one", false));
  EXPECT_EQ(next<StokerStopLogs>(*agent, "StokerStopLogs").requestId, "unknown");
}

TEST_F(TaskLogsTest, AReaderIsToldWhenTheAgentLeaves) {
  const auto task = start_task();
  auto agent = deliver();
  auto client = request_logs("task=" + id_of(task));
  next<StokerReadLogs>(*agent, "StokerReadLogs");
  agent->close();
  EXPECT_THAT(client->read_to_end(), HasSubstr("agent"));
}

TEST_F(TaskLogsTest, AnAnswerThatHasBegunIsCutShortWhenTheAgentLeaves) {
  const auto task = start_task();
  auto agent = deliver();
  auto client = request_logs("task=" + id_of(task));
  send(*agent, "StokerLogLines", lines(next<StokerReadLogs>(*agent, "StokerReadLogs"), "one", false));
  client->read_until("\"one\"");
  agent->close();
  EXPECT_THAT(client->read_to_end(), Not(HasSubstr("\r\n0\r\n"))) << "the last chunk would say that it is whole";
}

TEST_F(TaskLogsTest, RequestsThatCannotBeServedAreRejected) {
  const auto task = start_task();
  EXPECT_THAT(request_logs("task=nothing")->read_to_end(), HasSubstr("ResourceNotFoundException"));
  EXPECT_THAT(request_logs("task=" + id_of(task) + "&tail=many")->read_to_end(),
              HasSubstr("InvalidParameterException"));
  auto agent = deliver();
  agent->close();
  wait_until_disconnected();
  EXPECT_THAT(request_logs("task=" + id_of(task))->read_to_end(), HasSubstr("TargetNotConnectedException"));
}

TEST_F(TaskLogsTest, ATaskThatStoppedBeforeItWasDeliveredHasNoLogs) {
  const auto task = start_task();
  run_and_wake(&services::ecs::deregister_container_instance,
               R"({"force":true,"containerInstance":")" + machine_.str() + "\"}");
  EXPECT_THAT(request_logs("task=" + id_of(task))->read_to_end(), HasSubstr("ResourceNotFoundException"));
}

}  // namespace
}  // namespace doors::agents
