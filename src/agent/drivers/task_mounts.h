// SPDX-License-Identifier: Apache-2.0
// The files that a task sees: those of the machine, except that hidden folders are empty and that /tmp is its own.
// Called by a shim's child between fork and exec.
#pragma once

#include <string>

#include "agent/drivers/driver.h"
#include "agent/drivers/shim_folder.h"
#include "base/result.h"

namespace agent::drivers {

// Enters a new mount namespace. A folder that `user` could not enter on the way to a visible path is hidden, too: it
// then contains the visible path alone. Needs root, or user namespaces.
base::Result<Nothing> enter_mounts(const ShimIsolation& isolation, const ShimUser& user);

// Whether this process may create mount namespaces. Tries it in a child process.
bool can_enter_mounts(bool user_namespace);
// Whether a task in such a namespace sees only processes of its own user. Without user namespaces.
bool can_hide_processes();

}  // namespace agent::drivers
