// SPDX-License-Identifier: Apache-2.0
// The whole agent against a scripted server.
#include "agent/agent.h"

#include <fstream>
#include <latch>

#include "agent/drivers/log_file.h"
#include "agent/fake_server.h"
#include "agent/machine_key.h"
#include "agent/session/log_streams.h"
#include "agent/session/telemetry.h"
#include "agent/tasks/test_machine.h"
#include "shapes/agent/extensions.h"
#include "shapes/agent/work.h"
#include "wire/frame.h"

namespace agent {
namespace {

namespace messages = shapes::agent;

class OneGpu final : public gpu::GpuSource {
 public:
  std::string driver() const override { return ""; }
  bool simulated() const override { return true; }
  std::vector<gpu::Gpu> probe() override { return {{.id = "GPU-a", .model = "V100", .memory_mib = 16000}}; }
  std::vector<gpu::GpuSample> sample() override { return {{.id = "GPU-a", .utilization_percent = 7}}; }
};

class AgentTest : public ::testing::Test {
 protected:
  // The driver belongs to the agent's thread, so tests look only at what the server receives.
  void start_agent() {
    make_agent();
    agent_->start();
  }
  void make_agent() {
    Options options;
    options.server = server_.url();
    options.credentials = {key_, "secret", ""};
    options.on_removed = [this] { removed_.count_down(); };
    options.data = folder_.path;
    options.name = "box-a";
    options.version = "0.1.0";
    auto driver = std::make_unique<TestDriver>();
    driver->first_progress = first_progress_;
    agent_ = std::make_unique<Agent>(options, std::move(driver), std::make_unique<OneGpu>());
  }

  messages::PayloadMessage payload(const std::string& id, const messages::Task& task) {
    messages::PayloadMessage message;
    message.messageId = id;
    message.tasks = {task};
    return message;
  }

