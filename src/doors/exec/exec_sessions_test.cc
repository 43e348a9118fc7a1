// SPDX-License-Identifier: Apache-2.0
// The doors of sessions over loopback: the test plays the plugin and the agent.
#include "doors/exec/exec_sessions.h"

#include <filesystem>

#include "api/loops.h"
#include "base/log.h"
#include "http/block_on.h"
#include "objects/disk_threads.h"
#include "objects/files.h"
#include "services/ecs/machines/live_gpus.h"
#include "services/ecs/machines/machines_fixture.h"
#include "services/ecs/metrics/live_usage.h"
#include "services/ecs/tasks/execute_command.h"
#include "shapes/agent/extensions.h"
#include "signing/sigv4.h"
#include "store/recording_store.h"
#include "wire/frame.h"

namespace doors::exec {
namespace {

namespace asio = boost::asio;
using namespace datachannel;
using services::Call;
using shapes::agent::StokerExecMessage;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

// Far more than anything takes: waits end by events.
constexpr base::Duration kPatience = std::chrono::seconds(60);

class ExecTest : public services::ecs::MachinesTest {
 protected:
  explicit ExecTest(const RelayTimes& times = {}, const http::AdmissionLimits& connections = {}) : times_(times) {
    base::set_log_level(base::LogLevel::Off);
    locals_.add<services::ecs::LiveGpus>();
    locals_.add<services::ecs::LiveUsage>();
    machine_ = model::InstanceId(add_machine("box", 1));
    with_call([&](Call& call) {
      auto instance = *services::ecs::load_instance(call.tx, machine_);
      instance.body.attributes->push_back({.name = std::string(services::ecs::kExecAttribute)});
      services::ecs::update_instance(call.tx, instance);
    });
    task_ = run_family("one", R"("enableExecuteCommand":true)").tasks->at(0);
    report(task_, "RUNNING", R"(,"containers":[{"containerName":"c","status":"RUNNING","runtimeId":"r"}])");
    http::Limits limits;
    limits.tick = std::chrono::milliseconds(5);
    limits.connections = connections;
    server_ = std::make_unique<http::Server>(io_, [this](http::Exchange& exchange) { return handle(exchange); }, limits);
    server_->listen_tcp("127.0.0.1", 0);
    loops_ = std::make_unique<api::Loops>(io_, engine_, std::vector<api::Loop>{sessions_.loop()});
  }
  ~ExecTest() override {
    loops_.reset();
    sessions_.shut_down();
    server_.reset();
    base::set_log_level(base::LogLevel::Info);
    std::filesystem::remove_all(objects_);
  }

  asio::awaitable<http::Response> handle(http::Exchange& exchange) {
    http::Response response;
    try {
      if (exchange.head().path() == "/stoker/exec") {
        response = co_await sessions_.serve_agent(exchange, agent_);
      } else {
        signing::ClaimResult claim = signing::parse_claim(exchange.head());
        response = co_await door_.serve(exchange, std::move(claim));
      }
    } catch (const wire::ApiError& error) {
      response = http::text_response(400, error.code() + ": " + error.message());
    }
    co_return response;
  }

  // What the agent's own session was sent.
  bool to_agent(const model::InstanceId& instance, std::string text) {
    EXPECT_EQ(instance, machine_);
    if (!agent_connected_) return false;
    const auto message = wire::read_frame(text);
    if (message->type == "StokerExecMessage") {
      store_->read_now([&](store::Tx& tx) {
        const std::string id = wire::read_message<StokerExecMessage>(*message).sessionId;
        if (state::find_exec_session(tx, id)->begun) begun_early_ = true;
      });
    }
    frames_.with([&](auto& frames) { frames.push_back(std::move(text)); });
    topics_.wake("frames");
    return true;
  }
  wire::Frame next_frame() {
    for (std::uint64_t seen = topics_.seen();; seen = topics_.seen()) {
      const auto text = frames_.with([](auto& frames) -> std::optional<std::string> {
        if (frames.empty()) return std::nullopt;
        std::string first = frames.front();
        frames.erase(frames.begin());
        return first;
      });
      if (text) return *wire::read_frame(*text);
      wait_for("frames", seen);
    }
  }
  StokerExecMessage next_request() { return wire::read_message<StokerExecMessage>(next_frame()); }
  void wait_for(const std::string& topic, std::uint64_t seen) {
    asio::co_spawn(io_.at(1), topics_.wait(topic, seen, kPatience), asio::use_future).get();
  }

