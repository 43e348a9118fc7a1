// SPDX-License-Identifier: Apache-2.0
#include "agent/exec/exec_sessions.h"

#include <gmock/gmock.h>

#include <deque>

#include "agent/exec/exec_frames.h"
#include "agent/tasks/test_machine.h"
#include "base/guarded.h"
#include "http/server.h"

namespace agent {
namespace {

namespace asio = boost::asio;
using drivers::ExecEnd;
using drivers::ExecOutput;
using drivers::ExecSource;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// A command of the test's own. Shared with the test, which outlives its stream.
struct ScriptedCommand {
  drivers::ExecRequest request;
  std::deque<ExecOutput> output;
  bool endless = false;  // output goes on
  bool deaf = false;     // input is not read
  int opened = 0, reads = 0;
  std::optional<ExecEnd> end;
  std::vector<std::string> events;  // "write x", "resize 1 2", "signal 2"
  Signal changed;
};

class ScriptedStream final : public drivers::ExecStream {
 public:
  explicit ScriptedStream(std::shared_ptr<ScriptedCommand> command) : command_(std::move(command)) {}
  ~ScriptedStream() override { command_->events.push_back("destroyed"); }

  std::int64_t pid() const override { return 7; }
  asio::awaitable<ExecOutput> read() override {
    while (command_->output.empty() && !command_->end) {
      co_await command_->changed.wait(kLongestWait);
    }
    if (command_->output.empty()) co_return ExecOutput{};
    ++command_->reads;
    ExecOutput output = command_->output.front();
    if (!command_->endless || command_->end) command_->output.pop_front();
    co_return output;
  }
  asio::awaitable<bool> write(std::string bytes) override {
    while (command_->deaf && !command_->end) {
      co_await command_->changed.wait(kLongestWait);
    }
    command_->events.push_back("write " + bytes.substr(0, 20));
    co_return true;
  }
  asio::awaitable<void> end_input() override {
    command_->events.push_back("end of input");
    co_return;
  }
  asio::awaitable<void> resize(int rows, int columns) override {
    command_->events.push_back("resize " + std::to_string(rows) + " " + std::to_string(columns));
    co_return;
  }
  asio::awaitable<void> signal(int number) override {
    command_->events.push_back("signal " + std::to_string(number));
    co_return;
  }
  asio::awaitable<void> hang_up() override {
    command_->events.push_back("hang up");
    command_->end = ExecEnd{129, ""};
    command_->changed.notify();
    co_return;
  }
  asio::awaitable<ExecEnd> end() override { co_return *command_->end; }

 private:
  std::shared_ptr<ScriptedCommand> command_;
};

class ExecSessionsTest : public MachineTest {
 protected:
  struct Received {
    std::vector<std::string> messages;
    std::vector<std::shared_ptr<http::WebSocket>> sockets;
    std::vector<std::string> targets;
    std::size_t bytes = 0, ended = 0;
    bool reading = true;
  };

  ExecSessionsTest() : server_(threads_, [this](http::Exchange& exchange) { return handle(exchange); }) {
    server_.listen_tcp("127.0.0.1", 0);
    sessions_ = std::make_unique<ExecSessions>(*machine_, *tasks_);
    driver_.on_exec = [this](const std::string&, const drivers::ExecRequest& request) {
      command_->request = request;
      ++command_->opened;
      return std::make_unique<ScriptedStream>(command_);
    };
    task_ = test_task("t", {test_container("main"), test_container("other")});
    tasks_->accept(task_);
    until([&] { return driver_.runs("main") && driver_.runs("other"); });
  }
  ~ExecSessionsTest() override {
    sessions_->coroutines().cancel();
    run(sessions_->coroutines().ended());
    sessions_.reset();
    received_.with([](Received& received) { received.sockets.clear(); });
  }

  asio::awaitable<http::Response> handle(http::Exchange& exchange) {
    http::Response ignored;
    http::WebSocketLimits limits;
    limits.binary = true;
    std::shared_ptr<http::WebSocket> socket = co_await exchange.accept_websocket(limits);
    received_.with([&](Received& received) {
      received.sockets.push_back(socket);
      received.targets.push_back(exchange.head().target);
    });
    for (;;) {
      while (!received_.with([](Received& received) { return received.reading; })) {
        co_await sleep_for(std::chrono::milliseconds(5));
      }
      base::Result<std::string> message = co_await socket->read(kTestDeadline);
      received_.with([&](Received& received) {
        if (!message) ++received.ended;
        if (!message) return;
        received.bytes += message->size();
        if (received.messages.size() < 1000) received.messages.push_back(message->substr(0, 100));
      });
      if (!message) co_return ignored;
    }
  }

