// SPDX-License-Identifier: Apache-2.0
// The state of a process, read from its folder, and the clean-up of one whose shim is dead.
#pragma once

#include <sys/types.h>

#include <string>

#include "agent/drivers/cgroup.h"
#include "agent/drivers/driver.h"
#include "agent/drivers/shim_folder.h"

namespace agent::drivers {

Phase phase_of(const std::string& folder, const ShimSpec& spec);

// For a process whose shim no longer runs: its exit, as written by the shim. If the shim was killed
// before it wrote one, kills what is left of the process; the exit code is then 137, with a reason.
// Fails while some of it is still running.
base::Result<ShimExit> settle(const std::string& folder, const ShimSpec& spec, const Cgroups& cgroups);

// Sends the signal to all processes of the session that the process leads; 0: to none. True when there is none.
bool signal_session(pid_t leader, int signal);

// Kills all processes of this user, which is a task's own. True when it had none.
bool kill_processes_of(uid_t uid);

// Usage of the session that the process leads, for machines without cgroups.
CgroupUsage session_usage(pid_t leader);

}  // namespace agent::drivers
