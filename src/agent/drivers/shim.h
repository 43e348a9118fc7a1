// SPDX-License-Identifier: Apache-2.0
// The parent process of each command that the process driver runs. It outlives the agent, logs the
// command's output, records its exit status, and kills all descendants of the command at its end.
#pragma once

#include <string>

namespace agent::drivers {

// A pipe to the agent. The shim closes it after it has written started.json or exit.json.
inline constexpr int kShimStatusFd = 3;

// Signals to the shim. Only the shim may signal the command: as its parent it knows that the process
// id is not reused before it has reaped it.
inline constexpr int kShimStop = 15;  // SIGTERM: sends the stop signal to the command's process group
inline constexpr int kShimKill = 10;  // SIGUSR1: sends SIGKILL to it

// `stoker shim <folder>`, see shim_folder.h. Returns when the command has ended.
int run_shim(const std::string& folder);

}  // namespace agent::drivers
