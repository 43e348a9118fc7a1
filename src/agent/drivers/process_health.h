// SPDX-License-Identifier: Apache-2.0
// A container's health check: a command that is run periodically.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "agent/drivers/shim_folder.h"

namespace agent::drivers {

struct HealthState {
  std::string status = "UNKNOWN";
  int failures = 0;  // consecutive ones that count
  std::chrono::steady_clock::time_point due;
};

// Records the result of a check. In the start period, failures of a container that has never been
// healthy do not count.
void record_check(HealthState& health, const ShimHealthCheck& check, bool passed, bool in_start_period);

// Runs the check once, with the container's cgroup and environment. Returns true for exit code 0
// within the timeout. `folder` is the container's.
boost::asio::awaitable<bool> run_check(std::vector<std::string> shim_command, std::string folder, ShimSpec container);

}  // namespace agent::drivers
