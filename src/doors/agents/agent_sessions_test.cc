// SPDX-License-Identifier: Apache-2.0
#include "doors/agents/agent_sessions.h"

#include <functional>
#include <future>

#include "doors/agents/agents_fixture.h"
#include "signing/sigv4.h"
#include "state/keys.h"

namespace doors::agents {
namespace {

using shapes::agent::ErrorMessage;
using shapes::agent::HeartbeatMessage;
using shapes::agent::PayloadMessage;
using shapes::agent::TaskManifestMessage;
using shapes::agent::TaskStopVerificationAck;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class AgentSessionsTest : public AgentsTest {};

TEST_F(AgentSessionsTest, TheManifestComesBeforeAnyTask) {
  start_task();
  auto socket = connect_agent();
  const auto manifest = next<TaskManifestMessage>(*socket, "TaskManifestMessage");
  EXPECT_THAT(manifest.tasks, IsEmpty()) << "the agent does not have the task yet";
  EXPECT_THAT(manifest.containerInstanceArn, HasSubstr(machine_.str()));
  EXPECT_FALSE(*describe_machine(machine_.str()).agentConnected);
  settle(*socket);  // the next frame is not a payload either
}

TEST_F(AgentSessionsTest, TasksAreSentAfterTheAgreement) {
  const auto task = start_task();
  auto socket = connect_and_agree();
  const auto payload = next<PayloadMessage>(*socket, "PayloadMessage");
  ASSERT_THAT(payload.tasks, SizeIs(1));
  EXPECT_EQ(payload.tasks[0].arn, *task.taskArn);
  EXPECT_EQ(payload.tasks[0].desiredStatus, "RUNNING");
  EXPECT_TRUE(payload.tasks[0].roleCredentials);
  EXPECT_EQ(payload.seqNum, 1);
  EXPECT_TRUE(*describe_machine(machine_.str()).agentConnected);
}

TEST_F(AgentSessionsTest, AnAcknowledgedTaskIsInTheNextManifest) {
  const auto task = start_task();
  auto socket = connect_and_agree();
  const auto payload = next<PayloadMessage>(*socket, "PayloadMessage");
  acknowledge(*socket, payload.messageId);
  settle(*socket);
  auto second = connect_agent();
  const auto manifest = next<TaskManifestMessage>(*second, "TaskManifestMessage");
  ASSERT_THAT(manifest.tasks, SizeIs(1));
  EXPECT_EQ(manifest.tasks[0].taskArn, *task.taskArn);
}

TEST_F(AgentSessionsTest, AnUnacknowledgedTaskIsSentAgainByTheNextSession) {
  const auto task = start_task();
  auto first = connect_and_agree();
  next<PayloadMessage>(*first, "PayloadMessage");
  auto second = connect_and_agree();
  EXPECT_EQ(next<PayloadMessage>(*second, "PayloadMessage").tasks.at(0).arn, *task.taskArn);
}

TEST_F(AgentSessionsTest, ATaskThatIsStartedLaterIsSentAtOnce) {
  auto socket = connect_and_agree();
  next<HeartbeatMessage>(*socket, "HeartbeatMessage");
  const auto task = start_task();
  EXPECT_EQ(next<PayloadMessage>(*socket, "PayloadMessage").tasks.at(0).arn, *task.taskArn);
}

TEST_F(AgentSessionsTest, AStoppedTaskIsSentWithItsNewStatus) {
  const auto task = start_task();
  auto socket = connect_and_agree();
  acknowledge(*socket, next<PayloadMessage>(*socket, "PayloadMessage").messageId);
  run_and_wake(&services::ecs::stop_task, R"({"task":")" + *task.taskArn + "\"}");
  const auto payload = next<PayloadMessage>(*socket, "PayloadMessage");
  EXPECT_EQ(payload.tasks.at(0).desiredStatus, "STOPPED");
  EXPECT_FALSE(payload.tasks.at(0).roleCredentials);
}

TEST_F(AgentSessionsTest, ManyTasksComeInSeveralPayloads) {
  for (int i = 0; i < 3; ++i) start_tasks("plain", 10);
  auto socket = connect_and_agree();
  const auto first = next<PayloadMessage>(*socket, "PayloadMessage");
  const auto second = next<PayloadMessage>(*socket, "PayloadMessage");
  EXPECT_EQ(first.tasks.size() + second.tasks.size(), 30u);
  EXPECT_EQ(second.seqNum, first.seqNum + 1);
}

TEST_F(AgentSessionsTest, AnAgentWithoutWorkGetsHeartbeats) {
  auto socket = connect_and_agree();
  EXPECT_TRUE(next<HeartbeatMessage>(*socket, "HeartbeatMessage").healthy);
}

TEST_F(AgentSessionsTest, TasksThatTheServerDoesNotHaveAreToBeStopped) {
  const auto task = start_task();
  auto socket = connect_agent();
  next<TaskManifestMessage>(*socket, "TaskManifestMessage");
  shapes::agent::TaskStopVerificationMessage message;
  message.messageId = "v";
  message.stopCandidates = {{*task.taskArn, "default", "RUNNING"}, {"arn:aws:ecs:r:1:task/default/x", "", "RUNNING"}};
  send(*socket, "TaskStopVerificationMessage", message);
  const auto answer = next<TaskStopVerificationAck>(*socket, "TaskStopVerificationAck");
  EXPECT_EQ(answer.messageId, "v");
  ASSERT_THAT(answer.stopTasks, SizeIs(1));
  EXPECT_EQ(answer.stopTasks[0].taskArn, "arn:aws:ecs:r:1:task/default/x");
}

TEST_F(AgentSessionsTest, ASecondSessionReplacesTheFirst) {
  auto first = connect_and_agree();
  next<HeartbeatMessage>(*first, "HeartbeatMessage");
  auto second = connect_and_agree();
  next<HeartbeatMessage>(*second, "HeartbeatMessage");
  while (read(*first)) {
  }
  const auto task = start_task();
  EXPECT_EQ(next<PayloadMessage>(*second, "PayloadMessage").tasks.at(0).arn, *task.taskArn);
  EXPECT_TRUE(*describe_machine(machine_.str()).agentConnected) << "the end of the first must not disconnect it";
}

TEST_F(AgentSessionsTest, AMachineIsDisconnectedWhenItsAgentLeaves) {
  auto socket = connect_and_agree();
  shapes::agent::StokerGpuSamples samples;
  samples.samples.push_back({.id = "GPU-box0", .utilizationPercent = 50});
  send(*socket, "StokerGpuSamples", samples);
  settle(*socket);
  EXPECT_THAT(locals_.get<services::ecs::LiveGpus>().of(machine_).samples, SizeIs(1));
  EXPECT_TRUE(*describe_machine(machine_.str()).agentConnected);
  socket->close();
  wait_until_disconnected();
  EXPECT_THAT(locals_.get<services::ecs::LiveGpus>().of(machine_).samples, IsEmpty());
  EXPECT_FALSE(sessions_.send(machine_, "{}"));
}

TEST_F(AgentSessionsTest, PullsAreKeptForTheSessionAndWakeWhoeverWaitsForTheirTasks) {
  const auto task = start_task();
  const model::TaskId id(task.taskArn->substr(task.taskArn->rfind('/') + 1));
  // Layers that the server knows, once `change` has woken the task's topic.
  const auto layers_after = [&](const std::function<void()>& change) {
    const std::uint64_t seen = topics_.seen();
    change();
    auto woken = boost::asio::co_spawn(io_.at(1), topics_.wait(state::task_topic(id), seen, 2 * kPatience), boost::asio::use_future);
    EXPECT_EQ(woken.wait_for(kPatience), std::future_status::ready);
    const auto pulls = live_pulls_.of(machine_, id);
    return pulls.empty() ? -1 : pulls.front().layers;
  };
  const auto pulls_of = [&](std::int32_t layers) {
    return shapes::agent::StokerPulls{{{.image = "busybox", .taskArns = {*task.taskArn}, .layers = layers}}};
  };
  auto socket = connect_agent();
  EXPECT_EQ(layers_after([&] { send(*socket, "StokerPulls", pulls_of(7)); }), 7);
  EXPECT_EQ(layers_after([&] { send(*socket, "StokerPulls", pulls_of(8)); }), 8);
  EXPECT_EQ(layers_after([&] { send(*socket, "StokerPulls", shapes::agent::StokerPulls()); }), -1);
  EXPECT_EQ(layers_after([&] { send(*socket, "StokerPulls", pulls_of(9)); }), 9);
  std::shared_ptr<http::WebSocket> next;
  EXPECT_EQ(layers_after([&] { next = connect_agent(); }), -1) << "its agent reports again";
  EXPECT_EQ(layers_after([&] { send(*next, "StokerPulls", pulls_of(7)); }), 7);
  EXPECT_EQ(layers_after([&] { next->close(); }), -1);
}

TEST_F(AgentSessionsTest, ADeregisteredMachineIsSentAway) {
  auto socket = connect_and_agree();
  next<HeartbeatMessage>(*socket, "HeartbeatMessage");
  run_and_wake(&services::ecs::deregister_container_instance, R"({"containerInstance":")" + machine_.str() + "\"}");
  next<ErrorMessage>(*socket, "InactiveInstanceException");
  EXPECT_FALSE(read(*socket));
}

