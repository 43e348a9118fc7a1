// SPDX-License-Identifier: Apache-2.0
// Containers as plain processes, for trusted machines without an engine: a container's entry point
// and command as a process group in a cgroup, on the machine's own files and network.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/drivers/driver.h"
#include "base/result.h"

namespace agent::drivers {

struct ProcessOptions {
  std::string folder;      // made if it is not there; a folder for each process below it
  std::string agent_name;  // marks what this agent makes
  std::vector<std::string> shim_command = {"/proc/self/exe", "shim"};  // and a folder: run_shim()

  std::string tool_folder;      // first in every PATH: the nvidia-smi of simulated GPUs. "": none
  std::string mps_pipe_folder;  // of NVIDIA's MPS daemon, for shares of a GPU. "": there is none
  std::string mps_log_folder;

  // For a shim to have killed its command; after that it is killed itself.
  base::Duration kill_patience = std::chrono::seconds(15);
};

// The driver may end while processes run, but not before the calls that were made on it have
// returned. Its calls run on the executor of whoever awaits them.
base::Result<std::unique_ptr<Driver>> open_process(ProcessOptions options);

}  // namespace agent::drivers
