// SPDX-License-Identifier: Apache-2.0
// Runs containers as processes, for machines without an engine. A container's entry point and command become a process
// group in a cgroup, with the machine's own files and network, as far as task_isolation.h leaves them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/drivers/driver.h"
#include "agent/drivers/task_isolation.h"
#include "agent/drivers/worker_program.h"
#include "base/result.h"

namespace agent::drivers {

struct ProcessOptions {
  std::string folder;      // created if missing; has a folder for each process
  std::string agent_name;  // marks processes of this agent
  std::vector<std::string> exec_command = {"/proc/self/exe", "exec-shim"};  // run_exec_shim()
  std::vector<std::string> shim_command = {"/proc/self/exe", "shim"};  // the folder is appended: run_shim()

  std::string tool_folder;      // first in PATH: the nvidia-smi of simulated GPUs. "": none
  std::string mps_pipe_folder;  // of NVIDIA's MPS daemon, for shared GPUs. "": none
  std::string mps_log_folder;
  WorkerPrograms programs = {};
  IsolationOptions isolation = {};

  // A shim that has not killed its command after this time is killed itself.
  base::Duration kill_timeout = std::chrono::seconds(15);
};

// The driver may be destroyed while processes run, but not while its calls are pending. Its calls
// run on the executor of the awaiting coroutine.
base::Result<std::unique_ptr<Driver>> open_process(ProcessOptions options);

}  // namespace agent::drivers
