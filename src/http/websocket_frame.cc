// SPDX-License-Identifier: Apache-2.0
#include "http/websocket_frame.h"

#include <algorithm>
#include <utility>

#include "base/random.h"
#include "base/utf8.h"

namespace http {
namespace {

constexpr std::size_t kMaxControlBytes = 125;
constexpr std::uint64_t kLargestShort = 125;
constexpr std::uint64_t kLargestMedium = 65535;
constexpr unsigned char kLast = 0x80, kReserved = 0x70, kOpcode = 0x0f, kMasked = 0x80, kLength = 0x7f;
constexpr unsigned char kMediumLength = 126, kLongLength = 127;

bool is_known(unsigned char opcode) { return opcode <= 2 || (opcode >= 8 && opcode <= 10); }
bool is_control(Opcode opcode) { return static_cast<unsigned char>(opcode) >= 8; }

// The codes of RFC 6455 7.4 and the registry. 1005, 1006 and 1015 are never on the wire.
bool is_close_code(unsigned code) {
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999);
}

Incoming violation(CloseCode code, std::string reason) {
  Incoming found;
  found.kind = Incoming::Kind::Violation;
  found.code = code;
  found.payload = std::move(reason);
  return found;
}

Incoming found(Incoming::Kind kind, std::string payload) {
  Incoming incoming;
  incoming.kind = kind;
  incoming.payload = std::move(payload);
  return incoming;
}

// The length of a header, from its first two bytes.
std::size_t header_size(unsigned char second) {
  unsigned char length = second & kLength;
  std::size_t wide = length == kMediumLength ? 2 : length == kLongLength ? 8 : 0;
  return 2 + wide + ((second & kMasked) ? 4 : 0);
}

std::uint64_t big_endian(const unsigned char* bytes, std::size_t count) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < count; ++i) number = number << 8 | bytes[i];
  return number;
}

void append_big_endian(std::uint64_t number, int bytes, std::string& out) {
  for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) out += static_cast<char>(number >> shift & 0xff);
}

}  // namespace

Incoming FrameParser::parse(std::string_view& input) {
  for (;;) {
    if (!in_payload_) {
      if (!take_header(input)) return {};
      Incoming wrong = read_header();
      if (wrong.kind == Incoming::Kind::Violation) return wrong;
    }
    take_payload(input);
    if (left_ > 0) return {};
    Incoming incoming = end_frame();
    if (incoming.kind != Incoming::Kind::Nothing) return incoming;
  }
}

bool FrameParser::take_header(std::string_view& input) {
  while (header_.size < header_.needed) {
    if (input.empty()) return false;
    header_.bytes[header_.size++] = static_cast<unsigned char>(input.front());
    input.remove_prefix(1);
    if (header_.size == 2) header_.needed = header_size(header_.bytes[1]);
  }
  return true;
}

// The header is complete: starts the payload, or returns a violation.
Incoming FrameParser::read_header() {
  const auto& bytes = header_.bytes;
  if (bytes[0] & kReserved) return violation(CloseCode::ProtocolError, "reserved bits are set");
  if (!is_known(bytes[0] & kOpcode)) return violation(CloseCode::ProtocolError, "unknown opcode");
  bool masked = bytes[1] & kMasked;
  if (masked != (role_ == Role::Server)) {
    return violation(CloseCode::ProtocolError, masked ? "a server must not mask" : "a client must mask");
  }
  std::uint64_t length = bytes[1] & kLength;
  std::size_t wide = length == kMediumLength ? 2 : length == kLongLength ? 8 : 0;
  if (wide > 0) {
    std::uint64_t needless = wide == 2 ? kLargestShort : kLargestMedium;
    length = big_endian(bytes.data() + 2, wide);
    if (length <= needless) return violation(CloseCode::ProtocolError, "length not in the shortest form");
  }
  auto opcode = static_cast<Opcode>(bytes[0] & kOpcode);
  Incoming wrong = check_header(opcode, bytes[0] & kLast, length);
  if (wrong.kind == Incoming::Kind::Violation) return wrong;

  opcode_ = opcode;
  if (opcode == Opcode::Text || opcode == Opcode::Binary) is_text_ = opcode == Opcode::Text;
  last_ = bytes[0] & kLast;
  left_ = length;
  mask_at_ = 0;
  mask_ = {};
  if (masked) std::copy_n(bytes.data() + 2 + wide, 4, mask_.begin());
  header_ = {};
  in_payload_ = true;
  return {};
}

