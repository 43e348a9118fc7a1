// SPDX-License-Identifier: Apache-2.0
// A container's health check: a command that is run again and again beside it.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "agent/drivers/shim_folder.h"

namespace agent::drivers {

struct Health {
  std::string status = "UNKNOWN";
  int failures = 0;  // in a row, that count
  std::chrono::steady_clock::time_point due;
};

// What a check's outcome makes of it. In its start period a container that has not been healthy
// yet may fail: that does not count.
void note_check(Health& health, const ShimHealthCheck& check, bool passed, bool in_start_period);

// Runs it once, in the container's cgroup and with its environment; false for all but exit 0 in
// time. `folder` is the container's.
boost::asio::awaitable<bool> run_check(std::vector<std::string> shim_command, std::string folder, ShimSpec container);

}  // namespace agent::drivers