TEST_F(AgentSessionsTest, AnAgentWhoseKeyWasDeletedIsSentAway) {
  auto socket = connect_and_agree();
  next<HeartbeatMessage>(*socket, "HeartbeatMessage");
  with_call([&](services::Call& call) { state::delete_key(call.tx, caller_.access_key); });
  topics_.wake(state::instance_topic(machine_));
  next<ErrorMessage>(*socket, "AccessDeniedException");
  EXPECT_FALSE(read(*socket));
}

TEST_F(AgentSessionsTest, AnInvalidFrameIsRejectedAndTheSessionGoesOn) {
  auto socket = connect_agent();
  next<TaskManifestMessage>(*socket, "TaskManifestMessage");
  socket->send("no frame");
  next<ErrorMessage>(*socket, "BadRequestException");
  socket->send(R"({"type":"AckRequest","message":{"messageId":7}})");
  next<ErrorMessage>(*socket, "BadRequestException");
  settle(*socket);
}

TEST_F(AgentSessionsTest, ReportedGpusAreStored) {
  auto socket = connect_agent();
  next<TaskManifestMessage>(*socket, "TaskManifestMessage");
  shapes::agent::StokerGpus gpus;
  gpus.gpus.push_back({"GPU-box0", "H200", 144000, true, std::nullopt});
  send(*socket, "StokerGpus", gpus);
  settle(*socket);
  EXPECT_EQ(*describe_machine(machine_.str()).gpuDevices->at(0).totalMemoryInMiB, 144000);
  gpus.gpus.resize(300);
  send(*socket, "StokerGpus", gpus);
  EXPECT_THAT(next<ErrorMessage>(*socket, "BadRequestException").message, HasSubstr("at most 256 GPUs"));
}

