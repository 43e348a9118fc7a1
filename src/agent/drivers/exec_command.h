// SPDX-License-Identifier: Apache-2.0
// For the exec shim: starts a command in the world of a task's first process.
#pragma once

#include <sys/types.h>

#include <string>

#include "agent/drivers/exec_shim.h"

namespace agent::drivers {

struct ExecStart {
  pid_t child = 0;   // of the caller
  pid_t leader = 0;  // the command itself: in a pid namespace of its own, a child of `child`
  int code = 0;      // where it failed: 126, or 127 for a missing command
  std::string error = {};
};

// Stdin, stdout and stderr of the caller are those of the command. Returns when the command runs, or has failed.
ExecStart start_exec(const ExecSpec& spec);

}  // namespace agent::drivers
