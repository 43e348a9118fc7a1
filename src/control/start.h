// SPDX-License-Identifier: Apache-2.0
// Runs a server until SIGINT or SIGTERM.
#pragma once

#include <functional>
#include <string>

#include "control/config.h"
#include "control/server.h"

namespace control {

// A client in the same process, such as an agent. It starts once the server listens, and stops before the server
// drains.
struct Companion {
  std::function<void(Server& server)> start = {};
  std::function<void()> stop = {};
};

// Returns the exit status of the process. Blocks SIGINT and SIGTERM: call it on the main thread, before other threads
// start. Throws exceptions whose what() is one clear line.
int up(Config config, const std::string& version, const Companion& companion = {});

}  // namespace control
