// SPDX-License-Identifier: Apache-2.0
// `stoker up`: puts everything together and runs it until it is told to stop.
#pragma once

#include <functional>
#include <string>

#include "control/config.h"
#include "state/keys.h"

namespace control {

// What runs in the same process and uses the server as anybody else does, an agent: the server does
// not know what it is. It is started once the server listens, and stopped before it drains.
struct Companion {
  std::function<void(const std::string& url, const state::Key& root)> start = {};
  std::function<void()> stop = {};
};

// The process's exit status. Blocks SIGINT and SIGTERM: call it on the main thread,
// before any other thread is there. Throws what has one clear line in what().
int up(const Config& config, const std::string& version, const Companion& companion = {});

}  // namespace control
