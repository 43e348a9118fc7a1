// SPDX-License-Identifier: Apache-2.0
// An HTTP/1.1 client of one endpoint, which keeps connections and reuses them.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "http/io_threads.h"
#include "http/message.h"

namespace http {

struct Endpoint {
  enum class Kind { Tcp, Tls, Unix };

  Kind kind = Kind::Tcp;
  std::string host;
  unsigned short port = 0;
  std::string path;         // of a unix socket
  std::string ca_file;      // TLS: trusted certificates; "" = the system's
  bool verify_peer = true;  // TLS: false accepts any certificate
  // Why an address of the host must not be connected to; nullopt: it may. Each address is checked when it is connected
  // to, whatever the name resolves to before or after.
  std::function<std::optional<std::string>(const std::string& address)> reject = {};

  static Endpoint tcp(std::string host, unsigned short port);
  static Endpoint tls(std::string host, unsigned short port, std::string ca_file = "");
  static Endpoint unix_socket(std::string path);
};

struct ClientLimits {
  std::size_t head_bytes = 64 * 1024;
  std::size_t body_bytes = 64 * 1024 * 1024;
  std::size_t idle_connections = 64;
};

// A response whose body is read as it arrives. It owns its connection and closes it when destroyed.
// Used by one coroutine at a time, on the io_context that open() ran on.
class ResponseStream {
 public:
  struct State;

  explicit ResponseStream(std::unique_ptr<State> state);
  ~ResponseStream();

  int status() const;
  const base::Headers& headers() const;

  // The next piece of the body; "" at its end. An error ends the body too, also when nothing
  // arrives for `deadline`.
  boost::asio::awaitable<base::Result<std::string>> read_piece(base::Duration deadline);

 private:
  std::unique_ptr<State> state_;
};

// Gets a body piece by piece. What it throws ends the request.
using BodySink = std::function<void(std::string_view)>;

// Safe to use from several threads at once. Its threads must outlive it, and it must outlive
// its requests.
class Client {
 public:
  Client(IoThreads& io, Endpoint endpoint, ClientLimits limits = {});
  ~Client();

  // On the caller's io_context. Sets Host from the endpoint if the request has none. When a
  // reused connection turns out to be closed before any byte of a response, sends the request
  // once more on a new one.
  boost::asio::awaitable<base::Result<Response>> send(Request request, base::Duration deadline);

  // The same, but the body of a response with status 200 goes to `sink`, whatever its size. `idle` is the longest wait
  // for the head, and then for each piece.
  boost::asio::awaitable<base::Result<Response>> download(Request request, BodySink sink, base::Duration idle);

  // Blocks: for the command line, never for a thread of `io`.
  base::Result<Response> send_now(Request request, base::Duration deadline);

  // Returns when the head of the response has arrived, at the latest after `deadline`. Uses a new
  // connection, so nothing is sent twice. The limits do not apply to the body.
  boost::asio::awaitable<base::Result<std::unique_ptr<ResponseStream>>> open(Request request, base::Duration deadline);

  // Blocks: passes each piece to `each` on the caller's thread, without a deadline, until the end
  // or until `each` returns false. Returns the status of the response.
  base::Result<int> stream_now(Request request, base::Duration deadline_for_head,
                               std::function<bool(std::string_view)> each);

 private:
  struct State;
  boost::asio::awaitable<base::Result<Response>> send_to(Request request, base::Duration deadline, BodySink sink);

  std::unique_ptr<State> state_;
};

}  // namespace http
