// SPDX-License-Identifier: Apache-2.0
#include "doors/exec/relay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace doors::exec {
namespace {

using namespace datachannel;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t kMillis = 1'700'000'000'000;

// Plays the client and the agent of one session, at times of its own.
class RelayTest : public testing::Test {
 protected:
  void start(RelaySpec spec = {}) {
    spec.session = "s";
    relay_.emplace(std::move(spec), times_, now_, LogBudget::Loan(budget_, "a"));
  }
  void connect() { relay_->connect_client(now_); }

  std::vector<Message> client() {
    std::vector<Message> messages;
    for (const std::string& bytes : relay_->take_for_client(kMillis, now_)) messages.push_back(*decode(bytes));
    return messages;
  }
  // "type payload" of stream messages, all acknowledged.
  std::vector<std::string> read() {
    std::vector<std::string> texts;
    for (const Message& message : client()) {
      if (message.type == kAcknowledge) continue;
      if (message.type == kChannelClosed) {
        texts.push_back("closed " + from_json<ChannelClosed>(message.payload)->Output);
        continue;
      }
      texts.push_back(std::to_string(static_cast<int>(message.payload_type)) + " " + message.payload);
      acknowledge(message);
    }
    return texts;
  }
  void acknowledge(const Message& message) {
    relay_->from_client(*decode(acknowledgement_of(message, kMillis)), kMillis, now_);
  }
  void send(PayloadType type, std::string payload) {
    Message message;
    message.type = kInput;
    message.created_ms = kMillis;
    message.sequence = sequence_++;
    message.id = base::random_uuid();
    message.payload_type = type;
    message.payload = std::move(payload);
    relay_->from_client(std::move(message), kMillis, now_);
  }
  void shake_hands() {
    connect();
    ASSERT_THAT(read(), ElementsAre(HasSubstr(R"("SessionType":"InteractiveCommands")")));
    send(PayloadType::HandshakeResponse,
         R"({"ClientVersion":"1.2.677.0","ProcessedClientActions":[{"ActionType":"SessionType","ActionStatus":1}]})");
    ASSERT_THAT(read(), ElementsAre(HasSubstr("7 {\"HandshakeTimeToComplete\":")));
  }
  void start_shell(RelaySpec spec = {}) {
    start(std::move(spec));
    relay_->connect_agent();
    shake_hands();
  }
  void agent(const std::string& message) { relay_->from_agent(message, now_); }
  std::vector<std::string> agent_gets() {
    std::vector<std::string> messages;
    while (auto message = relay_->take_for_agent(kMillis)) messages.push_back(*message);
    return messages;
  }
  void pass(base::Duration time) {
    now_ += time;
    relay_->tick(now_);
  }

