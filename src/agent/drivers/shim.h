// SPDX-License-Identifier: Apache-2.0
// A small process beside each command that the process driver runs. It outlives the agent: it catches
// the command's output and its exit status, and leaves nothing of the command running behind it.
#pragma once

#include <string>

namespace agent::drivers {

// Where the agent hears that the command runs, or could not be: the shim closes it, having written
// started.json or exit.json.
inline constexpr int kShimStatusFd = 3;

// Signals that the shim takes. It alone may signal the command, being its parent: until it has
// reaped it, that process id is nobody else's.
inline constexpr int kShimStop = 15;  // SIGTERM: the command's stop signal to its process group
inline constexpr int kShimKill = 10;  // SIGUSR1: SIGKILL to all of it

// `stoker shim <folder>`, see shim_folder.h. Ends when the command has.
int run_shim(const std::string& folder);

}  // namespace agent::drivers
