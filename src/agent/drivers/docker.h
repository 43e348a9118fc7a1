// SPDX-License-Identifier: Apache-2.0
// Runs containers by Docker's Engine API, which Podman also implements.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/drivers/driver.h"
#include "agent/drivers/image_pull.h"
#include "agent/drivers/worker_program.h"
#include "base/result.h"
#include "http/io_threads.h"

namespace agent::drivers {

struct DockerOptions {
  std::string socket;      // "": from DOCKER_HOST, or else /var/run/docker.sock
  std::string agent_name;  // marks containers of this agent; it never touches those of others

  // Simulated GPUs are not requested from the engine.
  bool simulated_gpus = false;
  std::string nvidia_smi_path;    // mounted as /usr/bin/nvidia-smi. "": none
  std::string nvidia_smi_folder;  // its data, mounted at the same path. "": none
  std::string mps_pipe_folder;    // of NVIDIA's MPS daemon, for shared GPUs. "": none
  ImagePull image_pull = ImagePull::Default;
  std::string pulled_images_file;  // images that tasks pulled, for ImagePull::Once. "": forgotten with the driver
  std::vector<std::string> exec_command = {"/proc/self/exe", "exec-shim"};  // guards commands in containers
  WorkerPrograms programs = {};   // mounted into containers of workers
};

// Blocks while it queries the engine's version: do not call it on a thread of `io`. The error names
// the socket. The driver may be destroyed while containers run, but not while its calls are pending.
base::Result<std::unique_ptr<Driver>> open_docker(http::IoThreads& io, DockerOptions options);

}  // namespace agent::drivers
