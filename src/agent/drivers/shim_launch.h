// SPDX-License-Identifier: Apache-2.0
// The agent's side of a shim: starts it, signals it and waits for its end.
#pragma once

#include <array>
#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>
#include <vector>

#include "agent/drivers/driver.h"
#include "agent/drivers/shim_folder.h"

namespace agent::drivers {

// A running shim, referred to by a descriptor: unlike a process id, it is never reused.
class ShimHandle {
 public:
  // None when no shim runs in that folder. Throws when that cannot be determined.
  static std::optional<ShimHandle> find(const std::string& folder);
  ShimHandle(ShimHandle&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  ~ShimHandle();

  void signal(int signal) const;
  // Returns true once the shim has ended, false after `timeout` (none: no limit). Throws when the
  // caller is cancelled.
  boost::asio::awaitable<bool> ended(std::optional<base::Duration> timeout) const;

 private:
  explicit ShimHandle(int fd) : fd_(fd) {}
  int fd_;
};

// Runs a program of ours in its own session, with default signal handlers and without the agent's environment. It has
// these descriptors, from 0 on, and no others; -1: /dev/null. The caller reaps it.
base::Result<pid_t> spawn_with_files(std::vector<std::string> words, const std::array<int, 4>& descriptors);

// Runs `shim_command` with the folder, which contains spec.json. Returns once the command runs or failed.
boost::asio::awaitable<base::Result<ShimStarted>> launch_shim(std::vector<std::string> shim_command,
                                                              std::string folder);

}  // namespace agent::drivers