  RelayTimes times_;
  LogBudget budget_{100, 10};
  Steady now_{std::chrono::hours(1)};
  std::int64_t sequence_ = 0;
  std::optional<Relay> relay_;
};

TEST_F(RelayTest, JoinsAClientWithItsCommand) {
  start_shell();
  send(PayloadType::Size, R"({"cols":120,"rows":50})");
  send(PayloadType::Output, "ls\n");
  EXPECT_THAT(agent_gets(), ElementsAre(R"(w{"rows":50,"columns":120})", "ils\n"));
  agent("r{\"pid\":7}");
  agent("ofile\r\n");
  EXPECT_THAT(read(), ElementsAre("1 file\r\n"));
  agent(R"(x{"exitCode":0})");
  EXPECT_FALSE(relay_->over());
  EXPECT_THAT(read(), ElementsAre("closed "));
  EXPECT_TRUE(relay_->over());
}

TEST_F(RelayTest, NoOutputIsSentBeforeTheHandshake) {
  start();
  relay_->connect_agent();
  agent("oearly");
  connect();
  EXPECT_EQ(read().size(), 1u);
  EXPECT_THAT(read(), IsEmpty());
}

TEST_F(RelayTest, AStockClientIsShownTheExitCodeInTheEnd) {
  start_shell();
  agent(R"(x{"exitCode":3})");
  EXPECT_THAT(read(), ElementsAre("closed The command ended with exit code 3."));
}

TEST_F(RelayTest, AStockClientGetsPiecesOf1024Bytes) {
  start_shell();
  agent("o" + std::string(2500, 'x'));
  std::vector<std::size_t> sizes;
  for (const Message& message : client()) sizes.push_back(message.payload.size());
  EXPECT_THAT(sizes, ElementsAre(1024, 1024, 452));
}

TEST_F(RelayTest, OurOwnClientGetsSeparateStreamsAndTheExitCode) {
  start_shell({.ours = true, .tty = false});
  agent("oout");
  agent("eerr");
  agent(R"(x{"exitCode":3,"reason":"killed"})");
  EXPECT_THAT(read(), ElementsAre("1 out", "11 err", "12 EXIT_CODE: 3"));
  EXPECT_THAT(read(), ElementsAre("closed killed"));
  send(PayloadType::Flag, encode_flag(Flag::EndOfInput));
  EXPECT_THAT(agent_gets(), IsEmpty()) << "the command has ended";
}

TEST_F(RelayTest, TheEndOfInputReachesTheCommand) {
  start_shell({.ours = true, .tty = false});
  send(PayloadType::Output, "data");
  send(PayloadType::Flag, encode_flag(Flag::EndOfInput));
  EXPECT_THAT(agent_gets(), ElementsAre("idata", "z"));
}

TEST_F(RelayTest, InputOfACommandThatIsNotInteractiveIsDropped) {
  start_shell({.ours = true, .interactive = false});
  send(PayloadType::Output, "data");
  EXPECT_THAT(agent_gets(), IsEmpty());
}

TEST_F(RelayTest, ACommandThatDoesNotReadStopsTheAcknowledgements) {
  start_shell();
  const std::string piece(1024, 'x');
  const std::size_t count = Relay::kMaxInput / 1024 + 10;
  for (std::size_t i = 0; i < count; ++i) send(PayloadType::Output, piece);
  const std::size_t early = client().size();
  EXPECT_LT(early, count);
  agent_gets();
  EXPECT_EQ(early + client().size(), count);
}

TEST_F(RelayTest, RepeatedInputIsAcknowledgedAgainAndNotRepeated) {
  start_shell();
  send(PayloadType::Output, "a");
  EXPECT_EQ(client().size(), 1u);
  --sequence_;
  send(PayloadType::Output, "a");
  EXPECT_EQ(client().size(), 1u);
  EXPECT_THAT(agent_gets(), ElementsAre("ia"));
}

TEST_F(RelayTest, AClientThatDoesNotReadStopsTheOutput) {
  start_shell();
  std::size_t sent = 0;
  while (relay_->accepts_output()) {
    agent("o" + std::string(Relay::kPieceBytes, 'x'));
    sent += Relay::kPieceBytes;
    client();
  }
  EXPECT_LE(sent, Relay::kMaxOutput + Outbox::kWindow * datachannel::kPieceBytes + 2 * Relay::kPieceBytes);
}

TEST_F(RelayTest, AClientThatComesBackGetsWhatItMissed) {
  start_shell();
  agent("oone");
  client();
  relay_->disconnect_client(now_);
  agent("otwo");
  EXPECT_THAT(client(), IsEmpty());
  pass(59s);
  EXPECT_FALSE(relay_->command_ended());
  connect();
  EXPECT_THAT(read(), ElementsAre("1 one", "1 two"));
}

TEST_F(RelayTest, AVanishedClientLeavesNoCommandBehind) {
  start_shell();
  relay_->disconnect_client(now_);
  EXPECT_EQ(relay_->next_tick(), now_ + times_.resume);
  pass(60s);
  EXPECT_TRUE(relay_->over());
  EXPECT_THAT(agent_gets(), ElementsAre("k"));
}

TEST_F(RelayTest, AnIdleSessionEnds) {
  start_shell();
  pass(19min);
  agent("oalive");
  read();
  pass(19min);
  EXPECT_FALSE(relay_->command_ended());
  pass(1min);
  EXPECT_THAT(read(), ElementsAre("closed Your session timed out due to inactivity and has been terminated."));
  EXPECT_THAT(agent_gets(), ElementsAre("k"));
}

TEST_F(RelayTest, ASessionMayHaveAMaximumDuration) {
  times_.longest = 5min;
  start_shell();
  EXPECT_EQ(relay_->next_tick(), now_ + 5min);
  pass(5min);
  EXPECT_THAT(read(), ElementsAre("closed Your session reached its maximum duration and has been terminated."));
}

TEST_F(RelayTest, AClientThatDoesNotAnswerTheHandshakeIsRejected) {
  start();
  relay_->connect_agent();
  connect();
  read();
  pass(15s);
  EXPECT_THAT(read(), ElementsAre(HasSubstr("closed Handshake timed out.")));
  EXPECT_EQ(relay_->status(), state::ExecStatus::Failed);
}

TEST_F(RelayTest, AClientThatRefusesTheSessionTypeIsRejected) {
  start();
  relay_->connect_agent();
  connect();
  read();
  send(PayloadType::HandshakeResponse, R"({"ProcessedClientActions":[{"ActionType":"SessionType","ActionStatus":2}]})");
  EXPECT_THAT(read(), ElementsAre(HasSubstr("closed The client does not support")));
}

TEST_F(RelayTest, AnAgentThatDoesNotComeFailsTheSession) {
  start();
  shake_hands();
  pass(30s);
  EXPECT_THAT(read(), ElementsAre("closed The agent of the machine did not open the session in time."));
}

TEST_F(RelayTest, AnAgentHasOneStream) {
  start();
  EXPECT_TRUE(relay_->connect_agent());
  EXPECT_FALSE(relay_->connect_agent());
}

TEST_F(RelayTest, ALostAgentIsReportedToTheClientAfterItsOutput) {
  start_shell();
  agent("olast words");
  relay_->disconnect_agent("The connection to the machine was lost.", now_);
  EXPECT_THAT(read(), ElementsAre("1 last words"));
  EXPECT_THAT(read(), ElementsAre("closed The connection to the machine was lost."));
  EXPECT_EQ(relay_->status(), state::ExecStatus::Failed);
}

TEST_F(RelayTest, AClientThatAcknowledgesNothingIsGivenUp) {
  start_shell();
  agent("oout");
  agent(R"(x{"exitCode":0})");
  client();
  pass(times_.flush - 1s);
  client();
  EXPECT_FALSE(relay_->over());
  pass(1s);
  client();
  EXPECT_TRUE(relay_->over());
}

TEST_F(RelayTest, AClientMayComeAfterTheEndOfAShortCommand) {
  start();
  relay_->connect_agent();
  agent("odone");
  agent(R"(x{"exitCode":0})");
  pass(59s);
  EXPECT_FALSE(relay_->over());
  connect();
  read();
  send(PayloadType::HandshakeResponse, R"({"ProcessedClientActions":[{"ActionType":"SessionType","ActionStatus":1}]})");
  EXPECT_THAT(read(), ElementsAre(HasSubstr("HandshakeTimeToComplete"), "1 done"));
  EXPECT_THAT(read(), ElementsAre("closed "));
}

TEST_F(RelayTest, TheClientCanTerminateTheSession) {
  start_shell();
  send(PayloadType::Flag, encode_flag(Flag::TerminateSession));
  EXPECT_THAT(agent_gets(), ElementsAre("k"));
  EXPECT_THAT(read(), ElementsAre("closed "));
}

TEST_F(RelayTest, TheClientCanTerminateASessionWhoseCommandDoesNotReadItsInput) {
  start_shell();
  const std::string piece(1024, 'x');
  for (std::size_t i = 0; i < Relay::kMaxInput / 1024 + 10; ++i) send(PayloadType::Output, piece);
  send(PayloadType::Flag, encode_flag(Flag::TerminateSession));
  EXPECT_THAT(agent_gets(), ElementsAre("k"));
  EXPECT_TRUE(relay_->take_hang_up());
  EXPECT_FALSE(relay_->take_hang_up()) << "the agent was notified";
}

TEST_F(RelayTest, ACommandThatEndsByItselfIsNotHungUpOn) {
  start_shell();
  agent(R"(x{"exitCode":0})");
  EXPECT_FALSE(relay_->take_hang_up());
}

TEST_F(RelayTest, OutputIsKeptForTheLogUpToItsLimit) {
  start_shell({.logged = true});
  agent("oone ");
  agent("otwo");
  EXPECT_FALSE(relay_->log_is_cut());
  EXPECT_EQ(relay_->take_log(), "one two");
}

TEST_F(RelayTest, TheLogHasTheBeginningOfAnOutputForWhichThereIsNotEnoughMemory) {
  start_shell({.logged = true});
  LogBudget::Loan other(budget_, "a");
  EXPECT_EQ(other.take(4), 4u);
  agent("oone ");
  agent("otwo ");
  agent("o3");
  EXPECT_TRUE(relay_->log_is_cut());
  EXPECT_EQ(relay_->take_log(), "one tw");
}

TEST(LogBudgetTest, IsSharedByAllSessionsAndAnAccountHasAShare) {
  LogBudget budget(10, 6);
  LogBudget::Loan first(budget, "a"), second(budget, "a"), other(budget, "b");
  {
    LogBudget::Loan moved(std::move(first));
    EXPECT_EQ(moved.take(5), 5u);
    EXPECT_EQ(second.take(5), 1u);
    EXPECT_EQ(other.take(5), 4u) << "what all have";
    EXPECT_EQ(other.take(1), 0u);
  }
  EXPECT_EQ(other.take(5), 2u) << "its share";
  EXPECT_EQ(second.take(5), 3u);
}

TEST_F(RelayTest, SizesOutOfRangeAreIgnored) {
  start_shell();
  send(PayloadType::Size, R"({"cols":0,"rows":50})");
  send(PayloadType::Size, R"({"cols":80,"rows":70000})");
  send(PayloadType::Size, "no");
  EXPECT_THAT(agent_gets(), IsEmpty());
}

}  // namespace
}  // namespace doors::exec