  shapes::agent::StokerExecMessage request(const std::string& session) {
    shapes::agent::StokerExecMessage message;
    message.sessionId = session;
    message.taskArn = task_.arn;
    message.containerName = "main";
    message.command = "ls 'a b'";
    return message;
  }
  void begin(const shapes::agent::StokerExecMessage& message) {
    ExecServer server;
    server.profile.credentials = {"id", "secret", ""};
    server.profile.region = "us-east-1";
    server.url = "http://127.0.0.1:" + std::to_string(server_.port());
    sessions_->begin(message, std::move(server));
  }
  std::vector<std::string> messages() {
    return received_.with([](Received& received) { return received.messages; });
  }
  std::size_t ended() {
    return received_.with([](Received& received) { return received.ended; });
  }
  void send(const std::string& message) {
    received_.with([&](Received& received) { received.sockets.at(0)->send_binary(message); });
  }
  void close_connection() {
    received_.with([](Received& received) { received.sockets.at(0)->close(); });
  }
  bool happened(const std::string& event) const {
    return std::ranges::count(command_->events, event) > 0;
  }
  void end_command(int code) {
    command_->end = ExecEnd{code, ""};
    command_->changed.notify();
  }

  shapes::agent::Task task_;
  std::shared_ptr<ScriptedCommand> command_ = std::make_shared<ScriptedCommand>();
  std::unique_ptr<ExecSessions> sessions_;
  base::Guarded<Received> received_;
  http::IoThreads threads_{1};
  http::Server server_;
};

TEST_F(ExecSessionsTest, OutputAndEndOfACommandReachTheServer) {
  command_->output = {{ExecSource::Stdout, "out\xff"}, {ExecSource::Stderr, "err"}};
  command_->end = ExecEnd{3, ""};
  begin(request("s1"));
  until([&] { return ended() == 1; });
  EXPECT_THAT(messages(), ElementsAre(R"(r{"pid":7})", "oout\xff", "eerr", R"(x{"exitCode":3,"reason":""})"));
  EXPECT_THAT(command_->request.command, ElementsAre("ls", "a b"));
  EXPECT_FALSE(command_->request.terminal);
  EXPECT_THAT(received_.with([](Received& received) { return received.targets; }), ElementsAre("/stoker/exec?session=s1"));
}

TEST_F(ExecSessionsTest, InputReachesTheCommandInItsOrder) {
  auto message = request("s1");
  message.interactive = message.tty = true;
  message.rows = 24;
  message.columns = 80;
  message.arguments = {"cat", "-"};
  begin(message);
  until([&] { return messages().size() == 1; });
  for (const char* text : {"ione", "itwo", R"(w{"rows":5,"columns":9})", R"(s{"signal":"INT"})", "nonsense", "z"}) {
    send(text);
  }
  until([&] { return happened("end of input"); });
  EXPECT_THAT(command_->events, Contains("resize 5 9"));
  EXPECT_THAT(command_->events, Contains("signal 2"));
  std::erase_if(command_->events, [](const std::string& event) { return event.starts_with("s") || event.starts_with("r"); });
  EXPECT_THAT(command_->events, ElementsAre("write one", "write two", "end of input"));
  EXPECT_THAT(command_->request.command, ElementsAre("cat", "-"));
  EXPECT_TRUE(command_->request.terminal && command_->request.input);
  end_command(0);
  until([&] { return ended() == 1; });
}

TEST_F(ExecSessionsTest, ACommandEndsWithItsConnection) {
  command_->deaf = true;
  begin(request("s1"));
  until([&] { return messages().size() == 1; });
  send("i" + std::string(200'000, 'x'));
  close_connection();
  until([&] { return happened("destroyed"); });
  EXPECT_TRUE(happened("hang up"));
}

// A signal would reach an attached container, which must continue.
TEST_F(ExecSessionsTest, AHangUpIsNoSignal) {
  auto message = request("s1");
  message.attach = true;
  begin(message);
  until([&] { return messages().size() == 1; });
  send("k");
  until([&] { return ended() == 1; });
  EXPECT_THAT(command_->events, testing::IsSupersetOf({"hang up"}));
  EXPECT_THAT(command_->events, testing::Not(Contains(StartsWith("signal"))));
}

TEST_F(ExecSessionsTest, AnEndReachesACommandThatDoesNotReadItsInput) {
  command_->deaf = true;
  begin(request("s1"));
  until([&] { return messages().size() == 1; });
  for (int i = 0; i < 20; ++i) send("i" + std::string(32 * 1024, 'x'));
  settle();
  sessions_->end("another");
  EXPECT_FALSE(happened("hang up"));
  sessions_->end("s1");
  until([&] { return happened("destroyed"); });
  EXPECT_TRUE(happened("hang up"));
}

TEST_F(ExecSessionsTest, EndlessOutputDoesNotKeepACommandAlive) {
  command_->output = {{ExecSource::Stdout, std::string(drivers::kMaxExecPiece, 'x')}};
  command_->endless = true;
  begin(request("s1"));
  until([&] { return messages().size() > 10; });
  close_connection();
  until([&] { return happened("destroyed"); });
  EXPECT_TRUE(happened("hang up"));
}

TEST_F(ExecSessionsTest, AnAgentThatStopsEndsItsCommands) {
  begin(request("s1"));
  until([&] { return messages().size() == 1; });
  sessions_->coroutines().cancel();
  run(sessions_->coroutines().ended());
  EXPECT_TRUE(happened("destroyed"));
}

TEST_F(ExecSessionsTest, AClientThatDoesNotReadSlowsTheCommandDown) {
  command_->output = {{ExecSource::Stdout, std::string(drivers::kMaxExecPiece, 'x')}};
  command_->endless = true;
  received_.with([](Received& received) { received.reading = false; });
  begin(request("s1"));
  until([&] { return command_->reads > 0; });
  settle();  // until nothing more can be sent: otherwise the queue of the connection is full, which ends it
  EXPECT_FALSE(happened("hang up"));
  EXPECT_LT(command_->reads * drivers::kMaxExecPiece, http::WebSocketLimits().queued_bytes);
  received_.with([](Received& received) { received.reading = true; });
  // More than the queue of a connection may hold.
  until([&] { return received_.with([](Received& received) { return received.bytes > 20'000'000; }); });
  end_command(0);
  until([&] { return ended() == 1; });
  EXPECT_THAT(received_.with([](Received& received) { return received.messages.size(); }), testing::Ge(600u));
}

TEST_F(ExecSessionsTest, WhatCannotRunIsAnsweredWithAReason) {
  auto message = request("s1");
  message.taskArn = "arn/none";
  begin(message);
  until([&] { return ended() == 1; });
  message = request("s2");
  message.containerName = "none";
  begin(message);
  until([&] { return ended() == 2; });
  driver_.exit("other", 0);
  until([&] { return container(task_, 1).status == kStopped; });
  message = request("s3");
  message.containerName = "other";
  begin(message);
  until([&] { return ended() == 3; });
  EXPECT_THAT(messages(), ElementsAre(HasSubstr("the task is not on this machine"),
                                      HasSubstr("the task has no container none"), HasSubstr("not running")));
}

TEST_F(ExecSessionsTest, ARequestThatIsSentAgainRunsOnce) {
  begin(request("s1"));
  begin(request("s1"));
  until([&] { return messages().size() == 1; });
  begin(request("s1"));
  end_command(0);
  run(sessions_->coroutines().ended());  // also of those that must not be there
  EXPECT_EQ(command_->opened, 1);
  EXPECT_EQ(received_.with([](Received& received) { return received.sockets.size(); }), 1u);
}

TEST_F(ExecSessionsTest, ThereIsALimitPerMachine) {
  for (std::size_t i = 0; i <= kMaxExecSessions; ++i) begin(request("s" + std::to_string(i)));
  until([&] { return ended() == 1 || messages().size() > kMaxExecSessions; });
  until([&] { return messages().size() == kMaxExecSessions + 1; });
  EXPECT_THAT(messages(), Contains(HasSubstr("too many commands")));
}

TEST(ExecFrames, InvalidMessagesAreRecognised) {
  EXPECT_EQ(parse_exec_input("").kind, ExecInput::Kind::Invalid);
  EXPECT_EQ(parse_exec_input("w").kind, ExecInput::Kind::Invalid);
  EXPECT_EQ(parse_exec_input(R"(w{"rows":0,"columns":80})").kind, ExecInput::Kind::Invalid);
  EXPECT_EQ(parse_exec_input(R"(w{"rows":"5","columns":[]})").kind, ExecInput::Kind::Invalid);
  EXPECT_EQ(parse_exec_input(R"(s{"signal":"NONE"})").kind, ExecInput::Kind::Invalid);
  EXPECT_EQ(parse_exec_input(R"(s{"signal":"SIGTERM"})").signal, 15);
  EXPECT_EQ(parse_exec_input("i").kind, ExecInput::Kind::Input);
  EXPECT_EQ(parse_exec_input("k").kind, ExecInput::Kind::HangUp);
  const std::string ended = exec_ended({127, "not\x1b found"});
  EXPECT_THAT(ended, StartsWith(R"(x{"exitCode":127,"reason":"not)"));
  EXPECT_EQ(ended.find('\x1b'), ended.npos);
}

}  // namespace
}  // namespace agent