  shapes::ecs::Session start() {
    auto response = run_json(&services::ecs::execute_command,
                             R"({"command":"sh","interactive":true,"task":")" + *task_.taskArn + "\"}");
    for (const std::string& topic : wakes_) topics_.wake(topic);
    return *response.session;
  }
  http::WebSocketReply connect(const std::string& target, std::optional<std::string> key = {}) {
    http::Request request;
    request.head.method = "GET";
    request.head.target = target;
    request.head.headers.set("Host", "127.0.0.1:" + std::to_string(server_->port()));
    if (key) signing::sign(request, {*key, "secret", ""}, "us-east-1", "ssmmessages", now_);
    http::WebSocketLimits limits;
    limits.binary = true;
    auto reply = http::block_on(io_.at(0), http::connect_websocket(http::Endpoint::tcp("127.0.0.1", server_->port()),
                                                                   request, kPatience, limits));
    EXPECT_TRUE(reply) << reply.error();
    return *reply;
  }
  std::shared_ptr<http::WebSocket> connect_agent(const std::string& session) {
    return connect("/stoker/exec?session=" + session).socket;
  }
  std::shared_ptr<http::WebSocket> open(const std::string& session, const std::string& token,
                                        std::optional<std::string> key = {}) {
    auto socket = connect("/v1/data-channel/" + session + "?role=publish_subscribe&cell-number=1", key).socket;
    socket->send(to_json(OpenDataChannelInput{"1.0", "r", token, "c", "1.2.677.0"}));
    return socket;
  }
  std::string read(http::WebSocket& socket) {
    auto bytes = http::block_on(io_.at(0), socket.read(kPatience));
    return bytes ? *bytes : "over: " + bytes.error();
  }
  // The next message of the stream, acknowledged, or the closing one. Repeated ones are skipped, as the plugin does.
  Message next(http::WebSocket& socket) {
    for (;;) {
      auto message = decode(read(socket));
      EXPECT_TRUE(message) << message.error();
      if (!message) return {};
      if (message->type == kAcknowledge) continue;
      if (message->type == kChannelClosed) return *message;
      if (message->sequence < expected_) continue;
      expected_ = message->sequence + 1;
      socket.send_binary(acknowledgement_of(*message, 1));
      return *message;
    }
  }
  std::string closing_text(http::WebSocket& socket) {
    for (;;) {
      const Message message = next(socket);
      if (message.type == kChannelClosed) return from_json<ChannelClosed>(message.payload)->Output;
      if (message.type.empty()) return "nothing";
    }
  }
  void send(http::WebSocket& socket, PayloadType type, const std::string& payload) {
    Message message;
    message.type = kInput;
    message.created_ms = 1;
    message.sequence = sequence_++;
    message.id = base::random_uuid();
    message.payload_type = type;
    message.payload = payload;
    socket.send_binary(encode(message));
  }
  void shake_hands(http::WebSocket& socket) {
    EXPECT_EQ(next(socket).payload_type, PayloadType::HandshakeRequest);
    send(socket, PayloadType::HandshakeResponse,
         R"({"ProcessedClientActions":[{"ActionType":"SessionType","ActionStatus":1}]})");
    EXPECT_EQ(next(socket).payload_type, PayloadType::HandshakeComplete);
  }
  void add_key(const std::string& id, const std::string& account) {
    state::Key key{.id = id, .secret = "secret", .account = account, .created_at = now_};
    store_->write_now([&](store::Tx& tx) { state::insert_key(tx, key); });
  }
  state::ExecSession row(const std::string& id) {
    state::ExecSession found;
    with_call([&](Call& call) { found = *state::find_exec_session(call.tx, id); });
    return found;
  }
  std::size_t connections(http::ConnectionKind kind) {
    return server_->admission().counts().connections[static_cast<std::size_t>(kind)];
  }
  void wait_until_ended(const std::string& id) {
    for (std::uint64_t seen = topics_.seen(); !row(id).ended_at; seen = topics_.seen()) wait_for("exec/" + id, seen);
  }

