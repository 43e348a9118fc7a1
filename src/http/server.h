// SPDX-License-Identifier: Apache-2.0
// An HTTP/1.1 server: TCP, TLS and unix sockets in, one handler for all of them.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "base/time.h"
#include "http/io_threads.h"
#include "http/message.h"
#include "http/websocket.h"

namespace http {

// Waits are checked once a `tick`, so each may last that much longer.
struct Limits {
  std::size_t head_bytes = 64 * 1024;          // presigned URLs and session tokens are long
  std::size_t connections = 4096;              // more are answered 503 and closed
  std::size_t unread_body_bytes = 256 * 1024;  // read past to keep a connection; more closes it
  base::Duration idle = std::chrono::seconds(75);
  base::Duration head = std::chrono::seconds(20);           // from a head's first byte to its last
  base::Duration body_progress = std::chrono::seconds(30);  // between two reads of a body
  base::Duration write = std::chrono::seconds(60);          // for one answer to be taken
  base::Duration linger = std::chrono::seconds(5);          // for a refused client to read why
  base::Duration drain = std::chrono::seconds(25);          // for requests in progress at drain()
  base::Duration tick = std::chrono::seconds(1);
};

class Connection;

// One request on one connection. Lives until the handler returns, and is used
// only by the coroutine that was given it.
class Exchange {
 public:
  explicit Exchange(Connection& connection) : connection_(connection) {}

  const RequestHead& head() const;
  const std::string& peer() const;  // "127.0.0.1:5555", or "unix"
  bool secure() const;              // came over TLS

  // The whole body, or what is left of it. Throws Failure: 413 past the limit,
  // 400 for a malformed chunk, 408 for a client that stopped sending.
  boost::asio::awaitable<std::string> read_body(std::size_t limit);
  // The next piece of it, as it comes, a quarter of a MiB where so much is there; "" at its end. For
  // what does not fit memory. A client that expects "100 Continue" is told so by the first of these
  // reads; a handler that returns before it has refused the body, and the connection then closes.
  boost::asio::awaitable<std::string> read_piece();

  // Has the client closed its side? For handlers that waited long.
  bool peer_gone() const;

  // An answer in pieces, for what does not fit memory or is not there yet: its head, with the
  // first piece as its body, then more of them. Limits::write holds for each piece. The Response
  // that the handler returns afterwards only ends the answer. Both throw Failure when the client
  // is gone; a handler that throws cuts the answer short, so that the client can tell.
  boost::asio::awaitable<void> start(Response head);
  boost::asio::awaitable<void> write_piece(std::string piece);

  // Answers 101 and turns the connection into a WebSocket, which lives until it is closed, the
  // handler returns (its Response is ignored) or the server ends. Limits' waits for requests do
  // not count for it. Throws Failure for what is no upgrade: 400, or 426 for another version.
  boost::asio::awaitable<std::shared_ptr<WebSocket>> accept_websocket(WebSocketLimits limits = {});

 private:
  Connection& connection_;
};

// Runs on the connection's own thread, so it must not block there.
using Handler = std::function<boost::asio::awaitable<Response>(Exchange&)>;

class Server {
 public:
  Server(IoThreads& io, Handler handler, Limits limits = {});
  // Ends what drain() left, and waits for it. The threads must still run.
  ~Server();

  // Port 0 takes any free one. These throw std::runtime_error with one clear line.
  void listen_tcp(const std::string& address, unsigned short port);
  void listen_tls(const std::string& address, unsigned short port, const std::string& certificate_file,
                  const std::string& key_file);
  // Mode 0600; replaces the file of a server that is gone, not of one that listens.
  void listen_unix(const std::string& path);

  unsigned short port() const;  // of the first TCP or TLS listener; 0 without one
  std::size_t connections() const;

  // Stops accepting, closes idle connections, lets requests in progress finish,
  // and after limits.drain cancels them. Blocks: not for a thread of `io`.
  void drain();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace http
