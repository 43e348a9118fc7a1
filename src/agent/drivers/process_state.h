// SPDX-License-Identifier: Apache-2.0
// What has become of a process, by its folder; and the end of one whose shim is no more.
#pragma once

#include <string>

#include "agent/drivers/cgroup.h"
#include "agent/drivers/driver.h"
#include "agent/drivers/shim_folder.h"

namespace agent::drivers {

Phase phase_of(const std::string& folder, const ShimSpec& spec);

// For one that ran and whose shim does not: its exit, as the shim left it. Where the shim was killed
// before it could, what is left of the process is killed and its exit is 137, with the reason. An error:
// some of it is not gone yet.
base::Result<ShimExit> settle(const std::string& folder, const ShimSpec& spec, const Cgroups& cgroups);

// Of all that is in the session that the process leads; for machines without cgroups.
CgroupUsage session_usage(pid_t leader);

}  // namespace agent::drivers
