// SPDX-License-Identifier: Apache-2.0
// Runs a server until SIGINT or SIGTERM.
#pragma once

#include <functional>
#include <string>

#include "control/config.h"
#include "state/keys.h"

namespace control {

// A client in the same process, such as an agent. It starts once the server listens, and stops before the server
// drains.
struct Companion {
  std::function<void(const std::string& url, const state::Key& root)> start = {};
  std::function<void()> stop = {};
};

// Returns the exit status of the process. Blocks SIGINT and SIGTERM: call it on the main thread, before other threads
// start. Throws exceptions whose what() is one clear line.
int up(const Config& config, const std::string& version, const Companion& companion = {});

}  // namespace control
