// SPDX-License-Identifier: Apache-2.0
// A container with a share of a real GPU is a client of that GPU's MPS daemon.
#include "agent/tasks/container_runner.h"
#include "agent/tasks/task_runner.h"
#include "base/log.h"

namespace agent {
namespace asio = boost::asio;
using shapes::agent::GpuShare;
namespace {

// The daemon and its clients meet in these folders, which have the same path on both sides.
void mount(drivers::ContainerSpec& spec, const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    const std::string name = "stoker-mps-" + std::to_string(spec.task.volumes.size());
    shapes::agent::Volume volume;
    volume.name = name;
    volume.type = "host";
    volume.host.emplace();
    volume.host->sourcePath = folder;
    spec.task.volumes.push_back(std::move(volume));
    spec.container.mountPoints.push_back({name, folder, false});
  }
}

}  // namespace

std::vector<GpuShare> ContainerRunner::gpu_shares() const {
  std::vector<GpuShare> shares;
  const auto& all = task_.record().task.stokerGpuShares;
  if (!all) return shares;
  for (const GpuShare& share : *all) {
    if (share.container == record_.name) shares.push_back(share);
  }
  return shares;
}

std::string ContainerRunner::gpu_user() const { return task_.arn() + "/" + record_.name; }

ContainerRunner::Step ContainerRunner::join_gpu_shares(drivers::ContainerSpec& spec) {
  if (!machine_.mps) co_return true;
  for (const GpuShare& share : gpu_shares()) {
    const gpu::Gpu* gpu = machine_.ledger.find(share.gpuId);
    if (!gpu) continue;
    gpu::MpsShare part;
    part.memory_mib = share.memoryInMiB;
    part.max_compute_percent = share.maxComputePercent;
    gpu::Gpu shared = *gpu;
    const std::string user = gpu_user();
    base::Result<gpu::MpsAccess> access = co_await machine_.mps->join(std::move(shared), user, part);
    task_.throw_if_stopping();
    if (!access) {
      end(access.error());
      co_return false;
    }
    for (const auto& [name, value] : access->environment) spec.container.environment.emplace(name, value);
    // A process sees the machine's own /dev/shm.
    const bool process = machine_.driver.abilities().name == "process";
    if (process) spec.mps_folders.push_back(access->folders[0]);
    if (!process) mount(spec, access->folders);
  }
  co_return true;
}

asio::awaitable<void> ContainerRunner::rejoin_gpu_shares() {
  if (!machine_.mps || record_.id.empty() || record_.status == kStopped) co_return;
  for (const GpuShare& share : gpu_shares()) {
    const gpu::Gpu* gpu = machine_.ledger.find(share.gpuId);
    if (!gpu) continue;
    gpu::Gpu shared = *gpu;
    const std::string user = gpu_user();
    base::Result<gpu::MpsAccess> access = co_await machine_.mps->join(std::move(shared), user, gpu::MpsShare());
    if (!access) {
      base::log_error("gpu share not joined again",
                      {{"task", task_.arn()}, {"gpu", share.gpuId}, {"error", access.error()}});
    }
  }
}

asio::awaitable<void> ContainerRunner::leave_gpu_shares() {
  if (!machine_.mps) co_return;
  const std::string user = gpu_user();
  for (const GpuShare& share : gpu_shares()) {
    co_await machine_.mps->leave(share.gpuId, user);
  }
}

}  // namespace agent
