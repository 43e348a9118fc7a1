// SPDX-License-Identifier: Apache-2.0
// A WebSocket connection (RFC 6455), client or server: messages in both directions.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "http/client.h"
#include "http/message.h"

namespace http {

struct WebSocketLimits {
  std::size_t message_bytes = 4 * 1024 * 1024;  // a longer message closes the connection
  std::size_t queued_bytes = 16 * 1024 * 1024;  // unsent bytes; more closes the connection
  bool binary = false;  // binary messages are read like text; otherwise they close the connection
  // For the peer to receive one step of a message. A stream whose reader may pause needs more than the usual minute.
  std::optional<base::Duration> write_patience = {};
};

class WebSocket {
 public:
  virtual ~WebSocket() = default;

  // The next complete message. One reader at a time, on the connection's thread. An error
  // is the end of the connection: closed by either side, broken, or nothing received for
  // `deadline`.
  virtual boost::asio::awaitable<base::Result<std::string>> read(base::Duration deadline) = 0;

  // From any thread, in the order of the calls, without waiting. False: the connection is closed,
  // or the queue is full, which closes it.
  virtual bool send(std::string text) = 0;
  virtual bool send_binary(std::string bytes) = 0;
  // The peer answers with a pong, which counts as received. From any thread. False as of send().
  virtual bool ping() = 0;

  // Waits until at most `bytes` are unsent, or the connection is over. On the connection's thread, one waiter at a
  // time.
  virtual boost::asio::awaitable<void> wait_for_room(std::size_t bytes) = 0;

  // From any thread: sends a close frame after the queued messages, and ends read().
  virtual void close() = 0;
};

// The result of a client's upgrade: the connection, or the response that rejects it.
struct WebSocketReply {
  std::shared_ptr<WebSocket> socket;  // shared with the coroutine that writes
  Response rejection;                 // if there is no socket
};

// `request` has the target and headers, signed if necessary. This adds Upgrade and the headers that
// go with it. Runs on the caller's io_context.
boost::asio::awaitable<base::Result<WebSocketReply>> connect_websocket(Endpoint endpoint, Request request,
                                                                       base::Duration deadline,
                                                                       WebSocketLimits limits = {});

}  // namespace http