  model::InstanceId machine_;
  shapes::ecs::Task task_;
  services::Caller agent_ = caller_;
  bool agent_connected_ = true;
  std::atomic<bool> begun_early_ = false;  // a session was not there when its row said that it had begun
  const RelayTimes times_;
  std::int64_t expected_ = 0, sequence_ = 0;
  base::Guarded<std::vector<std::string>> frames_;
  base::FakeClock clock_{now_};
  services::Directory directory_;
  api::Topics topics_;
  store::RecordingStore recorder_{*store_};
  api::Engine engine_{recorder_, locals_, directory_, topics_, clock_};
  api::Authenticator authenticator_{engine_};
  const std::string objects_ = testing::TempDir() + "exec-" + base::random_uuid();
  ::objects::Files files_{objects_};
  ::objects::DiskThreads disk_;
  http::IoThreads io_{2};
  ExecSessions sessions_{io_, engine_, authenticator_, std::bind_front(&ExecTest::to_agent, this), {&files_, &disk_}, times_};
  ExecDoor door_{sessions_};
  std::unique_ptr<http::Server> server_;
  std::unique_ptr<api::Loops> loops_;
};

TEST_F(ExecTest, ASessionFromTheRequestToTheExitCode) {
  const auto session = start();
  const StokerExecMessage request = next_request();
  EXPECT_EQ(request.sessionId, *session.sessionId);
  EXPECT_EQ(request.command, "sh");
  EXPECT_EQ(request.containerName, "c");
  EXPECT_TRUE(request.tty);
  auto agent = connect_agent(request.sessionId);
  auto client = open(*session.sessionId, *session.tokenValue);
  shake_hands(*client);
  EXPECT_EQ(row(*session.sessionId).status, state::ExecStatus::Connected);
  send(*client, PayloadType::Size, R"({"cols":120,"rows":50})");
  EXPECT_EQ(read(*agent), R"(w{"rows":50,"columns":120})");
  send(*client, PayloadType::Output, "exit 3\n");
  EXPECT_EQ(read(*agent), "iexit 3\n");
  const std::string binary("o\xff\0\x01", 4);
  agent->send_binary(binary);
  EXPECT_EQ(next(*client).payload, binary.substr(1));
  agent->send_binary(R"(x{"exitCode":3})");
  EXPECT_EQ(closing_text(*client), "The command ended with exit code 3.");
  wait_until_ended(*session.sessionId);
  EXPECT_EQ(row(*session.sessionId).status, state::ExecStatus::Terminated);
  EXPECT_EQ(row(*session.sessionId).spec_json, "") << "a command line may have secrets";
}

TEST_F(ExecTest, ATokenThatIsWrongUsedOrExpiredIsRejectedInTheChannel) {
  const auto session = start();
  const std::string id = *session.sessionId;
  EXPECT_THAT(closing_text(*open(id, "wrong")), HasSubstr("The token of the session is invalid"));
  EXPECT_THAT(closing_text(*open("ecs-execute-command-other", *session.tokenValue)), HasSubstr("is invalid"));
  auto client = open(id, *session.tokenValue);
  next(*client);
  EXPECT_THAT(closing_text(*open(id, *session.tokenValue)), HasSubstr("was used already"));
  const auto late = start();
  clock_.advance(state::kExecTokenLife + std::chrono::milliseconds(1));
  EXPECT_THAT(closing_text(*open(*late.sessionId, *late.tokenValue)), HasSubstr("has expired"));
}

TEST_F(ExecTest, AStrangersTokenIsLookedUpInTheTurnOfStrangersAndOnlyIfItHasTheForm) {
  closing_text(*open("x", "malformed"));
  EXPECT_THAT(recorder_.take_accounts(), Not(Contains("anonymous")));
  closing_text(*open("x", state::new_exec_token().value));
  EXPECT_THAT(recorder_.take_accounts(), Contains("anonymous"));
}

// Everybody can open a connection and then send nothing.
TEST_F(ExecTest, ConnectionsOfAnAddressWithoutATokenOrASignatureAreFew) {
  add_key("AKIDOWN", caller_.account);
  std::vector<std::shared_ptr<http::WebSocket>> silent;
  for (int i = 0; i < 16; ++i) silent.push_back(connect("/v1/data-channel/x?role=publish_subscribe").socket);
  EXPECT_EQ(connect("/v1/data-channel/x?role=publish_subscribe").rejection.status, 503);
  EXPECT_TRUE(connect("/v1/data-channel/x?role=publish_subscribe", "AKIDOWN").socket);
}

// A client that comes at that time would take it for one that has ended.
TEST_F(ExecTest, TheRowOfASessionSaysThatItHasBegunOnceItIsThere) {
  start();
  next_request();
  EXPECT_FALSE(begun_early_);
}

class PatientExecTest : public ExecTest {
 protected:
  PatientExecTest() : ExecTest({.agent = std::chrono::hours(1)}) {}
};

TEST_F(PatientExecTest, MoreSessionsThanOneTurnBeginsWakeItAgain) {
  constexpr int kSessions = 1001;
  const auto session = start();
  next_request();
  state::ExecSession copy = row(*session.sessionId);
  with_call([&](Call& call) {
    for (int i = 0; i < kSessions; ++i) {
      copy.id = "session-" + std::to_string(i);
      state::insert_exec_session(call.tx, copy);
    }
  });
  topics_.wake(std::string(state::kExecTopic));
  for (int i = 0; i < kSessions; ++i) next_request();
}

class HastyExecTest : public ExecTest {
 protected:
  HastyExecTest() : ExecTest({.token = std::chrono::milliseconds(50)}) {}
};

TEST_F(HastyExecTest, PingsDoNotReplaceAToken) {
  const auto client = connect("/v1/data-channel/x?role=publish_subscribe").socket;
  std::optional<base::Result<std::string>> result;
  auto end = asio::co_spawn(io_.at(0), http::store(client->read(kPatience), result), asio::use_future);
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (end.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready &&
         std::chrono::steady_clock::now() < deadline) {
    client->ping();
  }
  client->close();
  end.get();
  EXPECT_THAT(result->error(), HasSubstr("closed by the peer"));
}

TEST_F(ExecTest, ATokenIsRejectedWithTheSignatureOfAnotherAccount) {
  add_key("AKIDOWN", caller_.account);
  add_key("AKIDOTHER", "222222222222");
  const auto session = start();
  EXPECT_THAT(closing_text(*open(*session.sessionId, *session.tokenValue, "AKIDOTHER")), HasSubstr("token of the session"));
  auto client = open(*session.sessionId, *session.tokenValue, "AKIDOWN");
  EXPECT_EQ(next(*client).payload_type, PayloadType::HandshakeRequest);
}

TEST_F(ExecTest, AClientIsCountedAsUnknownUntilItsTokenIsKnown) {
  const auto session = start();
  auto client = connect("/v1/data-channel/" + *session.sessionId).socket;
  EXPECT_EQ(connections(http::ConnectionKind::Unknown), 1u);
  EXPECT_EQ(connections(http::ConnectionKind::Client), 0u);
  client->send(to_json(OpenDataChannelInput{"1.0", "r", *session.tokenValue, "c", "1.2.677.0"}));
  next(*client);
  EXPECT_EQ(connections(http::ConnectionKind::Unknown), 0u);
  EXPECT_EQ(connections(http::ConnectionKind::Client), 1u);
}

TEST_F(ExecTest, AClientWithASignatureIsCountedBeforeItShowsItsToken) {
  add_key("AKIDOWN", caller_.account);
  const auto client = connect("/v1/data-channel/x", "AKIDOWN").socket;
  EXPECT_EQ(connections(http::ConnectionKind::Client), 1u);
  const auto stranger = connect("/v1/data-channel/x", "AKIDUNKNOWN").socket;
  EXPECT_EQ(connections(http::ConnectionKind::Client), 1u);
  EXPECT_EQ(connections(http::ConnectionKind::Unknown), 1u);
}

class CrowdedExecTest : public ExecTest {
 protected:
  CrowdedExecTest() : ExecTest({}, {.per_account = 1}) {}
};

TEST_F(CrowdedExecTest, AnAccountHasItsShareOfClientsAndATokenThatCameTooEarlyStaysValid) {
  add_key("AKIDOWN", caller_.account);
  const auto session = start();
  auto other = connect("/v1/data-channel/x", "AKIDOWN").socket;
  constexpr char kFull[] = "The account has as many connections as one account may have.";
  EXPECT_THAT(closing_text(*open(*session.sessionId, *session.tokenValue)), HasSubstr(kFull));
  EXPECT_THAT(closing_text(*open(*session.sessionId, *session.tokenValue, "AKIDOWN")), HasSubstr(kFull));
  other->send("{}");
  EXPECT_THAT(closing_text(*other), HasSubstr("is invalid"));
  // Until the server has closed that one.
  Message first;
  for (first.type = kChannelClosed; first.type == kChannelClosed;) {
    auto client = open(*session.sessionId, *session.tokenValue);
    first = next(*client);
  }
  EXPECT_EQ(first.payload_type, PayloadType::HandshakeRequest);
}

TEST_F(ExecTest, ASignedUpgradeMustBeValid) {
  const auto session = start();
  EXPECT_THAT(closing_text(*open(*session.sessionId, *session.tokenValue, "AKIAUNKNOWN")), HasSubstr("signature"));
}

TEST_F(ExecTest, ALargeOutputArrivesInOrderAndWhole) {
  const auto session = start();
  auto agent = connect_agent(next_request().sessionId);
  auto client = open(*session.sessionId, *session.tokenValue);
  shake_hands(*client);
  constexpr std::size_t kPieces = 40;
  for (std::size_t i = 0; i < kPieces; ++i) agent->send_binary("o" + std::string(32 * 1024, static_cast<char>('a' + i % 26)));
  agent->send_binary(R"(x{"exitCode":0})");
  std::string all;
  for (;;) {
    const Message message = next(*client);
    if (message.type != kOutput) break;
    all += message.payload;
  }
  ASSERT_EQ(all.size(), kPieces * 32 * 1024);
  for (std::size_t i = 0; i < kPieces; ++i) EXPECT_EQ(all[i * 32 * 1024], static_cast<char>('a' + i % 26));
}

TEST_F(ExecTest, AClientComesBackWithANewToken) {
  const auto session = start();
  auto agent = connect_agent(next_request().sessionId);
  auto client = open(*session.sessionId, *session.tokenValue);
  shake_hands(*client);
  client.reset();
  const state::ExecToken token = state::new_exec_token();
  with_call([&](Call& call) {
    state::replace_exec_token(call.tx, *session.sessionId, token.hash, clock_.now() + state::kExecTokenLife);
  });
  agent->send_binary("omeanwhile");
  client = open(*session.sessionId, token.value);
  EXPECT_EQ(next(*client).payload, "meanwhile");
}

TEST_F(ExecTest, TheNewestClientReplacesTheOneBefore) {
  const auto session = start();
  auto agent = connect_agent(next_request().sessionId);
  auto first = open(*session.sessionId, *session.tokenValue);
  shake_hands(*first);
  const state::ExecToken token = state::new_exec_token();
  with_call([&](Call& call) {
    state::replace_exec_token(call.tx, *session.sessionId, token.hash, clock_.now() + state::kExecTokenLife);
  });
  auto second = open(*session.sessionId, token.value);
  EXPECT_THAT(read(*first), HasSubstr("over: "));
  agent->send_binary("ohello");
  EXPECT_EQ(next(*second).payload, "hello");
}

TEST_F(ExecTest, AnAgentThatIsLostEndsTheSession) {
  const auto session = start();
  auto agent = connect_agent(next_request().sessionId);
  auto client = open(*session.sessionId, *session.tokenValue);
  shake_hands(*client);
  agent.reset();
  EXPECT_EQ(closing_text(*client), "The connection to the machine was lost.");
  wait_until_ended(*session.sessionId);
  EXPECT_EQ(row(*session.sessionId).status, state::ExecStatus::Failed);
}

TEST_F(ExecTest, AMachineWhoseSessionEndsLosesItsCommands) {
  const auto session = start();
  auto agent = connect_agent(next_request().sessionId);
  auto client = open(*session.sessionId, *session.tokenValue);
  shake_hands(*client);
  sessions_.agent_left(machine_);
  EXPECT_EQ(closing_text(*client), "The connection to the machine was lost.");
  EXPECT_THAT(read(*agent), HasSubstr("over: "));
}

TEST_F(ExecTest, ASessionForAnAbsentAgentEndsWithAReason) {
  agent_connected_ = false;
  const auto session = start();
  auto client = open(*session.sessionId, *session.tokenValue);
  next(*client);
  EXPECT_EQ(closing_text(*client), "The agent of the machine is not connected.");
}

TEST_F(ExecTest, TerminatingASessionKillsItsCommand) {
  const auto session = start();
  auto agent = connect_agent(next_request().sessionId);
  auto client = open(*session.sessionId, *session.tokenValue);
  shake_hands(*client);
  with_call([&](Call& call) { state::set_exec_status(call.tx, *session.sessionId, state::ExecStatus::Terminating); });
  topics_.wake(std::string(state::kExecTopic));
  EXPECT_EQ(read(*agent), "k");
  EXPECT_EQ(closing_text(*client), "");
  const wire::Frame frame = next_frame();  // for a stream that is stuck
  EXPECT_EQ(frame.type, "StokerExecEnd");
  EXPECT_EQ(wire::read_message<shapes::agent::StokerExecEnd>(frame).sessionId, *session.sessionId);
}

TEST_F(ExecTest, AServerThatShutsDownNotifiesBothSides) {
  const auto session = start();
  auto agent = connect_agent(next_request().sessionId);
  auto client = open(*session.sessionId, *session.tokenValue);
  shake_hands(*client);
  sessions_.shut_down();
  EXPECT_EQ(closing_text(*client), "The server is shutting down.");
  EXPECT_EQ(read(*agent), "k");
}

// Its loops may end before they look again.
TEST_F(ExecTest, AServerThatShutsDownStoresTheEndsOfItsSessions) {
  const auto session = start();
  auto agent = connect_agent(next_request().sessionId);
  loops_.reset();
  sessions_.shut_down();
  EXPECT_TRUE(row(*session.sessionId).ended_at);
  EXPECT_EQ(row(*session.sessionId).reason, "The server is shutting down.");
}

TEST(Openings, AreLimitedInAllAndForAnAddress) {
  Openings openings;
  for (std::size_t i = 0; i < kMaxOpening; ++i) EXPECT_TRUE(openings.enter(std::to_string(i / kMaxOpeningOfAddress)));
  EXPECT_FALSE(openings.enter("new"));
  openings.leave("0");
  EXPECT_FALSE(openings.enter("1"));
  EXPECT_TRUE(openings.enter("new"));
}

TEST(Openings, AHostHasAWholeNetworkOfIpv6) {
  EXPECT_EQ(network_of("192.0.2.1:80"), "192.0.2.1");
  EXPECT_EQ(network_of("[::ffff:192.0.2.1]:80"), "192.0.2.1");
  EXPECT_EQ(network_of("[2001:db8::1]:80"), network_of("[2001:db8::2:1]:81"));
  EXPECT_NE(network_of("[2001:db8::1]:80"), network_of("[2001:db8:0:1::1]:80"));
  EXPECT_EQ(network_of("unix"), "unix");
}

TEST_F(ExecTest, AnAgentOfAnotherAccountOrASecondStreamIsRejected) {
  const auto session = start();
  const std::string id = next_request().sessionId;
  agent_.account = "222222222222";
  EXPECT_THAT(connect("/stoker/exec?session=" + id).rejection.body, HasSubstr("does not exist"));
  agent_ = caller_;
  EXPECT_THAT(connect("/stoker/exec?session=other").rejection.body, HasSubstr("does not exist"));
  auto agent = connect_agent(id);
  EXPECT_THAT(connect("/stoker/exec?session=" + id).rejection.body, HasSubstr("has a stream already"));
}

TEST_F(ExecTest, TwoSessionsOfAContainerDoNotMix) {
  const auto one = start();
  auto first = connect_agent(next_request().sessionId);
  const auto two = start();
  auto second = connect_agent(next_request().sessionId);
  first->send_binary("oone");
  second->send_binary("otwo");
  auto client = open(*two.sessionId, *two.tokenValue);
  shake_hands(*client);
  EXPECT_EQ(next(*client).payload, "two");
  expected_ = sequence_ = 0;
  client = open(*one.sessionId, *one.tokenValue);
  shake_hands(*client);
  EXPECT_EQ(next(*client).payload, "one");
}

TEST(SessionLog, OutputBecomesEventsOfOneLine) {
  const auto batches = to_log_events("one\r\n\n\x1b[1mtwo\xff\n", 5);
  ASSERT_EQ(batches.size(), 1u);
  ASSERT_EQ(batches[0].size(), 2u);
  EXPECT_EQ(batches[0][0].message, "one");
  EXPECT_EQ(batches[0][1].message, "\x1b[1mtwo\xef\xbf\xbd");
  EXPECT_EQ(batches[0][0].timestamp, 5);
  EXPECT_EQ(to_log_events(std::string(3'000'000, 'x'), 5).size(), 4u);
  EXPECT_TRUE(to_log_events("", 5).empty());
}

}  // namespace
}  // namespace doors::exec
