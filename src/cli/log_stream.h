// SPDX-License-Identifier: Apache-2.0
// Reads a task's output from the server.
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

// What the container wrote: the line and its end, or a part of a line.
std::string bytes_of(const LogLine& line);

// Calls `each` for each line until the end, or until it returns false. Throws like read_lines().
void read_logs(const client::Profile& profile, const LogRequest& request, const std::function<bool(LogLine)>& each);

// The request target: /stoker/logs?cluster=...
std::string log_target(const LogRequest& request);

}  // namespace cli
