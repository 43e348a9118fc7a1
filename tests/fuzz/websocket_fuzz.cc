// SPDX-License-Identifier: Apache-2.0
// A peer's bytes through the WebSocket frame parser, in one piece and cut in two: both must
// give the same messages, and none over the limit.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "http/websocket_frame.h"

namespace {

using Kind = http::Incoming::Kind;
constexpr std::size_t kMessageLimit = 300;

// False after a violation, which ends parsing.
bool read_some(http::FrameParser& parser, std::string_view bytes, std::string& found) {
  for (;;) {
    http::Incoming incoming = parser.parse(bytes);
    if (incoming.kind == Kind::Nothing) {
      CHECK(bytes.empty()) << "requested more bytes with some left";
      return true;
    }
    CHECK(incoming.payload.size() <= kMessageLimit) << "a message over the limit";
    CHECK(incoming.kind != Kind::Message || base::is_utf8(incoming.payload)) << "invalid UTF-8 in a text message";
    found += std::to_string(static_cast<int>(incoming.kind)) + ":" + std::to_string(static_cast<int>(incoming.code)) +
             ":" + incoming.payload + "\n";
    if (incoming.kind == Kind::Violation) return false;
  }
}

std::string transcript(http::Role role, std::string_view bytes, std::size_t cut) {
  http::FrameParser parser(role, kMessageLimit);
  std::string found;
  if (read_some(parser, bytes.substr(0, cut), found)) read_some(parser, bytes.substr(cut), found);
  return found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  http::Role role = data[0] % 2 ? http::Role::Client : http::Role::Server;
  std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  std::size_t cut = data[1] * bytes.size() / 256;
  CHECK(transcript(role, bytes, bytes.size()) == transcript(role, bytes, cut)) << "a cut at " << cut << " changed it";

  // Our own frames must be read back unchanged.
  std::string frame;
  http::append_frame(role, http::Opcode::Ping, bytes.substr(0, 125), frame);
  http::FrameParser peer(role == http::Role::Client ? http::Role::Server : http::Role::Client, kMessageLimit);
  std::string_view rest = frame;
  CHECK(peer.parse(rest).payload == bytes.substr(0, 125)) << "a frame that did not come back";
  return 0;
}
