// SPDX-License-Identifier: Apache-2.0
// A task's output, read from the server as it comes.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "client/request.h"
#include "shapes/agent/extensions.h"

namespace cli {

struct LogRequest {
  std::string cluster, task;
  std::optional<std::string> container;
  bool follow = false;
  std::optional<int> tail;
};

using LogLine = shapes::agent::StokerLogLine;

// Gives each line to `each` until there are no more, or until it answers false. Throws wire::ApiError
// as the server answered, and std::runtime_error where it did not, or broke off.
void read_logs(const client::Profile& profile, const LogRequest& request, const std::function<bool(LogLine)>& each);

// "GET" target: /stoker/logs?cluster=...
std::string log_target(const LogRequest& request);

}  // namespace cli
