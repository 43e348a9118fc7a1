// SPDX-License-Identifier: Apache-2.0
// A WebSocket connection (RFC 6455), either side of it: text messages in both directions.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "http/client.h"
#include "http/message.h"

namespace http {

struct WebSocketLimits {
  std::size_t message_bytes = 4 * 1024 * 1024;  // a longer one closes the connection
  std::size_t queued_bytes = 16 * 1024 * 1024;  // waiting to be sent; more closes the connection
};

class WebSocket {
 public:
  virtual ~WebSocket() = default;

  // The next text message, whole; pings are answered on the way. One reader at a time, on the
  // thread that the connection lives on. An error is its end: closed by either side, broken, or
  // nothing heard for `deadline`.
  virtual boost::asio::awaitable<base::Result<std::string>> read(base::Duration deadline) = 0;

  // From any thread, in the order of the calls; does not wait. False: it is closed, or too much
  // waits already, which closes it.
  virtual bool send(std::string text) = 0;

  // From any thread: sends a close frame after what was sent, and ends read().
  virtual void close() = 0;
};

// A client's upgrade: the connection, or what the server answered instead of it.
struct WebSocketReply {
  std::shared_ptr<WebSocket> socket;  // shared: with the coroutine that writes
  Response refusal;                   // where there is no socket
};

// `request` has target and headers, signed where they need to be; Upgrade and its companions are
// added. On the io_context that the caller runs on.
boost::asio::awaitable<base::Result<WebSocketReply>> connect_websocket(Endpoint endpoint, Request request,
                                                                       base::Duration deadline,
                                                                       WebSocketLimits limits = {});

}  // namespace http
