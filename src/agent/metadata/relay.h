// SPDX-License-Identifier: Apache-2.0
// Carries TCP connections to the server, for containers that can't reach this machine's loopback.
// Bytes only: SigV4 signs the Host that the client wrote, so nothing in them may change.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "base/time.h"

namespace agent {

struct RelayLimits {
  std::size_t connections = 1024;                     // more are closed at once
  base::Duration connect = std::chrono::seconds(10);  // to the server
  base::Duration idle = std::chrono::hours(1);        // nothing in either direction
  base::Duration tick = std::chrono::seconds(10);     // how often that is looked at
};

struct RelayRoute {
  std::string listen_address;
  unsigned short listen_port = 0;  // 0: any
  std::string host;                // of the server
  unsigned short port = 0;
};

class Relay {
 public:
  // Throws std::runtime_error with one clear line. All of it runs on `io`, which has one thread.
  Relay(boost::asio::io_context& io, const RelayRoute& route, RelayLimits limits = {});
  // Ends all connections and waits for them. `io` must still run; not for its own thread.
  ~Relay();

  unsigned short port() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace agent
