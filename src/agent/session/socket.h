// SPDX-License-Identifier: Apache-2.0
// A signed WebSocket to the server, and its messages.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <map>
#include <memory>
#include <string>

#include "client/request.h"
#include "http/websocket.h"
#include "wire/frame.h"

namespace agent {

// `url` comes from DiscoverPollEndpoint. Throws wire::ApiError where the server rejects the connection, and
// std::runtime_error where it does not respond.
boost::asio::awaitable<std::shared_ptr<http::WebSocket>> connect(client::Profile profile, std::string url,
                                                                 std::map<std::string, std::string> query);
// The same for another path than that of sessions, "/ws".
boost::asio::awaitable<std::shared_ptr<http::WebSocket>> connect(client::Profile profile, std::string url,
                                                                 std::string path,
                                                                 std::map<std::string, std::string> query,
                                                                 http::WebSocketLimits limits);

// After this time without a message the server counts as gone, whatever TCP reports. Random between one
// and one and a half minutes, so that not all agents reconnect together.
base::Duration silence_limit();

template <class T>
bool send(http::WebSocket& socket, std::string_view type, const T& message) {
  return socket.send(wire::write_frame(type, message));
}

}  // namespace agent