TEST_F(AgentSessionsTest, AnUpgradeForAnUnknownMachineIsRefused) {
  const auto unknown = connect("clusterArn=default&containerInstanceArn=nobody");
  EXPECT_FALSE(unknown.socket);
  EXPECT_EQ(unknown.rejection.status, 400);
  EXPECT_THAT(unknown.rejection.body, HasSubstr(R"("type":"InvalidInstanceException")"));
  const auto cluster = connect("clusterArn=nowhere&containerInstanceArn=" + machine_.str());
  EXPECT_THAT(cluster.rejection.body, HasSubstr("ClusterNotFoundException"));
  run_json(&services::ecs::deregister_container_instance, R"({"containerInstance":")" + machine_.str() + "\"}");
  const auto inactive = connect("clusterArn=default&containerInstanceArn=" + machine_.str());
  EXPECT_THAT(inactive.rejection.body, HasSubstr("InactiveInstanceException"));
}

TEST_F(AgentSessionsTest, AMachineInTroubleGetsNoTasksUntilItRecovers) {
  auto socket = connect_and_agree();
  next<HeartbeatMessage>(*socket, "HeartbeatMessage");
  send(*socket, "StokerHealth", shapes::agent::StokerHealth{{{"disk", "its disk is full", base::to_millis(now_)}}});
  settle(*socket);
  const auto refused = run_json(&services::ecs::run_task, R"({"taskDefinition":"plain"})");
  ASSERT_THAT(*refused.failures, SizeIs(1));
  EXPECT_EQ(refused.failures->at(0).reason, "AGENT");
  const auto shown = run_json(&services::ecs::describe_container_instances,
                              R"({"include":["CONTAINER_INSTANCE_HEALTH"],"containerInstances":[")" + machine_.str() +
                                  "\"]}").containerInstances->at(0);
  EXPECT_EQ(shown.healthStatus->overallStatus, "IMPAIRED");
  EXPECT_EQ(shown.healthStatus->details->at(0).type, "CONTAINER_RUNTIME");
  EXPECT_EQ(shown.healthStatus->details->at(0).statusReason, "its disk is full");
  send(*socket, "StokerHealth", shapes::agent::StokerHealth{});
  settle(*socket);
  EXPECT_THAT(*run_json(&services::ecs::run_task, R"({"taskDefinition":"plain"})").tasks, SizeIs(1));
}

