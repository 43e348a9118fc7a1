// SPDX-License-Identifier: Apache-2.0
// An HTTP/1.1 client of one endpoint, with connections that are kept and used again.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <functional>
#include <memory>
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
  std::string ca_file;      // TLS: trust these; empty: those that the system trusts
  bool verify_peer = true;  // TLS: false takes any certificate

  static Endpoint tcp(std::string host, unsigned short port);
  static Endpoint tls(std::string host, unsigned short port, std::string ca_file = "");
  static Endpoint unix_socket(std::string path);
};

struct ClientLimits {
  std::size_t head_bytes = 64 * 1024;
  std::size_t body_bytes = 64 * 1024 * 1024;
  std::size_t idle_connections = 64;
};

// An answer whose body is read as it comes. It has a connection of its own, which closes with it.
// Used by one coroutine at a time, on the io_context that open() ran on.
class ResponseStream {
 public:
  struct State;

  explicit ResponseStream(std::unique_ptr<State> state);
  ~ResponseStream();

  int status() const;
  const base::Headers& headers() const;

  // What came next of the body; "" at its end. An error, which includes that nothing came for
  // `deadline`, is the end of it too.
  boost::asio::awaitable<base::Result<std::string>> read_piece(base::Duration deadline);

 private:
  std::unique_ptr<State> state_;
};

// Safe to use from several threads at once. Must not outlive its threads, nor end
// before what it sends has been answered.
class Client {
 public:
  Client(IoThreads& io, Endpoint endpoint, ClientLimits limits = {});
  ~Client();

  // On the io_context that the caller runs on. Host is set from the endpoint where the
  // request has none. When a kept connection turns out to have been closed, before any
  // byte of an answer, the request is sent once more on a new one.
  boost::asio::awaitable<base::Result<Response>> send(Request request, base::Duration deadline);

  // The same, blocking: for the command line, never for a thread of `io`.
  base::Result<Response> send_now(Request request, base::Duration deadline);

  // The answer as soon as its head is there, which is what `deadline` is for. On a connection of
  // its own, so nothing is sent twice; the body is not bounded by limits.
  boost::asio::awaitable<base::Result<std::unique_ptr<ResponseStream>>> open(Request request, base::Duration deadline);

  // The same, blocking: gives each piece to `each` on the caller's thread, however long it takes
  // to come, until the end or until `each` answers false. The answer's status.
  base::Result<int> stream_now(Request request, base::Duration deadline_for_head,
                               std::function<bool(std::string_view)> each);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace http
