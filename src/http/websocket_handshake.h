// SPDX-License-Identifier: Apache-2.0
// The opening handshake of WebSockets (RFC 6455 4), for both sides.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "http/message.h"

namespace http {

// The server's Sec-WebSocket-Accept for a client's key.
std::string accept_for(std::string_view key);

// Returns the client's key. Throws Failure for an invalid upgrade.
std::string check_upgrade(const RequestHead& head, bool http11);
std::string switching_protocols(std::string_view key);

// Appends the head of an upgrade.
void write_upgrade(RequestHead head, std::string_view key, std::string& out);
// Why this 101 does not accept the key, or "".
std::string problem_with(const Response& switched, std::string_view key);

}  // namespace http
