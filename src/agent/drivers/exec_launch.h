// SPDX-License-Identifier: Apache-2.0
// The agent's side of an exec shim (exec_shim.h).
#pragma once

#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/drivers/exec.h"
#include "agent/drivers/exec_shim.h"
#include "base/result.h"

namespace agent::drivers {

inline constexpr base::Duration kShimPatience = std::chrono::minutes(1);

class ExecLauncher {
 public:
  // Runs `program` with these descriptors as stdin, stdout and stderr; -1: /dev/null. Returns when the command runs or has
  // failed, or the guard watches. An error after `patience`: the command's file system or the machine may hang.
  static boost::asio::awaitable<base::Result<std::unique_ptr<ExecLauncher>>> start(std::vector<std::string> program,
                                                                                   ExecSpec spec,
                                                                                   std::array<int, 3> descriptors,
                                                                                   base::Duration patience = kShimPatience);

  std::int64_t pid() const { return pid_; }
  // The end of a command that the shim started, as far as it is known without waiting.
  const std::optional<ExecEnd>& end();
  // Readable when end() may have changed.
  boost::asio::posix::stream_descriptor& control() { return control_; }

  void signal(int number);
  // Also happens when this object is destroyed.
  void hang_up();

 private:
  explicit ExecLauncher(boost::asio::posix::stream_descriptor control) : control_(std::move(control)) {}
  void take_line(const std::string& line);

  boost::asio::posix::stream_descriptor control_;
  std::string input_;
  std::int64_t pid_ = 0;
  std::optional<ExecEnd> end_;
};

}  // namespace agent::drivers
