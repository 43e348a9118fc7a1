// SPDX-License-Identifier: Apache-2.0
// `stoker up`: puts everything together and runs it until it is told to stop.
#pragma once

#include "control/config.h"

namespace control {

// The process's exit status. Blocks SIGINT and SIGTERM: call it on the main thread,
// before any other thread is there. Throws what has one clear line in what().
int up(const Config& config, const std::string& version);

}  // namespace control
