// SPDX-License-Identifier: Apache-2.0
#include "cli/exec_channel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace cli {
namespace {

using datachannel::Flag;
using datachannel::Outbox;
using datachannel::PayloadType;
using datachannel::Steady;
using testing::HasSubstr;

constexpr Steady kChannelNow{std::chrono::hours(1)};

// Plays the server.
class ExecChannelTest : public testing::Test {
 protected:
  ExecChannelTest() {
    EXPECT_THAT(channel_.open("token"), HasSubstr(R"("TokenValue":"token")"));
    server_.connect();
  }
  void send(PayloadType type, const std::string& payload) { channel_.receive(server_.add(type, payload, 1, kChannelNow), 1, kChannelNow); }
  // Messages of the client, without acknowledgements.
  std::vector<datachannel::Message> sent() {
    std::vector<datachannel::Message> messages;
    for (const std::string& bytes : channel_.take(1, kChannelNow)) {
      auto message = *datachannel::decode(bytes);
      if (message.type == datachannel::kAcknowledge) {
        ++acknowledged_;
      } else {
        messages.push_back(std::move(message));
      }
    }
    return messages;
  }
  void shake_hands() {
    send(PayloadType::HandshakeRequest,
         R"({"AgentVersion":"3","RequestedClientActions":[{"ActionType":"SessionType","ActionParameters":{}},)"
         R"({"ActionType":"KMSEncryption","ActionParameters":{}}]})");
    EXPECT_FALSE(channel_.take_output(1));
    const auto answer = sent();
    ASSERT_EQ(answer.size(), 1u);
    EXPECT_EQ(answer[0].payload_type, PayloadType::HandshakeResponse);
    EXPECT_THAT(answer[0].payload, HasSubstr(R"({"ActionType":"SessionType","ActionStatus":1})"));
    EXPECT_THAT(answer[0].payload, HasSubstr(R"({"ActionType":"KMSEncryption","ActionStatus":3})"));
    EXPECT_FALSE(channel_.accepts_input());
    send(PayloadType::HandshakeComplete, R"({"HandshakeTimeToComplete":1})");
    EXPECT_FALSE(channel_.take_output(1));
    EXPECT_TRUE(channel_.accepts_input());
  }

  ExecChannel channel_;
  Outbox server_{datachannel::kOutput};
  int acknowledged_ = 0;
};

TEST_F(ExecChannelTest, SeparatesTheStreamsAndReadsTheExitCode) {
  shake_hands();
  send(PayloadType::Output, "out");
  send(PayloadType::StdErr, "err");
  send(PayloadType::ExitCode, "EXIT_CODE: 3");
  auto output = channel_.take_output(1);
  EXPECT_EQ(output->bytes, "out");
  EXPECT_FALSE(output->error);
  output = channel_.take_output(1);
  EXPECT_EQ(output->bytes, "err");
  EXPECT_TRUE(output->error);
  EXPECT_FALSE(channel_.take_output(1));
  EXPECT_EQ(channel_.exit_code(), 3);
  channel_.receive(datachannel::channel_closed("s", "why", 1), 1, kChannelNow);
  EXPECT_EQ(channel_.closed(), "why");
}

// So a reader that pauses slows the command down.
TEST_F(ExecChannelTest, OutputIsAcknowledgedWhenItIsTaken) {
  shake_hands();
  sent();
  const int before = acknowledged_;
  send(PayloadType::Output, "out");
  sent();
  EXPECT_EQ(acknowledged_, before);
  channel_.take_output(1);
  sent();
  EXPECT_EQ(acknowledged_, before + 1);
}

TEST_F(ExecChannelTest, InputIsSentAgainOnANewConnection) {
  shake_hands();
  sent();
  channel_.send(PayloadType::Output, "keys", 1, kChannelNow);
  EXPECT_EQ(sent().size(), 1u);
  channel_.disconnect();
  EXPECT_FALSE(channel_.accepts_input());
  channel_.open("other");
  const auto again = sent();
  ASSERT_EQ(again.size(), 2u);  // the handshake's response was not acknowledged, either
  EXPECT_EQ(again[1].payload, "keys");
}

TEST_F(ExecChannelTest, BytesThatAreNoMessageAreIgnored) {
  channel_.receive("nonsense", 1, kChannelNow);
  EXPECT_FALSE(channel_.closed());
}

}  // namespace
}  // namespace cli
