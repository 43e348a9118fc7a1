// SPDX-License-Identifier: Apache-2.0
#include "http/websocket_handshake.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "http/writer.h"

namespace http {
namespace {

constexpr std::string_view kGuid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";  // RFC 6455 1.3
constexpr std::string_view kVersion = "13";
constexpr std::size_t kKeyBytes = 16;

// Whether a header's comma-separated list, possibly in several lines, contains the word.
bool has_word(const base::Headers& headers, std::string_view name, std::string_view word) {
  for (const base::Headers::Line& line : headers) {
    if (!base::equals_ignoring_case(line.first, name)) continue;
    std::string_view rest = line.second;
    while (!rest.empty()) {
      std::size_t comma = rest.find(',');
      if (base::equals_ignoring_case(base::trim(rest.substr(0, comma)), word)) return true;
      rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    }
  }
  return false;
}

}  // namespace

std::string accept_for(std::string_view key) { return base::to_base64(base::sha1(std::string(key) += kGuid)); }

std::string check_upgrade(const RequestHead& head, bool http11) {
  if (head.method != "GET" || !http11) throw Failure(400, "A WebSocket begins with a GET of HTTP/1.1.");
  if (!has_word(head.headers, "Upgrade", "websocket") || !has_word(head.headers, "Connection", "upgrade")) {
    throw Failure(400, "A WebSocket request must have \"Upgrade: websocket\" and \"Connection: Upgrade\".");
  }
  if (base::trim(head.headers.get("Sec-WebSocket-Version")) != kVersion) {
    throw Failure(426, "The supported WebSocket version is 13 (Sec-WebSocket-Version: 13).");
  }
  std::string key(base::trim(head.headers.get("Sec-WebSocket-Key")));
  std::optional<std::string> bytes = base::from_base64(key);
  if (!bytes || bytes->size() != kKeyBytes) throw Failure(400, "Sec-WebSocket-Key must be 16 bytes in base64.");
  return key;
}

std::string switching_protocols(std::string_view key) {
  return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " +
         accept_for(key) + "\r\n\r\n";
}

void write_upgrade(RequestHead head, std::string_view key, std::string& out) {
  head.headers.set("Upgrade", "websocket");
  head.headers.set("Sec-WebSocket-Version", std::string(kVersion));
  head.headers.set("Sec-WebSocket-Key", std::string(key));
  write_head(head, 0, out);
  // write_head() omits Connection, so insert it before the empty line.
  out.insert(out.size() - 2, "Connection: Upgrade\r\n");
}

std::string problem_with(const Response& switched, std::string_view key) {
  if (!has_word(switched.headers, "Upgrade", "websocket") || !has_word(switched.headers, "Connection", "upgrade")) {
    return "the server switched to another protocol";
  }
  if (base::trim(switched.headers.get("Sec-WebSocket-Accept")) != accept_for(key))
    return "the server accepted another key";
  if (switched.headers.find("Sec-WebSocket-Extensions")) return "the server uses an extension that was not offered";
  return "";
}

}  // namespace http
