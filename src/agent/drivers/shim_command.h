// SPDX-License-Identifier: Apache-2.0
// Starts the command of a shim as its spec describes it.
#pragma once

#include <sys/types.h>

#include <string>

#include "agent/drivers/shim_folder.h"
#include "base/result.h"

namespace agent::drivers {

struct ShimCommand {
  pid_t pid = -1;
  int out = -1;  // read ends of its stdout and stderr, non-blocking
  int err = -1;
};

// Returns after exec. The error names the step that failed, as runc does:
// `exec: "nosuch": no such file or directory`.
base::Result<ShimCommand> start_command(const ShimSpec& spec);

}  // namespace agent::drivers
