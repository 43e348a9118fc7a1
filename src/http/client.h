// SPDX-License-Identifier: Apache-2.0
// An HTTP/1.1 client of one endpoint, with connections that are kept and used again.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <memory>
#include <string>

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

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace http
