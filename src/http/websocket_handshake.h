// SPDX-License-Identifier: Apache-2.0
// How HTTP turns into a WebSocket (RFC 6455 4), on both sides.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "http/message.h"

namespace http {

// What a server answers to a client's key, to show that it understood.
std::string accept_for(std::string_view key);

// The client's key. Throws Failure for what is no upgrade to a WebSocket.
std::string check_upgrade(const RequestHead& head, bool http11);
std::string switching_protocols(std::string_view key);

// Appends the head of an upgrade.
void write_upgrade(RequestHead head, std::string_view key, std::string& out);
// Why this 101 is not an answer to that key, or "".
std::string problem_with(const Response& switched, std::string_view key);

}  // namespace http
