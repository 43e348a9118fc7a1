// SPDX-License-Identifier: Apache-2.0
// A container as a process: each member of it is honoured, or refused by its name, or means nothing
// without an engine.
//
// honoured   entryPoint + command, environment, cpu, memory, GPUs and shares, privileged (a process is
//            as free as its user); config: User, WorkingDir, Healthcheck, StopSignal; hostConfig:
//            Ulimits, MemoryReservation, MemorySwap, PidsLimit, Init (the shim reaps orphans), ShmSize
//            that the machine's /dev/shm has; of the task: cpu, memory, networkMode host, and bridge
//            taken as host
// refused    mountPoints, volumesFrom, links, ports that are mapped to others, containerPortRange,
//            networkMode awsvpc and none, ipcMode none; config: Hostname, Tty, OpenStdin, ...;
//            hostConfig: everything else that is set (ReadonlyRootfs, Devices, CapAdd, Tmpfs, Dns, ...)
// means      image, config Labels and ExposedPorts, the task's volumes that nothing mounts, pidMode
// nothing    and ipcMode host and task (there is one namespace)
// not ours   essential, dependsOn, timeouts, restartPolicy, credentials, LogConfig: the agent's
#pragma once

#include <string>
#include <vector>

#include "agent/drivers/driver.h"
#include "agent/drivers/process.h"
#include "agent/drivers/shim_folder.h"

namespace agent::drivers {

struct ProcessPlan {
  ShimSpec spec;                           // but for its cgroup
  std::int64_t memory_and_swap_bytes = 0;  // Docker's MemorySwap
  std::int64_t reservation_bytes = 0;
  std::int64_t pids = 0;
};

// The error is without its "CannotCreateContainerError: ".
base::Result<ProcessPlan> plan_process(const ContainerSpec& container, const ProcessOptions& options);

// The variables that it gets, all of them.
std::map<std::string, std::string> process_environment(const ContainerSpec& container, const ProcessOptions& options,
                                                       const std::string& home);

}  // namespace agent::drivers
