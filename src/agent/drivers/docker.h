// SPDX-License-Identifier: Apache-2.0
// Containers by Docker's Engine API, which Podman speaks too.
#pragma once

#include <memory>
#include <string>

#include "agent/drivers/driver.h"
#include "base/result.h"
#include "http/io_threads.h"

namespace agent::drivers {

struct DockerOptions {
  std::string socket;      // "": that of DOCKER_HOST, or else /var/run/docker.sock
  std::string agent_name;  // marks what this agent makes; another agent's is never touched

  // Simulated GPUs are told to a container, and asked of the engine by nobody.
  bool simulated_gpus = false;
  std::string nvidia_smi_path;   // on this machine; shows as /usr/bin/nvidia-smi. "": none
  std::string nvidia_smi_folder;  // what it reads, at the same path inside. "": none
  std::string mps_pipe_folder;   // of NVIDIA's MPS daemon, for shares of a GPU. "": there is none
};

// Asks the engine who it is, and blocks for that: never on a thread of `io`. The error says
// which socket did not answer. The driver may end while containers run, but not before the
// calls that were made on it have returned.
base::Result<std::unique_ptr<Driver>> open_docker(http::IoThreads& io, DockerOptions options);

}  // namespace agent::drivers
