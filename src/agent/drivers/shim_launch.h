// SPDX-License-Identifier: Apache-2.0
// The agent's side of a shim: starts one, waits for its end, signals it.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>
#include <vector>

#include "agent/drivers/driver.h"
#include "agent/drivers/shim_folder.h"

namespace agent::drivers {

// A living shim, by a descriptor that never means another process.
class ShimHandle {
 public:
  // None when no shim lives in that folder. Throws where that can't be told.
  static std::optional<ShimHandle> find(const std::string& folder);
  ShimHandle(ShimHandle&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  ~ShimHandle();

  void signal(int signal) const;
  // True once it has ended, false when it has not after `patience`; none: however long. Throws when
  // the caller is cancelled.
  boost::asio::awaitable<bool> ended(std::optional<base::Duration> patience) const;

 private:
  explicit ShimHandle(int fd) : fd_(fd) {}
  int fd_;
};

// `shim_command` and the folder, which has its spec. Returns when the command runs, or why not.
boost::asio::awaitable<base::Result<ShimStarted>> launch_shim(std::vector<std::string> shim_command,
                                                              std::string folder);

}  // namespace agent::drivers