TEST_F(AgentSessionsTest, AnImpairedRuntimeOfAmazonsAgentStopsPlacement) {
  auto socket = connect_and_agree();
  next<HeartbeatMessage>(*socket, "HeartbeatMessage");
  auto telemetry = connect_telemetry();
  for (const char* status : {"IMPAIRED", "OK"}) {
    shapes::agent::PublishInstanceStatusRequest request;
    request.statuses = {{"ContainerRuntime", status}};
    send(*telemetry, "PublishInstanceStatusRequest", request);
    next<shapes::agent::AckPublishMetric>(*telemetry, "AckPublishInstanceStatus");
    const auto answer = run_json(&services::ecs::run_task, R"({"taskDefinition":"plain"})");
    EXPECT_EQ(answer.failures->empty(), std::string(status) == "OK");
  }
}

TEST_F(AgentSessionsTest, ASecondTelemetrySessionReplacesTheFirst) {
  auto work = connect_and_agree();
  auto first = connect_telemetry();
  next<HeartbeatMessage>(*first, "HeartbeatMessage");
  auto second = connect_telemetry();
  next<HeartbeatMessage>(*second, "HeartbeatMessage");
  int heartbeats = 0;
  while (read(*first)) ++heartbeats;
  EXPECT_LE(heartbeats, 1) << "it was closed for its silence";
  send(*second, "PublishInstanceStatusRequest", shapes::agent::PublishInstanceStatusRequest());
  next<shapes::agent::AckPublishMetric>(*second, "AckPublishInstanceStatus");
  settle(*work);
}

TEST_F(AgentSessionsTest, TelemetryIsAcknowledgedAndHealthIsStored) {
  const auto task = start_task();
  auto socket = connect_telemetry();
  next<HeartbeatMessage>(*socket, "HeartbeatMessage");
  shapes::agent::PublishHealthRequest health;
  health.tasks = {{*task.taskArn, {{"c", "HEALTHY"}}}};
  send(*socket, "PublishHealthRequest", health);
  next<shapes::agent::AckPublishHealth>(*socket, "AckPublishHealth");
  EXPECT_EQ(*describe(task).containers->at(0).healthStatus, "HEALTHY");
  send(*socket, "PublishMetricsRequest", shapes::agent::PublishMetricsRequest{});
  next<shapes::agent::AckPublishMetric>(*socket, "AckPublishMetric");
  send(*socket, "PublishInstanceStatusRequest", shapes::agent::PublishMetricsRequest{});
  next<shapes::agent::AckPublishMetric>(*socket, "AckPublishInstanceStatus");
  socket->send("no frame");
  next<ErrorMessage>(*socket, "BadRequestException");
  EXPECT_FALSE(*describe_machine(machine_.str()).agentConnected) << "telemetry does not connect a machine";
}

// As Amazon's agent signs a frame: it is the body of the request that opened the session.
std::string signed_frame(const std::string& target, const std::string& json, const signing::Credentials& key,
                         base::Time now) {
  http::Request request{{"GET", target, {{"Host", "127.0.0.1"}}}, json};
  signing::sign(request, key, "us-east-1", "ecs", now);
  std::string text;
  for (const char* name : {"Authorization", "Host", "X-Amz-Date"}) {
    text += std::string(name) + ": " + std::string(request.head.headers.get(name)) + "\r\n";
  }
  return text + "\r\n" + json;
}

TEST_F(AgentSessionsTest, SignedFramesOfAmazonsAgentAreVerified) {
  const std::string query = "cluster=default&containerInstance=" + machine_.str() + "&dockerVersion=Docker+20.10";
  auto socket = connect(query).socket;
  next<HeartbeatMessage>(*socket, "HeartbeatMessage");
  state::Key key;
  with_call([&](services::Call& call) { key = *state::find_key(call.tx, caller_.access_key); });
  const std::string json = wire::write_frame("PublishMetricsRequest", shapes::agent::PublishMetricsRequest{});
  socket->send(signed_frame("/ws?" + query, json, {key.id, key.secret, ""}, clock_.now()));
  next<shapes::agent::AckPublishMetric>(*socket, "AckPublishMetric");
  socket->send(signed_frame("/ws?" + query, json, {key.id, "another secret", ""}, clock_.now()));
  next<ErrorMessage>(*socket, "BadRequestException");
  socket->send(signed_frame("/ws?another=query", json, {key.id, key.secret, ""}, clock_.now()));
  next<ErrorMessage>(*socket, "BadRequestException");
}

