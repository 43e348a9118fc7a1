// SPDX-License-Identifier: Apache-2.0
// Relays TCP connections to the server, for containers that cannot reach this machine's loopback address, and for all
// tasks of a server with TLS: stock clients in them do not know its certificate. Plain connections do not leave this
// machine. The bytes are not changed, because SigV4 signs the Host header.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "base/time.h"
#include "http/client.h"

namespace agent {

struct RelayLimits {
  std::size_t connections = 1024;                     // further ones are closed
  base::Duration connect = std::chrono::seconds(10);  // to the server
  base::Duration idle = std::chrono::hours(1);        // no bytes in either direction
  base::Duration half_closed = std::chrono::minutes(1);  // the same, of a client that has ended its side
  base::Duration tick = std::chrono::seconds(10);     // interval between checks for expired connections
};

struct RelayRoute {
  std::string listen_address;
  unsigned short listen_port = 0;  // 0: any
  http::Endpoint server;
};

class Relay {
 public:
  // Throws std::runtime_error with a one-line message. Everything runs on `io`, which has one thread.
  Relay(boost::asio::io_context& io, const RelayRoute& route, RelayLimits limits = {});
  // Ends all connections and waits for them. `io` must still run. Not to be called on its thread.
  ~Relay();

  unsigned short port() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace agent
