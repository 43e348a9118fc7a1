// SPDX-License-Identifier: Apache-2.0
// What `stoker run` is told, and the task definition that it makes of it.
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
  std::optional<int> cpu_units, memory_mib;
  std::vector<std::string> environment;  // "K=V", or "K" for the value that it has here
  std::string family;                    // "": made from the image's name
  bool detach = false;
  std::vector<std::string> entry_point, command;
};

// The only container's name in what `stoker run` starts.
inline constexpr char kRunContainer[] = "main";
// The tag by which a revision is known to be the one that the same arguments would make again.
inline constexpr char kRunTag[] = "stoker:run";
// What is reserved where no limit is set.
inline constexpr int kRunMemoryMiB = 512;

// "run-pytorch" for "nvcr.io/nvidia/pytorch:24.01".
std::string family_of_image(const std::string& image);

// An error in one clear line for arguments that make no sense.
base::Result<shapes::ecs::RegisterTaskDefinitionRequest> definition_of(const RunArguments& arguments);

}  // namespace cli
