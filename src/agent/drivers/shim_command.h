// SPDX-License-Identifier: Apache-2.0
// The command of a shim: made into a process with everything that its spec says.
#pragma once

#include <sys/types.h>

#include <string>

#include "agent/drivers/shim_folder.h"
#include "base/result.h"

namespace agent::drivers {

struct ShimCommand {
  pid_t pid = -1;
  int out = -1;  // what it writes to stdout and stderr, to be read without waiting
  int err = -1;
};

// Returns once it has been executed. The error names what could not be done, as runc does:
// `exec: "nosuch": no such file or directory`.
base::Result<ShimCommand> start_command(const ShimSpec& spec);

}  // namespace agent::drivers