TEST_F(AgentSessionsTest, CredentialsOfAllTasksAreSentOnRequest) {
  using shapes::agent::IAMRoleCredentialsMessage;
  const auto task = start_task();
  auto first = connect_and_agree();
  const auto payload = next<PayloadMessage>(*first, "PayloadMessage");
  acknowledge(*first, payload.messageId);
  settle(*first);
  auto second = connect("clusterArn=default&containerInstanceArn=" + machine_.str() + "&sendCredentials=true").socket;
  acknowledge(*second, next<TaskManifestMessage>(*second, "TaskManifestMessage").messageId);
  const auto message = next<IAMRoleCredentialsMessage>(*second, "IAMRoleCredentialsMessage");
  EXPECT_EQ(message.taskArn, *task.taskArn);
  EXPECT_EQ(message.roleCredentials.credentialsId, payload.tasks.at(0).roleCredentials->credentialsId);
}

// Amazon's agent requests them with its first session alone.
TEST_F(AgentSessionsTest, RequestedCredentialsAreSentByALaterSession) {
  using shapes::agent::IAMRoleCredentialsMessage;
  const auto task = start_task();
  auto first = connect_and_agree();
  acknowledge(*first, next<PayloadMessage>(*first, "PayloadMessage").messageId);
  settle(*first);
  auto second = connect("clusterArn=default&containerInstanceArn=" + machine_.str() + "&sendCredentials=true").socket;
  next<TaskManifestMessage>(*second, "TaskManifestMessage");
  second->close();
  auto third = connect_and_agree();
  EXPECT_EQ(next<IAMRoleCredentialsMessage>(*third, "IAMRoleCredentialsMessage").taskArn, *task.taskArn);
}

TEST_F(AgentSessionsTest, ATelemetrySessionDoesNotStateVersions) {
  const std::string docker = "&dockerVersion=DockerVersion%3A+20.10";
  auto work = connect("clusterArn=default&containerInstanceArn=" + machine_.str() + docker).socket;
  connect("cluster=default&containerInstance=" + machine_.str() + "&dockerVersion=20.10");
  EXPECT_EQ(describe_machine(machine_.str()).versionInfo->dockerVersion, "DockerVersion: 20.10");
}

TEST_F(AgentSessionsTest, ManifestsAreNumberedUpwardsThoughTheClockIsSetBack) {
  auto first = connect_agent();
  const auto before = next<TaskManifestMessage>(*first, "TaskManifestMessage");
  clock_.set(now_ - std::chrono::hours(2));
  auto second = connect_agent();
  EXPECT_GT(next<TaskManifestMessage>(*second, "TaskManifestMessage").timeline, before.timeline);
}

TEST_F(AgentSessionsTest, TelemetryEndsWithItsKey) {
  const auto task = start_task();
  auto socket = connect_telemetry();
  next<HeartbeatMessage>(*socket, "HeartbeatMessage");
  with_call([&](services::Call& call) { state::delete_key(call.tx, caller_.access_key); });
  shapes::agent::PublishHealthRequest health;
  health.tasks = {{*task.taskArn, {{"c", "UNHEALTHY"}}}};
  send(*socket, "PublishHealthRequest", health);
  next<ErrorMessage>(*socket, "AccessDeniedException");
  EXPECT_FALSE(read(*socket));
  EXPECT_EQ(*describe(task).containers->at(0).healthStatus, "UNKNOWN");
}

TEST_F(AgentSessionsTest, MetricsNeedTheKeyOfTheSessionToo) {
  auto socket = connect_telemetry();
  next<HeartbeatMessage>(*socket, "HeartbeatMessage");
  run_and_wake(&services::ecs::deregister_container_instance, R"({"containerInstance":")" + machine_.str() + "\"}");
  send(*socket, "PublishMetricsRequest", shapes::agent::PublishMetricsRequest{});
  next<ErrorMessage>(*socket, "InactiveInstanceException");
  EXPECT_FALSE(read(*socket));
}

TEST_F(AgentSessionsTest, AStatusNeedsTheKeyOfTheSessionToo) {
  auto socket = connect_telemetry();
  next<HeartbeatMessage>(*socket, "HeartbeatMessage");
  run_and_wake(&services::ecs::deregister_container_instance, R"({"containerInstance":")" + machine_.str() + "\"}");
  send(*socket, "PublishInstanceStatusRequest", shapes::agent::PublishInstanceStatusRequest{});
  next<ErrorMessage>(*socket, "InactiveInstanceException");
  EXPECT_FALSE(read(*socket));
}

