// SPDX-License-Identifier: Apache-2.0
#include "http/websocket_frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace http {
namespace {

using namespace std::string_literals;
using Kind = Incoming::Kind;

constexpr std::size_t kLimit = 100'000;

Incoming first_of(Role role, std::string_view bytes, std::size_t limit = kLimit) {
  FrameParser parser(role, limit);
  return parser.parse(bytes);
}

std::string frame(Role role, Opcode opcode, std::string_view payload) {
  std::string out;
  append_frame(role, opcode, payload, out);
  return out;
}

// The code that these bytes of a server are rejected with, or Normal.
CloseCode rejection_of(std::string_view bytes, std::size_t limit = kLimit) {
  FrameParser parser(Role::Client, limit);
  for (;;) {
    Incoming incoming = parser.parse(bytes);
    if (incoming.kind == Kind::Violation) return incoming.code;
    if (incoming.kind == Kind::Nothing) return CloseCode::Normal;
  }
}

// The examples of RFC 6455 5.7.
TEST(WebSocketFrame, ReadsTheExamplesOfTheStandard) {
  EXPECT_EQ(first_of(Role::Client, "\x81\x05Hello").payload, "Hello");
  EXPECT_EQ(first_of(Role::Server, "\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58").payload, "Hello");
  EXPECT_EQ(first_of(Role::Client, "\x01\x03Hel\x80\x02lo").payload, "Hello");
  Incoming ping = first_of(Role::Client, "\x89\x05Hello");
  EXPECT_EQ(ping.kind, Kind::Ping);
  EXPECT_EQ(ping.payload, "Hello");
}

TEST(WebSocketFrame, ReadsBackEveryFormOfLengthWholeOrByteByByte) {
  for (std::size_t size : {0u, 1u, 125u, 126u, 65535u, 65536u}) {
    std::string text(size, 'x');
    for (Role role : {Role::Client, Role::Server}) {
      Role peer = role == Role::Client ? Role::Server : Role::Client;
      std::string bytes = frame(role, Opcode::Text, text);
      EXPECT_EQ(first_of(peer, bytes).payload, text);
      FrameParser parser(peer, kLimit);
      Incoming incoming;
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        EXPECT_EQ(incoming.kind, Kind::Nothing);
        std::string_view byte = std::string_view(bytes).substr(i, 1);
        incoming = parser.parse(byte);
      }
      EXPECT_EQ(incoming.kind, Kind::Message);
      EXPECT_EQ(incoming.payload, text);
    }
  }
}

TEST(WebSocketFrame, AControlFrameMayArriveWithinAMessage) {
  std::string bytes = "\x01\x03Hel\x89\x02hi\x80\x02lo\x81\x01!";
  std::string_view rest = bytes;
  FrameParser parser(Role::Client, kLimit);
  EXPECT_EQ(parser.parse(rest).kind, Kind::Ping);
  EXPECT_EQ(parser.parse(rest).payload, "Hello");
  EXPECT_EQ(parser.parse(rest).payload, "!");
  EXPECT_EQ(parser.parse(rest).kind, Kind::Nothing);
}

TEST(WebSocketFrame, AProtocolViolationIsA1002) {
  for (const std::string& bytes : {
           "\xc1\x01x"s,                  // a reserved bit
           "\x83\x01x"s,                  // a reserved opcode
           "\x8b\x00"s,                   // a reserved control opcode
           "\x81\x81\x00\x00\x00\x00x"s,  // a server that masks
           "\x09\x00"s,                   // a fragmented ping
           "\x89\x7e\x00\x7e"s,           // a ping of 126 bytes
           "\x80\x01x"s,                  // a continuation of nothing
           "\x01\x01x\x81\x01x"s,         // a message within a message
           "\x81\x7e\x00\x05Hello"s,      // a length in more bytes than it needs
           "\x88\x01\x03"s,               // half a close code
           "\x88\x02\x03\xed"s,           // 1005 is never sent
           "\x88\x02\x00\x01"s,           // 1 is not a code
       }) {
    EXPECT_EQ(rejection_of(bytes), CloseCode::ProtocolError) << testing::PrintToString(bytes);
  }
  EXPECT_EQ(first_of(Role::Server, "\x81\x05Hello").code, CloseCode::ProtocolError) << "a client that does not mask";
}

TEST(WebSocketFrame, RejectsInvalidText) {
  EXPECT_EQ(rejection_of("\x81\x02\xc3\x28"), CloseCode::BadText);
  EXPECT_EQ(rejection_of("\x88\x03\x03\xe8\xff"), CloseCode::BadText);
  EXPECT_EQ(rejection_of("\x82\x01x"), CloseCode::Unsupported);
  // Frames may split a character.
  EXPECT_EQ(first_of(Role::Client, "\x01\x01\xc3\x80\x01\xa9").payload, "\xc3\xa9");
}

TEST(WebSocketFrame, AMessageOverTheLimitIsA1009BeforeItArrives) {
  EXPECT_EQ(rejection_of("\x81\x05", 4), CloseCode::TooLarge);
  EXPECT_EQ(rejection_of("\x01\x03Hel\x80\x02", 4), CloseCode::TooLarge);
  EXPECT_EQ(rejection_of("\x81\x7f\xff\xff\xff\xff\xff\xff\xff\xff"), CloseCode::TooLarge);
  EXPECT_EQ(first_of(Role::Client, "\x81\x04wxyz", 4).payload, "wxyz");
}

TEST(WebSocketFrame, ACloseFrameMayHaveACodeAndAReason) {
  std::string bytes;
  append_close(Role::Client, CloseCode::GoingAway, "bye", bytes);
  Incoming close = first_of(Role::Server, bytes);
  EXPECT_EQ(close.kind, Kind::Close);
  EXPECT_EQ(close.code, CloseCode::GoingAway);
  EXPECT_EQ(close.payload, "bye");
  bytes.clear();
  append_close(Role::Client, CloseCode::None, "", bytes);
  EXPECT_EQ(first_of(Role::Server, bytes).code, CloseCode::None);
}

}  // namespace
}  // namespace http
