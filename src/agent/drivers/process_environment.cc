// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "agent/drivers/process_spec.h"

namespace agent::drivers {
namespace {

constexpr char kDefaultPath[] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";  // as Docker

using Environment = std::map<std::string, std::string>;

std::string join_ids(const std::vector<gpu::Gpu>& gpus) {
  std::string ids;
  for (const gpu::Gpu& gpu : gpus) ids += (ids.empty() ? "" : ",") + gpu.id;
  return ids;
}

// CUDA and NVIDIA's tools read different variables. Values that the container sets are overridden,
// as ECS's agent does: it must not see GPUs that are not its own.
void add_gpu_variables(const ContainerSpec& container, Environment& environment) {
  if (!container.gpus.empty()) {
    environment["CUDA_VISIBLE_DEVICES"] = environment["NVIDIA_VISIBLE_DEVICES"] = join_ids(container.gpus);
  } else if (container.all_gpus) {
    environment["NVIDIA_VISIBLE_DEVICES"] = "all";
    environment.erase("CUDA_VISIBLE_DEVICES");
  } else {
    environment["NVIDIA_VISIBLE_DEVICES"] = "void";
    environment["CUDA_VISIBLE_DEVICES"] = "";
  }
}

// The memory limit is per device, by its number among the visible ones. The compute limit is for all
// devices together: the smallest share applies.
void add_share_variables(const ContainerSpec& container, const ProcessOptions& options, Environment& environment) {
  std::string memory;
  std::optional<std::int32_t> percent;
  for (std::size_t number = 0; number < container.gpus.size(); ++number) {
    for (const shapes::agent::GpuShare& share : container.shares) {
      if (share.gpuId != container.gpus[number].id || share.container != container.container.name) continue;
      memory += fmt::format("{}{}={}M", memory.empty() ? "" : ",", number, share.memoryInMiB);
      if (share.maxComputePercent) percent = std::min(percent.value_or(100), *share.maxComputePercent);
    }
  }
  if (memory.empty()) return;
  environment["CUDA_MPS_PINNED_DEVICE_MEM_LIMIT"] = memory;
  if (percent) environment["CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"] = std::to_string(*percent);
  if (!options.mps_pipe_folder.empty()) environment["CUDA_MPS_PIPE_DIRECTORY"] = options.mps_pipe_folder;
  if (!options.mps_log_folder.empty()) environment["CUDA_MPS_LOG_DIRECTORY"] = options.mps_log_folder;
}

}  // namespace

std::map<std::string, std::string> process_environment(const ContainerSpec& container, const ProcessOptions& options,
                                                       const TaskAccount& account) {
  Environment environment = container.container.environment;
  environment.try_emplace("PATH", kDefaultPath);
  environment.try_emplace("HOME", account.home.empty() ? "/" : account.home);
  // Libraries ask for the user's name, and a task's own user has no entry in passwd.
  if (!account.name.empty()) {
    environment.try_emplace("USER", account.name);
    environment.try_emplace("LOGNAME", account.name);
  }
  if (!options.tool_folder.empty()) environment["PATH"] = options.tool_folder + ":" + environment["PATH"];
  if (is_worker(container.container.dockerConfig.config)) {
    if (!options.programs.worker.empty()) environment.try_emplace("STOKER_WORK", options.programs.worker);
    environment.try_emplace("STOKER_MACHINE", options.programs.machine);
  }
  add_gpu_variables(container, environment);
  add_share_variables(container, options, environment);
  return environment;
}

}  // namespace agent::drivers