TEST_F(AgentSessionsTest, UsageIsKeptOnlyOfTheMachinesOwnTasks) {
  using shapes::agent::AckPublishMetric;
  const auto task = start_task();
  const std::string id = task.taskArn->substr(task.taskArn->rfind('/') + 1);
  auto socket = connect_telemetry();
  next<HeartbeatMessage>(*socket, "HeartbeatMessage");
  shapes::agent::PublishMetricsRequest metrics;
  metrics.taskMetrics = {{*task.taskArn, {{.containerName = "c"}, {.containerName = std::string(300, 'c')}}}};
  metrics.taskMetrics.push_back({"arn:aws:ecs:us-east-1:1:task/default/invented", {}});
  send(*socket, "PublishMetricsRequest", metrics);
  next<AckPublishMetric>(*socket, "AckPublishMetric");
  const auto kept = locals_.get<services::ecs::LiveUsage>().of(machine_, clock_.now());
  ASSERT_THAT(kept, SizeIs(1));
  EXPECT_THAT(kept.at(id).containers, SizeIs(1));
}

TEST_F(AgentSessionsTest, UsageIsForgottenWhenTelemetryOutlivesTheSessionForWork) {
  const auto task = start_task();
  auto work = connect_and_agree();
  auto socket = connect_telemetry();
  next<HeartbeatMessage>(*socket, "HeartbeatMessage");
  work->close();
  wait_until_disconnected();
  shapes::agent::PublishMetricsRequest metrics;
  metrics.taskMetrics = {{*task.taskArn, {}}};
  send(*socket, "PublishMetricsRequest", metrics);
  next<shapes::agent::AckPublishMetric>(*socket, "AckPublishMetric");
  auto& usage = locals_.get<services::ecs::LiveUsage>();
  EXPECT_THAT(usage.of(machine_, clock_.now()), SizeIs(1));
  socket->close();
  server_.reset();  // ends all sessions, and waits for them
  EXPECT_THAT(usage.of(machine_, clock_.now()), IsEmpty());
}

TEST_F(AgentSessionsTest, UsageIsKeptAndOurAgentIsToldHowOftenToReportIt) {
  using shapes::agent::AckPublishMetric;
  using shapes::agent::StokerTelemetryPace;
  give_machine_our_agent();
  const auto task = start_task();
  auto socket = connect_telemetry();
  next<HeartbeatMessage>(*socket, "HeartbeatMessage");
  auto& usage = locals_.get<services::ecs::LiveUsage>();
  shapes::agent::PublishMetricsRequest metrics;
  metrics.taskMetrics = {{*task.taskArn, {}}};
  send(*socket, "PublishMetricsRequest", metrics);
  next<AckPublishMetric>(*socket, "AckPublishMetric");
  EXPECT_THAT(usage.of(machine_, clock_.now()), SizeIs(1));
  usage.set_fast({state::ClusterNumber(1)});
  send(*socket, "PublishMetricsRequest", metrics);
  next<AckPublishMetric>(*socket, "AckPublishMetric");
  EXPECT_EQ(next<StokerTelemetryPace>(*socket, "StokerTelemetryPace").seconds, 1);
  send(*socket, "PublishMetricsRequest", metrics);
  next<AckPublishMetric>(*socket, "AckPublishMetric");  // and no pace: it is known
  usage.set_fast({});
  send(*socket, "PublishMetricsRequest", metrics);
  next<AckPublishMetric>(*socket, "AckPublishMetric");
  EXPECT_EQ(next<StokerTelemetryPace>(*socket, "StokerTelemetryPace").seconds, 20);
}

TEST_F(AgentSessionsTest, AmazonsAgentKeepsItsOwnPace) {
  auto socket = connect_telemetry();
  next<HeartbeatMessage>(*socket, "HeartbeatMessage");
  locals_.get<services::ecs::LiveUsage>().set_fast({state::ClusterNumber(1)});
  for (int i = 0; i < 2; ++i) {
    send(*socket, "PublishMetricsRequest", shapes::agent::PublishMetricsRequest{});
    next<shapes::agent::AckPublishMetric>(*socket, "AckPublishMetric");
  }
}

}  // namespace
}  // namespace doors::agents
