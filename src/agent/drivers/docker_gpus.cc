// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/docker_gpus.h"

#include <algorithm>
#include <boost/json/array.hpp>

namespace agent::drivers {
namespace {

namespace json = boost::json;

constexpr int kDeviceRequestsMinor = 40;  // the first API version that has them

json::array& list_in(json::object& host, std::string_view name) {
  json::value& list = host[name];
  if (!list.is_array()) list = json::array();
  return list.get_array();
}

// Device requests need no engine configuration; older engines need the nvidia runtime.
void add_device_request(const ContainerSpec& spec, const EngineFacts& facts, json::object& host) {
  if (facts.nvidia_runtime && facts.api_minor < kDeviceRequestsMinor) {
    host["Runtime"] = "nvidia";
    return;
  }
  json::array capabilities;
  capabilities.emplace_back(json::array{"gpu"});
  json::object request = {{"Driver", "nvidia"}, {"Capabilities", std::move(capabilities)}};
  if (spec.gpus.empty()) {
    request["Count"] = -1;
  } else {
    json::array ids;
    for (const gpu::Gpu& gpu : spec.gpus) ids.emplace_back(gpu.id);
    request["DeviceIDs"] = std::move(ids);
  }
  list_in(host, "DeviceRequests").emplace_back(std::move(request));
}

// CUDA numbers the visible devices from 0, in the order of NVIDIA_VISIBLE_DEVICES.
std::size_t device_number(const ContainerSpec& spec, const std::string& gpu_id) {
  const auto found = std::ranges::find(spec.gpus, gpu_id, &gpu::Gpu::id);
  return found == spec.gpus.end() ? 0 : std::size_t(found - spec.gpus.begin());
}

void add_docker_shares(const ContainerSpec& spec, const DockerOptions& options,
                       std::map<std::string, std::string>& environment, json::object& host) {
  std::string limits;
  std::optional<std::int32_t> percent;
  for (const shapes::agent::GpuShare& share : spec.shares) {
    if (!share.container.empty() && share.container != spec.container.name) continue;
    if (!limits.empty()) limits += ",";
    limits += std::to_string(device_number(spec, share.gpuId)) + "=" + std::to_string(share.memoryInMiB) + "M";
    if (share.maxComputePercent) percent = std::min(percent.value_or(100), *share.maxComputePercent);
  }
  if (limits.empty()) return;
  environment["CUDA_MPS_PINNED_DEVICE_MEM_LIMIT"] = limits;
  if (percent) environment["CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"] = std::to_string(*percent);
  if (options.mps_pipe_folder.empty()) return;
  environment["CUDA_MPS_PIPE_DIRECTORY"] = options.mps_pipe_folder;
  list_in(host, "Binds").emplace_back(options.mps_pipe_folder + ":" + options.mps_pipe_folder);
  // MPS clients share memory with their server.
  host["IpcMode"] = "host";
}

void add_simulated(const DockerOptions& options, json::object& host) {
  json::array& binds = list_in(host, "Binds");
  if (!options.nvidia_smi_path.empty()) binds.emplace_back(options.nvidia_smi_path + ":/usr/bin/nvidia-smi:ro");
  if (!options.nvidia_smi_folder.empty()) {
    binds.emplace_back(options.nvidia_smi_folder + ":" + options.nvidia_smi_folder + ":ro");
  }
}

}  // namespace

void add_gpus(const ContainerSpec& spec, const DockerOptions& options, const EngineFacts& facts,
              std::map<std::string, std::string>& environment, json::object& host) {
  std::string visible;
  for (const gpu::Gpu& gpu : spec.gpus) visible += (visible.empty() ? "" : ",") + gpu.id;
  // With "none", an nvidia default runtime still mounts its libraries; with "void" it adds nothing.
  if (visible.empty()) visible = spec.all_gpus ? "all" : "void";
  environment["NVIDIA_VISIBLE_DEVICES"] = visible;
  if (visible == "void") return;
  if (options.simulated_gpus) {
    add_simulated(options, host);
  } else if (!spec.gpus.empty() || facts.nvidia_runtime) {
    add_device_request(spec, facts, host);
  }
  add_docker_shares(spec, options, environment, host);
}

}  // namespace agent::drivers
