// SPDX-License-Identifier: Apache-2.0
// The whole agent against a scripted server.
#include "agent/agent.h"

#include <condition_variable>
#include <fstream>
#include <latch>
#include <mutex>

#include "agent/drivers/log_file.h"
#include "agent/machine_key.h"
#include "agent/session/log_streams.h"
#include "agent/session/telemetry.h"
#include "agent/tasks/test_machine.h"
#include "http/server.h"
#include "shapes/agent/extensions.h"
#include "shapes/agent/work.h"
#include "wire/frame.h"

namespace agent {
namespace {

namespace asio = boost::asio;
namespace messages = shapes::agent;

constexpr const char* kInstance = "arn:aws:ecs:us-east-1:000000000000:container-instance/default/i1";

class OneGpu final : public gpu::GpuSource {
 public:
  std::string driver() const override { return ""; }
  bool simulated() const override { return true; }
  std::vector<gpu::Gpu> probe() override { return {{.id = "GPU-a", .model = "V100", .memory_mib = 16000}}; }
  std::vector<gpu::GpuSample> sample() override { return {{.id = "GPU-a", .utilization_percent = 7}}; }
};

// Responds to the calls of an agent, and records them and the messages of its sessions.
class FakeServer {
 public:
  FakeServer() : server_(io_, [this](http::Exchange& exchange) { return handle(exchange); }) {
    server_.listen_tcp("127.0.0.1", 0);
  }
  ~FakeServer() { close(); }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_.port()); }

  template <class T>
  void send(std::string_view type, const T& message) {
    std::lock_guard lock(mutex_);
    ASSERT_TRUE(socket_);
    socket_->send(wire::write_frame(type, message));
  }
  // Waits for the telemetry session.
  template <class T>
  void send_telemetry(std::string_view type, const T& message) {
    std::unique_lock lock(mutex_);
    ASSERT_TRUE(changed_.wait_for(lock, kTestDeadline, [&] { return telemetry_ != nullptr; }));
    telemetry_->send(wire::write_frame(type, message));
  }
  void close() {
    std::lock_guard lock(mutex_);
    if (socket_) socket_->close();
  }

  // Waits for the next message of this type. Messages of other types stay for later calls.
  wire::Frame receive(const std::string& type) {
    return wait_for(frames_, [&](const wire::Frame& frame) { return frame.type == type; });
  }
  // Waits for the next call of this operation and returns its body.
  std::string receive_call(const std::string& operation) {
    return wait_for(calls_, [&](const wire::Frame& call) { return call.type == operation; }).message;
  }
  void reject_next_registration(const std::string& error) {
    std::lock_guard lock(mutex_);
    rejections_.push_back(error);
  }
  void reject_log_streams(const std::string& error) {
    std::lock_guard lock(mutex_);
    stream_error_ = error;
  }

 private:
  template <class Match>
  wire::Frame wait_for(std::vector<wire::Frame>& list, Match matches) {
    std::unique_lock lock(mutex_);
    wire::Frame found;
    bool received = changed_.wait_for(lock, kTestDeadline, [&] {
      auto at = std::find_if(list.begin(), list.end(), matches);
      if (at == list.end()) return false;
      found = *at;
      list.erase(at);
      return true;
    });
    EXPECT_TRUE(received) << "the message or call never arrived";
    return found;
  }

  void record(std::vector<wire::Frame>& list, wire::Frame frame) {
    std::lock_guard lock(mutex_);
    list.push_back(std::move(frame));
    changed_.notify_all();
  }

  std::string response_to(const std::string& operation, int& status) {
    std::lock_guard lock(mutex_);
    if (operation == "RegisterContainerInstance" && !rejections_.empty()) {
      status = 400;
      std::string error = rejections_.front();
      rejections_.erase(rejections_.begin());
      return error;
    }
    if (operation == "CreateLogStream" && !stream_error_.empty()) {
      status = 400;
      return stream_error_;
    }
    if (operation == "RegisterContainerInstance") {
      return std::string(R"({"containerInstance":{"containerInstanceArn":")") + kInstance + "\"}}";
    }
    if (operation == "DiscoverPollEndpoint") {
      return R"({"endpoint":")" + url() + R"(","telemetryEndpoint":")" + url() + "/telemetry\"}";
    }
    return "{}";
  }

  asio::awaitable<http::Response> handle(http::Exchange& exchange) {
    http::Response response;
    const bool session = exchange.head().headers.find("Upgrade") != nullptr;
    if (session) {
      co_await read_session(exchange);
      co_return response;
    }
    if (exchange.head().method == "GET") co_return no_such_object(exchange.head());
    std::string body = co_await exchange.read_body(1 << 20);
    const std::string* named = exchange.head().headers.find("X-Amz-Target");
    std::string target = named ? *named : "";
    std::string operation = target.substr(target.find('.') + 1);
    if (target.starts_with("Logs_")) body = *exchange.head().headers.find("Authorization") + "\n" + body;
    response.body = response_to(operation, response.status);
    response.headers.set("Content-Type", "application/x-amz-json-1.1");
    record(calls_, {operation, std::move(body)});
    co_return response;
  }

  // Records the path as the operation and the Authorization header as the body.
  http::Response no_such_object(const http::RequestHead& head) {
    record(calls_, {"GET " + head.target, std::string(head.headers.get("Authorization"))});
    return {404, {}, "<Error><Code>NoSuchBucket</Code><Message>The bucket does not exist.</Message></Error>"};
  }

  asio::awaitable<void> read_session(http::Exchange& exchange) {
    const std::string target = exchange.head().target;
    const bool command = target.starts_with("/stoker/exec");
    http::WebSocketLimits limits;
    limits.binary = command;
    std::shared_ptr<http::WebSocket> socket = co_await exchange.accept_websocket(limits);
    while (command) {
      base::Result<std::string> message = co_await socket->read(std::chrono::minutes(10));
      if (!message) co_return;
      record(frames_, {target, *message});
    }
    const bool telemetry = exchange.head().path().starts_with("/telemetry");
    {
      std::lock_guard lock(mutex_);
      (telemetry ? telemetry_ : socket_) = socket;
      changed_.notify_all();
    }
    for (;;) {
      base::Result<std::string> text = co_await socket->read(std::chrono::minutes(10));
      if (!text) co_return;
      base::Result<wire::Frame> frame = wire::read_frame(*text);
      if (frame) record(frames_, *frame);
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<http::WebSocket> socket_, telemetry_;
  std::vector<wire::Frame> frames_, calls_;
  std::vector<std::string> rejections_;
  std::string stream_error_;
  http::IoThreads io_{1};
  http::Server server_;
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
    agent_ = std::make_unique<Agent>(options, std::make_unique<TestDriver>(), std::make_unique<OneGpu>());
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
  EXPECT_EQ(server_.receive_call("RegisterContainerInstance").find(kInstance), std::string::npos);
}

TEST_F(AgentTest, ARestartedAgentKeepsItsInstance) {
  start_agent();
  EXPECT_EQ(server_.receive_call("RegisterContainerInstance").find("containerInstanceArn"), std::string::npos);
  server_.receive("StokerGpus");
  agent_->stop();
  agent_.reset();
  start_agent();
  EXPECT_NE(server_.receive_call("RegisterContainerInstance").find(kInstance), std::string::npos);
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
  EXPECT_EQ(health.metadata.containerInstance, kInstance);
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
