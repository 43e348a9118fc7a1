// SPDX-License-Identifier: Apache-2.0
// WebSocket frames (RFC 6455 5): bytes -> messages, and messages -> bytes, without any socket.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace http {

enum class Role { Client, Server };

enum class Opcode : std::uint8_t { Continuation = 0, Text = 1, Binary = 2, Close = 8, Ping = 9, Pong = 10 };

// RFC 6455 7.4.1: why a connection is closed.
enum class CloseCode : std::uint16_t {
  Normal = 1000,
  GoingAway = 1001,
  ProtocolError = 1002,
  Unsupported = 1003,
  None = 1005,  // never sent: a close frame without a code
  BadText = 1007,
  TooLarge = 1009,
};

// What the parser found next.
struct Incoming {
  enum class Kind { Nothing, Text, Ping, Pong, Close, Violation };

  Kind kind = Kind::Nothing;
  std::string payload;                 // a violation's or a close frame's: the reason
  CloseCode code = CloseCode::Normal;  // of a close frame, or what a violation is to be closed with
};

// What the peer of `role` sends. Holds at most one message of `message_bytes`, and only as much
// of it as has come, whatever a frame says of its length.
class FrameParser {
 public:
  FrameParser(Role role, std::size_t message_bytes) : role_(role), message_bytes_(message_bytes) {}

  // Takes bytes off the front of `input` up to the end of one message or control frame. Nothing:
  // all of it was taken, and more is needed. After a violation it is not to be called again.
  Incoming parse(std::string_view& input);

 private:
  // The part of a frame before its payload.
  struct Header {
    std::array<unsigned char, 14> bytes = {};
    std::size_t size = 0;    // that have come
    std::size_t needed = 2;  // known better once the first two are there
  };

  bool take_header(std::string_view& input);
  Incoming read_header();
  Incoming check_header(Opcode opcode, bool last, std::uint64_t length) const;
  void take_payload(std::string_view& input);
  Incoming end_frame();
  Incoming end_close();

  Role role_;
  std::size_t message_bytes_;
  Header header_;
  bool in_payload_ = false;
  Opcode opcode_ = Opcode::Text;  // of the frame that is read
  bool last_ = true;              // it ends its message
  std::uint64_t left_ = 0;        // of its payload
  std::array<unsigned char, 4> mask_ = {};
  std::size_t mask_at_ = 0;
  bool in_message_ = false;  // a message has begun, and goes on with a continuation
  std::string message_;
  std::string control_;
};

// Appends one whole frame. A client's is masked with four bytes that nobody can guess.
void append_frame(Role role, Opcode opcode, std::string_view payload, std::string& out);
void append_close(Role role, CloseCode code, std::string_view reason, std::string& out);

}  // namespace http