  TestFolder folder_;
  FakeServer server_;
  std::string key_ = "id";
  std::optional<drivers::PullProgress> first_progress_;  // of pulls, which then take until the agent ends
  std::latch removed_{1};
  std::unique_ptr<Agent> agent_;
};

TEST_F(AgentTest, RegistersConnectsAndSendsItsGpusFirst) {
  start_agent();
  std::string registration = server_.receive_call("RegisterContainerInstance");
  EXPECT_NE(registration.find(R"(\"instanceId\":\"box-a\")"), std::string::npos) << registration;
  EXPECT_NE(registration.find(R"({"id":"GPU-a","type":"GPU"})"), std::string::npos);
  auto gpus = wire::read_message<messages::StokerGpus>(server_.receive("StokerGpus"));
  ASSERT_EQ(gpus.gpus.size(), 1u);
  EXPECT_EQ(gpus.gpus[0].memoryInMiB, 16000);
  auto samples = wire::read_message<messages::StokerGpuSamples>(server_.receive("StokerGpuSamples"));
  EXPECT_EQ(samples.samples[0].utilizationPercent, 7);
}

TEST_F(AgentTest, SendsTheProgressOfPullsWhileTheyChangeAndToANewSession) {
  first_progress_ = {.layers = 7, .layers_done = 3};
  start_agent();
  EXPECT_TRUE(wire::read_message<messages::StokerPulls>(server_.receive("StokerPulls")).pulls.empty());
  server_.send("PayloadMessage", payload("m1", test_task("t1", {test_container("main")})));
  for (const char* session : {"this", "the next"}) {
    const auto message = wire::read_message<messages::StokerPulls>(server_.receive("StokerPulls"));
    ASSERT_EQ(message.pulls.size(), 1u) << session;
    EXPECT_EQ(message.pulls[0].image, "busybox");
    EXPECT_EQ(message.pulls[0].layersDone, 3);
    server_.close();
  }
}

TEST_F(AgentTest, AcknowledgesHeartbeats) {
  start_agent();
  server_.receive("StokerGpus");
  messages::HeartbeatMessage heartbeat;
  heartbeat.messageId = "h1";
  server_.send("HeartbeatMessage", heartbeat);
  EXPECT_EQ(wire::read_message<messages::HeartbeatAckRequest>(server_.receive("HeartbeatAckRequest")).messageId, "h1");
}

TEST_F(AgentTest, ATaskIsOnDiskBeforeItIsAcknowledgedAndThenRuns) {
  start_agent();
  server_.receive("StokerGpus");
  server_.send("PayloadMessage", payload("m1", test_task("t1", {test_container("main")})));
  EXPECT_EQ(wire::read_message<messages::AckRequest>(server_.receive("AckRequest")).messageId, "m1");
  EXPECT_TRUE(std::filesystem::exists(folder_.path + "/tasks/t1.json"));
  EXPECT_NE(server_.receive_call("SubmitTaskStateChange").find(R"("status":"RUNNING")"), std::string::npos);
  messages::Task stop = test_task("t1", {test_container("main")});
  stop.desiredStatus = "STOPPED";
  server_.send("PayloadMessage", payload("m2", stop));
  EXPECT_NE(server_.receive_call("SubmitTaskStateChange").find(R"("status":"STOPPED")"), std::string::npos);
}

messages::Task task_with_file() {
  messages::Container container = test_container("main");
  container.environmentFiles = {{"s3", "arn:aws:s3:::bucket/dir/a.env"}};
  messages::Task task = test_task("t1", {container});
  task.roleCredentials.emplace();
  task.roleCredentials->accessKeyId = "TASKSKEY";
  return task;
}

TEST_F(AgentTest, EnvironmentFilesAreDownloadedFromTheServerWithTheTasksCredentials) {
  start_agent();
  server_.receive("StokerGpus");
  server_.send("PayloadMessage", payload("m1", task_with_file()));
  EXPECT_NE(server_.receive_call("GET /bucket/dir/a.env").find("Credential=TASKSKEY/"), std::string::npos);
  const std::string report = server_.receive_call("SubmitTaskStateChange");
  EXPECT_NE(report.find(R"("status":"STOPPED")"), std::string::npos) << report;
  EXPECT_NE(report.find("key dir/a.env from bucket bucket, error: NoSuchBucket: The bucket does not exist."),
            std::string::npos);
}

TEST_F(AgentTest, EnvironmentFilesAreDownloadedFromTheS3ThatTheServerNames) {
  FakeServer elsewhere;
  start_agent();
  server_.receive("StokerGpus");
  messages::Task task = task_with_file();
  task.stokerObjects = messages::Objects{
      elsewhere.url(), "eu-west-1", {{"arn:aws:s3:::bucket/dir/a.env", elsewhere.url() + "/bucket/dir/a.env?signed"}}};
  server_.send("PayloadMessage", payload("m1", task));
  elsewhere.receive_call("GET /bucket/dir/a.env?signed");
  server_.receive_call("SubmitTaskStateChange");
}

TEST_F(AgentTest, AnEnvironmentFileWithoutAUrlIsDenied) {
  FakeServer elsewhere;
  start_agent();
  server_.receive("StokerGpus");
  messages::Task task = task_with_file();
  task.stokerObjects = messages::Objects{elsewhere.url(), "eu-west-1", {}};
  server_.send("PayloadMessage", payload("m1", task));
  const std::string report = server_.receive_call("SubmitTaskStateChange");
  EXPECT_NE(report.find("AccessDenied: the server's --objects-allow"), std::string::npos) << report;
}

messages::Task task_with_awslogs() {
  messages::Container container = test_container("main");
  container.dockerConfig.hostConfig = R"({"LogConfig":{"Type":"awslogs","Config":{"awslogs-group":"g",)"
                                      R"("awslogs-region":"eu-west-1","awslogs-stream":"p/main/t1"}}})";
  return test_task("t1", {container});
}

TEST_F(AgentTest, TheOutputOfAContainerWithAwslogsIsSentAsItsExecutionRole) {
  start_agent();
  server_.receive("StokerGpus");
  messages::Task task = task_with_awslogs();
  task.executionRoleCredentials.emplace();
  task.executionRoleCredentials->accessKeyId = "ROLESKEY";
  server_.send("PayloadMessage", payload("m1", task));
  const std::string created = server_.receive_call("CreateLogStream");
  EXPECT_NE(created.find("Credential=ROLESKEY/"), std::string::npos) << created;
  EXPECT_NE(created.find("/eu-west-1/logs/aws4_request"), std::string::npos);
  EXPECT_NE(created.find(R"({"logGroupName":"g","logStreamName":"p/main/t1"})"), std::string::npos);
  server_.receive_call("SubmitTaskStateChange");
  auto log = drivers::LogWriter::open(folder_.path + "/logs/t1/main.log");
  ASSERT_TRUE(log);
  log->append(drivers::LogStream::Stdout, std::chrono::sys_seconds(std::chrono::seconds(1'800'000'000)), "hello\n");
  const std::string put = server_.receive_call("PutLogEvents");
  EXPECT_NE(put.find("Credential=ROLESKEY/"), std::string::npos);
  EXPECT_NE(put.find(R"("logEvents":[{"timestamp":1800000000000,"message":"hello"}])"), std::string::npos) << put;
}

TEST_F(AgentTest, WithoutAnExecutionRoleTheOutputIsSentAsTheMachine) {
  start_agent();
  server_.receive("StokerGpus");
  server_.send("PayloadMessage", payload("m1", task_with_awslogs()));
  const std::string created = server_.receive_call("CreateLogStream");
  EXPECT_NE(created.find("Credential=id/"), std::string::npos) << created;
  server_.receive_call("SubmitTaskStateChange");
}

TEST_F(AgentTest, AMissingLogGroupFailsTheTaskInAmazonsWords) {
  server_.reject_log_streams(
      R"({"__type":"ResourceNotFoundException","message":"The specified log group does not exist."})");
  start_agent();
  server_.receive("StokerGpus");
  server_.send("PayloadMessage", payload("m1", task_with_awslogs()));
  const std::string report = server_.receive_call("SubmitTaskStateChange");
  EXPECT_NE(report.find(R"("status":"STOPPED")"), std::string::npos) << report;
  EXPECT_NE(report.find("CannotStartContainerError: Error response from daemon: failed to initialize logging driver: "
                        "failed to create Cloudwatch log stream: ResourceNotFoundException: "
                        "The specified log group does not exist."),
            std::string::npos);
}

TEST_F(AgentTest, AfterAReconnectTasksThatTheManifestOmitsAreStopped) {
  start_agent();
  server_.receive("StokerGpus");
  messages::Task task = test_task("t1", {test_container("main")});
  server_.send("PayloadMessage", payload("m1", task));
  EXPECT_EQ(wire::read_message<messages::AckRequest>(server_.receive("AckRequest")).messageId, "m1");
  server_.receive_call("SubmitTaskStateChange");
  server_.close();
  server_.receive("StokerGpus");
  messages::TaskManifestMessage manifest;
  manifest.messageId = "m2";
  server_.send("TaskManifestMessage", manifest);
  EXPECT_EQ(wire::read_message<messages::AckRequest>(server_.receive("AckRequest")).messageId, "m2");
  auto question =
      wire::read_message<messages::TaskStopVerificationMessage>(server_.receive("TaskStopVerificationMessage"));
  ASSERT_EQ(question.stopCandidates.size(), 1u);
  EXPECT_EQ(question.stopCandidates[0].taskArn, task.arn);
  messages::TaskStopVerificationAck answer;
  answer.stopTasks = question.stopCandidates;
  server_.send("TaskStopVerificationAck", answer);
  EXPECT_NE(server_.receive_call("SubmitTaskStateChange").find(R"("status":"STOPPED")"), std::string::npos);
}

TEST_F(AgentTest, AnUnknownTaskInTheManifestIsReportedAsStopped) {
  start_agent();
  server_.receive("StokerGpus");
  messages::TaskManifestMessage manifest;
  manifest.tasks = {{test_task("gone", {}).arn, "cluster", "RUNNING"}};
  server_.send("TaskManifestMessage", manifest);
  std::string report = server_.receive_call("SubmitTaskStateChange");
  EXPECT_NE(report.find("The agent on box-a has no record of this task."), std::string::npos);
}

TEST_F(AgentTest, AMissingDefaultClusterIsCreated) {
  server_.reject_next_registration(R"({"__type":"ClientException","message":"Cluster not found."})");
  start_agent();
  EXPECT_NE(server_.receive_call("CreateCluster").find("default"), std::string::npos);
  server_.receive("StokerGpus");
}

TEST_F(AgentTest, ADeregisteredInstanceStopsItsTasksAndRegistersAnew) {
  start_agent();
  server_.receive_call("RegisterContainerInstance");
  server_.receive("StokerGpus");
  server_.send("PayloadMessage", payload("m1", test_task("t1", {test_container("main")})));
  server_.receive_call("SubmitTaskStateChange");
  messages::ErrorMessage error;
  error.message = "deregistered";
  server_.send("InactiveInstanceException", error);
  EXPECT_NE(server_.receive_call("SubmitTaskStateChange").find("was deregistered"), std::string::npos);
  std::string registration = server_.receive_call("RegisterContainerInstance");
  EXPECT_EQ(registration.find("containerInstanceArn"), std::string::npos);
}

TEST_F(AgentTest, AMachineThatWasRemovedStopsItsTasksAndDoesNotRegisterAgain) {
  write_machine_key(folder_.path, {"id", "secret", "token", "machine"});
  start_agent();
  server_.receive("StokerGpus");
  server_.send("PayloadMessage", payload("m1", test_task("t1", {test_container("main")})));
  server_.receive_call("SubmitTaskStateChange");
  server_.reject_next_registration(R"({"__type":"ExpiredTokenException","message":"expired"})");
  server_.close();
  removed_.wait();
  EXPECT_EQ(read_machine_key(folder_.path).accessKeyId, "");
  EXPECT_EQ(read_machine_key(folder_.path).machine, "machine") << "it does not pass for a new machine";
  agent_->stop();
}

TEST_F(AgentTest, AMachineWithANewKeyIsANewInstance) {
  start_agent();
  server_.receive_call("RegisterContainerInstance");
  server_.receive("StokerGpus");
  agent_->stop();
  agent_.reset();
  key_ = "another";
  start_agent();
  EXPECT_EQ(server_.receive_call("RegisterContainerInstance").find(kTestInstance), std::string::npos);
}

TEST_F(AgentTest, ARestartedAgentKeepsItsInstance) {
  start_agent();
  EXPECT_EQ(server_.receive_call("RegisterContainerInstance").find("containerInstanceArn"), std::string::npos);
  server_.receive("StokerGpus");
  agent_->stop();
  agent_.reset();
  start_agent();
  EXPECT_NE(server_.receive_call("RegisterContainerInstance").find(kTestInstance), std::string::npos);
}

TEST_F(AgentTest, AMachineThatShutsDownStopsItsTasksReportsThemAndLeavesNothing) {
  start_agent();
  server_.receive("StokerGpus");
  server_.send("PayloadMessage", payload("m1", test_task("t1", {test_container("main")})));
  EXPECT_NE(server_.receive_call("SubmitTaskStateChange").find(R"("status":"RUNNING")"), std::string::npos);
  EXPECT_TRUE(agent_->shut_down(std::chrono::seconds(60)));
  const std::string report = server_.receive_call("SubmitTaskStateChange");
  EXPECT_NE(report.find(R"("status":"STOPPED")"), std::string::npos) << report;
  EXPECT_NE(report.find("The machine of this task shuts down."), std::string::npos) << report;
  EXPECT_FALSE(std::filesystem::exists(folder_.path));
}

TEST_F(AgentTest, AShutDownWithoutAStartEndsTheTasksOfTheAgentBefore) {
  start_agent();
  server_.receive("StokerGpus");
  server_.send("PayloadMessage", payload("m1", test_task("t1", {test_container("main")})));
  EXPECT_NE(server_.receive_call("SubmitTaskStateChange").find(R"("status":"RUNNING")"), std::string::npos);
  agent_.reset();
  EXPECT_TRUE(std::filesystem::exists(folder_.path + "/tasks/t1.json"));
  make_agent();
  EXPECT_TRUE(agent_->shut_down(std::chrono::seconds(60)));
  EXPECT_NE(server_.receive_call("SubmitTaskStateChange").find(R"("status":"STOPPED")"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder_.path));
}

TEST_F(AgentTest, TwoAgentsCannotShareADataFolder) {
  start_agent();
  EXPECT_THROW(start_agent(), std::runtime_error);
}

TEST_F(AgentTest, AnotherDriverIsRejectedWhileContainersRun) {
  Options options;
  options.server = server_.url();
  options.credentials = {"id", "secret", ""};
  options.data = folder_.path;
  options.driver = "process";
  options.gpus = "none";
  TaskStore store(folder_.path);
  TaskRecord record = new_record(test_task("t", {test_container("main")}));
  record.containers[0].id = "0123";
  record.containers[0].status = kRunning;
  store.save(record);
  std::ofstream(folder_.path + "/driver") << "docker";
  EXPECT_THROW(Agent{options}, std::runtime_error);
  record.containers[0].status = kStopped;
  store.save(record);
  EXPECT_NO_THROW(Agent{options});
}

TEST_F(AgentTest, AFollowedLogSendsEachLineAndItsEnd) {
  start_agent();
  server_.receive("StokerGpus");
  messages::Task task = test_task("t", {test_container("main")});
  server_.send("PayloadMessage", payload("m1", task));
  server_.receive_call("SubmitTaskStateChange");
  messages::StokerReadLogs request;
  request.requestId = "r1";
  request.taskArn = task.arn;
  request.follow = true;
  server_.send("StokerReadLogs", request);
  messages::HeartbeatMessage heartbeat;
  heartbeat.messageId = "h1";
  server_.send("HeartbeatMessage", heartbeat);
  server_.receive("HeartbeatAckRequest");  // the agent follows the log now
  auto log = drivers::LogWriter::open(folder_.path + "/logs/t/main.log");
  ASSERT_TRUE(log) << log.error();
  log->append(drivers::LogStream::Stdout, base::from_seconds(1000), "one\n");
  auto lines = wire::read_message<messages::StokerLogLines>(server_.receive("StokerLogLines"));
  ASSERT_EQ(lines.lines.size(), 1u);
  EXPECT_EQ(lines.lines[0].text, "one");
  EXPECT_FALSE(lines.end);
  task.desiredStatus = kStopped;
  server_.send("PayloadMessage", payload("m2", task));
  lines = wire::read_message<messages::StokerLogLines>(server_.receive("StokerLogLines"));
  EXPECT_TRUE(lines.end);
}

TEST_F(AgentTest, AFinishedLogStreamNoLongerCountsTowardsTheLimit) {
  start_agent();
  server_.receive("StokerGpus");
  messages::Task task = test_task("t", {test_container("main")});
  server_.send("PayloadMessage", payload("m1", task));
  server_.receive_call("SubmitTaskStateChange");
  for (std::size_t i = 0; i <= kMaxLogStreams; ++i) {
    messages::StokerReadLogs request;
    request.requestId = std::to_string(i);
    request.taskArn = task.arn;
    server_.send("StokerReadLogs", request);
    auto lines = wire::read_message<messages::StokerLogLines>(server_.receive("StokerLogLines"));
    EXPECT_TRUE(lines.end && !lines.error) << i;
  }
}

TEST_F(AgentTest, TheHealthOfContainersIsSentOnTheTelemetrySession) {
  start_agent();
  server_.receive("StokerGpus");
  messages::Task task = test_task("t", {test_container("main")});
  task.containers[0].healthCheckType = "docker";
  server_.send("PayloadMessage", payload("m1", task));
  auto health = wire::read_message<messages::PublishHealthRequest>(server_.receive("PublishHealthRequest"));
  EXPECT_EQ(health.metadata.containerInstance, kTestInstance);
  ASSERT_EQ(health.tasks.size(), 1u);
  EXPECT_EQ(health.tasks[0].taskArn, task.arn);
  EXPECT_EQ(health.tasks[0].containers[0].healthStatus, "UNKNOWN");
}

// At the default pace of 20 s a message has ten samples of each container. The first one may have been gathered before
// the agent received the pace.
TEST_F(AgentTest, TheServerSetsThePaceOfTelemetry) {
  start_agent();
  server_.receive("StokerGpus");
  server_.send("PayloadMessage", payload("m1", test_task("t", {test_container("main")})));
  std::int64_t samples = 10;
  while (samples > 4 && !HasFailure()) {
    // Again each time: the session may not have been open before.
    server_.send_telemetry("StokerTelemetryPace", messages::StokerTelemetryPace{1});
    const auto metrics =
        wire::read_message<messages::PublishMetricsRequest>(server_.receive("PublishMetricsRequest"));
    if (metrics.taskMetrics.empty()) continue;
    const messages::ContainerMetric& container = metrics.taskMetrics.at(0).containerMetrics.at(0);
    EXPECT_EQ(container.containerName, "main");
    samples = *container.memoryStatsSet->sampleCount;
  }
}

TEST(Telemetry, ASetOfSamplesHasMinimumMaximumSumAndCount) {
  messages::CWStatsSet set;
  for (double value : {4.0, 1.0, 7.0}) add_sample(set, value);
  EXPECT_EQ(set.min, 1);
  EXPECT_EQ(set.max, 7);
  EXPECT_EQ(set.sum, 12);
  EXPECT_EQ(set.sampleCount, 3);
}

TEST_F(AgentTest, ACommandIsAcknowledgedAndHasAConnectionOfItsOwn) {
  start_agent();
  server_.receive("StokerGpus");
  server_.send("PayloadMessage", payload("m1", test_task("t", {test_container("main")})));
  server_.receive("AckRequest");
  server_.receive_call("SubmitTaskStateChange");
  messages::StokerExecMessage request;
  request.messageId = "m2";
  request.sessionId = "s 1";
  request.taskArn = test_task("t", {}).arn;
  request.containerName = "main";
  server_.send("StokerExecMessage", request);
  EXPECT_EQ(wire::read_message<messages::AckRequest>(server_.receive("AckRequest")).messageId, "m2");
  EXPECT_EQ(server_.receive("/stoker/exec?session=s%201").message,
            R"(x{"exitCode":255,"reason":"no commands here"})");
}

TEST_F(AgentTest, TheLogOfAnUnknownTaskEndsWithAnError) {
  start_agent();
  server_.receive("StokerGpus");
  messages::StokerReadLogs request;
  request.requestId = "r1";
  request.taskArn = "arn/none";
  server_.send("StokerReadLogs", request);
  auto lines = wire::read_message<messages::StokerLogLines>(server_.receive("StokerLogLines"));
  EXPECT_TRUE(lines.end && lines.error);
}

}  // namespace
}  // namespace agent
