// SPDX-License-Identifier: Apache-2.0
// Turns a container into a process. Each setting is honoured, rejected with an error that names it,
// or has no meaning without an engine.
//
// honoured   entryPoint + command, environment, cpu, memory, GPUs and shares, privileged (it sees all GPUs;
//            its user stays); config: User (task_isolation.h), WorkingDir, Healthcheck, StopSignal; hostConfig:
//            Ulimits, MemoryReservation, MemorySwap, PidsLimit, Init (the shim reaps orphans), ShmSize
//            up to the size of /dev/shm; of the task: cpu, memory, networkMode host, and bridge
//            (treated as host)
// rejected   mountPoints, volumesFrom, links, ports mapped to other ports, containerPortRange,
//            networkMode awsvpc and none, ipcMode none; config: Hostname, Tty, OpenStdin, ...;
//            hostConfig: every other set member (ReadonlyRootfs, Devices, CapAdd, Tmpfs, Dns, ...)
// no meaning image, config Labels and ExposedPorts, volumes that nothing mounts, pidMode and ipcMode
//            host and task (there is one namespace)
// by agent   essential, dependsOn, timeouts, restartPolicy, credentials, LogConfig
#pragma once

#include <string>
#include <vector>

#include "agent/drivers/driver.h"
#include "agent/drivers/process.h"
#include "agent/drivers/shim_folder.h"

namespace agent::drivers {

struct ProcessPlan {
  ShimSpec spec;                           // without its cgroup
  std::int64_t memory_and_swap_bytes = 0;  // Docker's MemorySwap
  std::int64_t reservation_bytes = 0;
  std::int64_t pids = 0;
};

// The error has no "CannotCreateContainerError: " prefix.
base::Result<ProcessPlan> plan_process(const ContainerSpec& container, const ProcessOptions& options,
                                       const TaskIsolation& isolation);

// The last part of a task's ARN, as a path component.
std::string task_path_part(const std::string& arn);
std::string path_part(std::string_view text);

// Paths that the process needs and that may be in hidden folders.
std::vector<ShimPath> visible_paths(const ContainerSpec& container, const ProcessOptions& options);

// The complete environment of the process.
std::map<std::string, std::string> process_environment(const ContainerSpec& container, const ProcessOptions& options,
                                                       const TaskAccount& account);

}  // namespace agent::drivers
