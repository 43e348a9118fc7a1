// SPDX-License-Identifier: Apache-2.0
// A `stoker up` process with its own folder.
#pragma once

#include <string>

#include "support/process.h"
#include "support/signer.h"

namespace bench {

class StokerServer {
 public:
  // Returns when it is ready.
  StokerServer(const std::string& program, const std::string& folder);

  const Endpoint& endpoint() const { return endpoint_; }
  Seconds ready_after() const { return ready_after_; }
  Seconds cpu() const { return process_.cpu(); }
  std::uint64_t peak_memory() const { return process_.peak_memory(); }
  void stop();

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  Process process_;
  Seconds ready_after_{0};
  Endpoint endpoint_;
};

// The port in "... is ready at http://127.0.0.1:PORT, ..."
unsigned short port_in(const std::string& line);

}  // namespace bench
