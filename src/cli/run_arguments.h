// SPDX-License-Identifier: Apache-2.0
// The arguments of `stoker run` as a task definition.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "shapes/ecs/task_definition.h"

namespace cli {

struct RunArguments {
  std::string image;
  std::string gpus;  // "2", "all"; "": none
  std::optional<int> gpu_memory_mib, gpu_compute_percent;
  std::optional<int> cpu_units;
  std::string cores, memory;             // "1.5"; "512", "4g": see cli/run_options.h
  std::vector<std::string> environment;  // "K=V", or "K" to copy the local value
  std::string family;                    // "": derived from the image
  std::string role;                      // a name or an ARN; "": its task has no credentials
  bool detach = false;
  bool interactive = false, tty = false;  // standard input, and a terminal, of the container's own process
  std::vector<std::string> volumes, ports, environment_files;  // see cli/run_options.h
  std::string shm_size, working_directory, user;
  // Of the launch, not of the definition:
  int count = 1;
  std::string machine;                   // "": any
  std::vector<std::string> constraints;  // expressions of ECS's memberOf
  bool remove = false;                   // deletes the task definition's revision at the end
  bool wait = false;                     // for busy GPUs
  std::vector<std::string> entry_point, command;
};

// The name of the only container.
inline constexpr char kRunContainer[] = "main";
// Tag with a hash of the arguments, to reuse a revision that the same arguments created.
inline constexpr char kRunTag[] = "stoker:run";
// Reserved when there is no limit.
inline constexpr int kRunMemoryMiB = 512;

// "run-pytorch" for "nvcr.io/nvidia/pytorch:24.01".
std::string family_of_image(const std::string& image);

// Fails for invalid or conflicting arguments.
base::Result<shapes::ecs::RegisterTaskDefinitionRequest> definition_of(const RunArguments& arguments);

}  // namespace cli
