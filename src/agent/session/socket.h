// SPDX-License-Identifier: Apache-2.0
// A signed WebSocket to the server, and messages on it.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <map>
#include <memory>
#include <string>

#include "client/request.h"
#include "http/websocket.h"
#include "wire/frame.h"

namespace agent {

// `url`: as DiscoverPollEndpoint answers it. Throws wire::ApiError as the server refused it, and
// std::runtime_error where it did not answer.
boost::asio::awaitable<std::shared_ptr<http::WebSocket>> connect(client::Profile profile, std::string url,
                                                                 std::map<std::string, std::string> query);

// Nothing heard for a minute or more: the server is gone, whatever TCP says. With jitter, so that
// not all agents come back at once.
base::Duration silence_limit();

template <class T>
bool send(http::WebSocket& socket, std::string_view type, const T& message) {
  return socket.send(wire::write_frame(type, message));
}

}  // namespace agent
