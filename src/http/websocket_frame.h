// SPDX-License-Identifier: Apache-2.0
// WebSocket frames (RFC 6455 5): bytes <-> messages, without a socket.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace http {

enum class Role { Client, Server };

enum class Opcode : std::uint8_t { Continuation = 0, Text = 1, Binary = 2, Close = 8, Ping = 9, Pong = 10 };

// RFC 6455 7.4.1.
enum class CloseCode : std::uint16_t {
  Normal = 1000,
  GoingAway = 1001,
  ProtocolError = 1002,
  Unsupported = 1003,
  None = 1005,  // never sent: a close frame without a code
  BadText = 1007,
  TooLarge = 1009,
};

// The next result of the parser.
struct Incoming {
  enum class Kind { Nothing, Message, Ping, Pong, Close, Violation };

  Kind kind = Kind::Nothing;
  std::string payload;                 // of a violation or close frame: the reason
  CloseCode code = CloseCode::Normal;  // of a close frame, or to send after a violation
};

// Parses the frames that `role` receives. Holds at most one message of `message_bytes`, and
// allocates only for received bytes, whatever length a frame announces.
class FrameParser {
 public:
  // `binary`: binary messages are accepted, too.
  FrameParser(Role role, std::size_t message_bytes, bool binary = false)
      : role_(role), message_bytes_(message_bytes), binary_(binary) {}

  // Consumes bytes of `input` up to the end of one message or control frame. Nothing: all bytes
  // are consumed, and more are needed. Do not call it again after a violation.
  Incoming parse(std::string_view& input);

 private:
  // The part of a frame before its payload.
  struct Header {
    std::array<unsigned char, 14> bytes = {};
    std::size_t size = 0;    // received
    std::size_t needed = 2;  // the first two determine the rest
  };

  bool take_header(std::string_view& input);
  Incoming read_header();
  Incoming check_header(Opcode opcode, bool last, std::uint64_t length) const;
  void take_payload(std::string_view& input);
  Incoming end_frame();
  Incoming end_close();

  Role role_;
  std::size_t message_bytes_;
  bool binary_;
  Header header_;
  bool in_payload_ = false;
  Opcode opcode_ = Opcode::Text;  // of the current frame
  bool last_ = true;              // the frame ends its message
  std::uint64_t left_ = 0;        // of the frame's payload
  std::array<unsigned char, 4> mask_ = {};
  std::size_t mask_at_ = 0;
  bool in_message_ = false;  // the next data frame is a continuation
  bool is_text_ = true;      // the message is
  std::string message_;
  std::string control_;
};

// Appends one frame. A client's is masked with four random bytes.
void append_frame(Role role, Opcode opcode, std::string_view payload, std::string& out);
void append_close(Role role, CloseCode code, std::string_view reason, std::string& out);

}  // namespace http
