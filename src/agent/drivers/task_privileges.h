// SPDX-License-Identifier: Apache-2.0
// What a task may do, beyond its user's rights. Called by a shim's child between fork and exec.
#pragma once

#include "agent/drivers/shim_folder.h"

namespace agent::drivers {

// Programs with a set-user-id bit or capabilities give no rights from now on. False if that is impossible.
bool give_up_new_privileges();
// Call as root, before the change of user: no program regains a capability.
void give_up_capabilities();
// With the kernel's Landlock: the process, and all that it starts, traces only processes started after this, signals no
// others where the kernel knows that, and opens nothing in the hidden folders but the visible paths. False if that is
// impossible.
bool enter_landlock(const ShimIsolation& isolation);

inline constexpr int kLandlockWithScopes = 6;
// The version of Landlock; 0 without it. It denies files and ptrace from version 1 on, and signals from kLandlockWithScopes
// on.
int landlock_version();

}  // namespace agent::drivers
