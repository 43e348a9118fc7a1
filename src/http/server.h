// SPDX-License-Identifier: Apache-2.0
// An HTTP/1.1 server on TCP, TLS and unix sockets, with one handler.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "base/time.h"
#include "http/admission.h"
#include "http/body_budget.h"
#include "http/io_threads.h"
#include "http/message.h"
#include "http/websocket.h"

namespace http {

// Waits are checked once a `tick`, so each may last that much longer.
struct Limits {
  std::size_t head_bytes = 64 * 1024;          // presigned URLs and session tokens are long
  AdmissionLimits connections = {};            // more get a 503 and are closed
  BodyLimits bodies = {};                      // a body that does not fit gets a 503
  BodyLimits account_bodies = {std::size_t{1} << 30, std::size_t{1} << 29};  // of verified requests, and unread responses
  std::size_t unread_body_bytes = 256 * 1024;  // skipped to keep a connection; more closes it
  base::Duration idle = std::chrono::seconds(75);
  base::Duration unknown_idle = std::chrono::seconds(20);   // of a connection that has not shown a key
  base::Duration head = std::chrono::seconds(20);           // from a head's first byte to its last
  base::Duration body_progress = std::chrono::seconds(30);  // between two reads of a body
  base::Duration write = std::chrono::seconds(60);          // for the client to receive one response
  base::Duration linger = std::chrono::seconds(5);          // for a rejected client to read the response
  base::Duration drain = std::chrono::seconds(25);          // for requests in progress at drain()
  base::Duration tick = std::chrono::seconds(1);
};

class Connection;

// One request on one connection. Valid until the handler returns, and only in the
// handler's coroutine.
class Exchange {
 public:
  explicit Exchange(Connection& connection) : connection_(connection) {}

  const RequestHead& head() const;
  const std::string& peer() const;  // "127.0.0.1:5555", or "unix"
  bool secure() const;              // over TLS

  // The whole body, or the rest of it. Throws Failure: 413 past the limit,
  // 400 for a malformed chunk, 408 if the client stops sending.
  boost::asio::awaitable<std::string> read_body(std::size_t limit);
  // The next piece of the body, up to a quarter of a MiB; "" at its end. For bodies that do not fit
  // memory. The first of these reads sends "100 Continue" to a client that expects it. A handler that
  // returns without reading rejects the body, and the connection then closes.
  boost::asio::awaitable<std::string> read_piece();

  // The signature of this request is valid, and this account's. Its body no longer uses the memory for unverified
  // ones. Throws Failure where there is no place (503) or the account has its share (429); the connection then closes.
  // Throws Failure (503) as well where the account's bodies use as much memory as they may.
  void set_account(const std::string& account);

  // The same for a WebSocket of a client that is no agent, before or after it is accepted: some show what identifies them
  // in their first message. Returns why there is no place for it, "" where there is.
  std::string set_client(const std::string& account);

  // Whether the client has closed its side, for handlers that wait long.
  bool peer_gone() const;

  // A response in pieces, for one that does not fit memory or is not complete yet: its head with
  // the first piece as its body, then more pieces. Limits::write applies to each piece. The
  // Response that the handler returns afterwards only ends it. Both throw Failure when the client
  // is gone. A handler that throws cuts the response short, so that the client notices.
  boost::asio::awaitable<void> start(Response head);
  boost::asio::awaitable<void> write_piece(std::string piece);

  // Sends 101 and turns the connection into a WebSocket, which lives until it is closed, the
  // handler returns (its Response is ignored) or the server ends. The deadlines of Limits do not
  // apply to it. Throws Failure for an invalid upgrade: 400, or 426 for another version.
  boost::asio::awaitable<std::shared_ptr<WebSocket>> accept_websocket(WebSocketLimits limits = {});

 private:
  Connection& connection_;
};

// Runs on the connection's own thread, so it must not block there.
using Handler = std::function<boost::asio::awaitable<Response>(Exchange&)>;

class Server {
 public:
  Server(IoThreads& io, Handler handler, Limits limits = {});
  // Ends the remaining connections and waits for them. The threads must still run.
  ~Server();

  // Port 0 chooses a free one. These throw std::runtime_error with a message of one line.
  void listen_tcp(const std::string& address, unsigned short port);
  void listen_tls(const std::string& address, unsigned short port, const std::string& certificate_file,
                  const std::string& key_file);
  // Mode 0600. Replaces the file of a dead server, but not of one that listens.
  void listen_unix(const std::string& path);

  unsigned short port() const;  // of the first TCP or TLS listener, or 0
  std::size_t connections() const;
  const Admission& admission() const;
  const BodyBudget& bodies() const;
  const BodyBudget& account_bodies() const;

  // Stops accepting, closes idle connections, lets requests in progress finish,
  // and after limits.drain cancels them. Blocks: not for a thread of `io`.
  void drain();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace http