Incoming FrameParser::check_header(Opcode opcode, bool last, std::uint64_t length) const {
  if (is_control(opcode)) {
    if (!last) return violation(CloseCode::ProtocolError, "fragmented control frame");
    if (length > kMaxControlBytes) return violation(CloseCode::ProtocolError, "control frame too long");
    return {};
  }
  if (opcode == Opcode::Binary && !binary_) return violation(CloseCode::Unsupported, "only text is supported");
  if ((opcode == Opcode::Continuation) != in_message_) {
    return violation(CloseCode::ProtocolError, in_message_ ? "message within a message" : "nothing to continue");
  }
  if (length > message_bytes_ || message_.size() > message_bytes_ - length) {
    return violation(CloseCode::TooLarge, "message over " + std::to_string(message_bytes_) + " bytes");
  }
  return {};
}

void FrameParser::take_payload(std::string_view& input) {
  std::string& into = is_control(opcode_) ? control_ : message_;
  auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(left_, input.size()));
  std::size_t start = into.size();
  into.append(input.substr(0, taken));
  if (role_ == Role::Server) {
    for (std::size_t i = start; i < into.size(); ++i) into[i] ^= static_cast<char>(mask_[mask_at_++ % 4]);
  }
  input.remove_prefix(taken);
  left_ -= taken;
}

Incoming FrameParser::end_frame() {
  in_payload_ = false;
  if (is_control(opcode_)) {
    if (opcode_ == Opcode::Close) return end_close();
    auto kind = opcode_ == Opcode::Ping ? Incoming::Kind::Ping : Incoming::Kind::Pong;
    return found(kind, std::exchange(control_, {}));
  }
  in_message_ = !last_;
  if (!last_) return {};
  if (is_text_ && !base::is_utf8(message_)) return violation(CloseCode::BadText, "text is not UTF-8");
  return found(Incoming::Kind::Message, std::exchange(message_, {}));
}

Incoming FrameParser::end_close() {
  std::string payload = std::exchange(control_, {});
  if (payload.size() == 1) return violation(CloseCode::ProtocolError, "incomplete close code");
  Incoming close = found(Incoming::Kind::Close, payload.empty() ? "" : payload.substr(2));
  close.code = CloseCode::None;
  if (payload.empty()) return close;
  auto code = static_cast<unsigned>(big_endian(reinterpret_cast<const unsigned char*>(payload.data()), 2));
  if (!is_close_code(code)) return violation(CloseCode::ProtocolError, "unknown close code");
  if (!base::is_utf8(close.payload)) return violation(CloseCode::BadText, "text is not UTF-8");
  close.code = static_cast<CloseCode>(code);
  return close;
}

void append_frame(Role role, Opcode opcode, std::string_view payload, std::string& out) {
  out += static_cast<char>(kLast | static_cast<unsigned char>(opcode));
  unsigned char masked = role == Role::Client ? kMasked : 0;
  if (payload.size() <= kLargestShort) {
    out += static_cast<char>(masked | payload.size());
  } else if (payload.size() <= kLargestMedium) {
    out += static_cast<char>(masked | kMediumLength);
    append_big_endian(payload.size(), 2, out);
  } else {
    out += static_cast<char>(masked | kLongLength);
    append_big_endian(payload.size(), 8, out);
  }
  std::string mask = masked ? base::random_bytes(4) : std::string();
  out += mask;
  std::size_t start = out.size();
  out += payload;
  if (!masked) return;
  for (std::size_t i = start; i < out.size(); ++i) out[i] ^= mask[(i - start) % 4];
}

void append_close(Role role, CloseCode code, std::string_view reason, std::string& out) {
  std::string payload;
  if (code != CloseCode::None) {
    append_big_endian(static_cast<std::uint16_t>(code), 2, payload);
    payload += reason.substr(0, kMaxControlBytes - 2);
  }
  append_frame(role, Opcode::Close, payload, out);
}

}  // namespace http
