// SPDX-License-Identifier: Apache-2.0
#include "datachannel/message.h"

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "datachannel/payloads.h"

namespace datachannel {
namespace {

// Made by hand from the layout that session-manager-plugin 1.2.677 reads.
constexpr char kGolden[] =
    "000000746f75747075745f73747265616d5f6461746120202020202020202020"
    "20202020000000010000018bcfe5687b00000000000000070000000000000001"
    "08090a0b0c0d0e0f00010203040506072cf24dba5fb0a30e26e83b2ac5b9e29e"
    "1b161e5c1fa7425e73043362938b9824000000010000000568656c6c6f";

Message example() {
  Message message;
  message.type = kOutput;
  message.created_ms = 1700000000123;
  message.sequence = 7;
  message.flags = kSyn;
  message.id = "00010203-0405-0607-0809-0a0b0c0d0e0f";
  message.payload_type = PayloadType::Output;
  message.payload = "hello";
  return message;
}

std::string error_of(std::string_view bytes) {
  const auto message = decode(bytes);
  return message ? "" : message.error();
}

TEST(Message, HasThePluginsBytes) { EXPECT_EQ(base::to_hex(encode(example())), kGolden); }

TEST(Message, IsReadBack) {
  const auto message = decode(*base::from_hex(kGolden));
  ASSERT_TRUE(message) << message.error();
  EXPECT_EQ(*message, example());
}

TEST(Message, ATypeMayBePaddedWithZeros) {
  std::string bytes = encode(example());
  for (std::size_t i = 4 + kOutput.size(); i < 36; ++i) bytes[i] = '\0';
  EXPECT_EQ(decode(bytes)->type, kOutput);
}

TEST(Message, InvalidBytesAreRejected) {
  const std::string bytes = encode(example());
  EXPECT_EQ(error_of(bytes.substr(0, 119)), "the message is shorter than its header");
  EXPECT_EQ(error_of(bytes.substr(0, bytes.size() - 1)), "PayloadLength differs from the payload's length");
  std::string changed = bytes;
  changed.back() = 'x';
  EXPECT_EQ(error_of(changed), "payload Hash is not valid");
  changed = bytes;
  changed[3] = 117;
  EXPECT_EQ(error_of(changed), "unsupported header length");
  changed = bytes;
  changed.replace(40, 8, std::string(8, '\0'));
  EXPECT_EQ(error_of(changed), "CreatedDate is missing");
  EXPECT_EQ(error_of(bytes + std::string(kMaxPayloadBytes, 'x')), "the payload is too long");
}

TEST(Message, AnAcknowledgementNamesItsMessage) {
  const auto answer = decode(acknowledgement_of(example(), 5));
  ASSERT_TRUE(answer) << answer.error();
  EXPECT_EQ(answer->type, kAcknowledge);
  EXPECT_EQ(answer->flags, 3u);
  EXPECT_EQ(answer->sequence, 0);
  EXPECT_EQ(answer->payload_type, PayloadType::None);
  EXPECT_EQ(answer->payload,
            R"({"AcknowledgedMessageType":"output_stream_data",)"
            R"("AcknowledgedMessageId":"00010203-0405-0607-0809-0a0b0c0d0e0f",)"
            R"("AcknowledgedMessageSequenceNumber":7,"IsSequentialMessage":true})");
}

TEST(Message, ChannelClosedHasTheSessionAndItsOutput) {
  const auto message = decode(channel_closed("ecs-execute-command-1", "The task stopped.", 1700000000123));
  ASSERT_TRUE(message) << message.error();
  const auto closed = from_json<ChannelClosed>(message->payload);
  EXPECT_EQ(closed->SessionId, "ecs-execute-command-1");
  EXPECT_EQ(closed->Output, "The task stopped.");
  EXPECT_EQ(closed->MessageId, message->id);
  EXPECT_EQ(closed->CreatedDate, "2023-11-14T22:13:20.123Z");
}

TEST(Payloads, AHandshakesTimeIsAnInteger) {
  EXPECT_EQ(to_json(HandshakeComplete{1500000, std::nullopt}), R"({"HandshakeTimeToComplete":1500000})");
}

TEST(Payloads, ThePluginsHandshakeResponseIsRead) {
  const auto response = from_json<HandshakeResponse>(
      R"({"ClientVersion":"1.2.677.0","ProcessedClientActions":[{"ActionType":"SessionType","ActionStatus":1,)"
      R"("ActionResult":null,"Error":""}],"Errors":null})");
  ASSERT_TRUE(response) << response.error();
  EXPECT_EQ(response->ProcessedClientActions.at(0).ActionStatus, kActionSucceeded);
  EXPECT_FALSE(from_json<HandshakeResponse>("{"));
}

TEST(Payloads, ExitCodesAndFlagsAreReadBack) {
  EXPECT_EQ(read_exit_code(exit_code_text(137)), 137);
  EXPECT_EQ(read_exit_code("EXIT_CODE: "), std::nullopt);
  EXPECT_EQ(read_exit_code("EXIT_CODE: 1x"), std::nullopt);
  EXPECT_EQ(*decode_flag(encode_flag(Flag::TerminateSession)), Flag::TerminateSession);
  EXPECT_FALSE(decode_flag("abc"));
}

}  // namespace
}  // namespace datachannel
