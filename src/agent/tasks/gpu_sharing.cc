// SPDX-License-Identifier: Apache-2.0
// Containers with a share of a real GPU are clients of that GPU's MPS daemon.
#include "agent/tasks/task_runner.h"
#include "base/log.h"

namespace agent {
namespace asio = boost::asio;
using shapes::agent::GpuShare;
namespace {

// What the daemon and its clients meet in, at the same path on both sides.
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

std::vector<GpuShare> TaskRunner::shares_of(std::size_t index) const {
  std::vector<GpuShare> shares;
  if (!record_.task.stokerGpuShares) return shares;
  for (const GpuShare& share : *record_.task.stokerGpuShares) {
    if (share.container == record_.containers[index].name) shares.push_back(share);
  }
  return shares;
}

TaskRunner::Step TaskRunner::join_shares(std::size_t index, drivers::ContainerSpec& spec) {
  if (!machine_.mps) co_return true;
  for (const GpuShare& share : shares_of(index)) {
    const gpu::Gpu* gpu = machine_.ledger.find(share.gpuId);
    if (!gpu) continue;
    gpu::MpsShare part;
    part.memory_mib = share.memoryInMiB;
    part.max_compute_percent = share.maxComputePercent;
    gpu::Gpu shared = *gpu;
    const std::string user = arn() + "/" + share.container;
    base::Result<gpu::MpsAccess> access = co_await machine_.mps->join(std::move(shared), user, part);
    check_alive();
    if (!access) {
      end(index, access.error());
      co_return false;
    }
    for (const auto& [name, value] : access->environment) spec.container.environment.emplace(name, value);
    // A process sees this machine's own folders.
    if (machine_.driver.abilities().name != "process") mount(spec, access->folders);
  }
  co_return true;
}

asio::awaitable<void> TaskRunner::join_shares_again(std::size_t index) {
  const ContainerRecord& container = record_.containers[index];
  if (!machine_.mps || container.id.empty() || container.status == kStopped) co_return;
  for (const GpuShare& share : shares_of(index)) {
    const gpu::Gpu* gpu = machine_.ledger.find(share.gpuId);
    if (!gpu) continue;
    gpu::Gpu shared = *gpu;
    const std::string user = arn() + "/" + share.container;
    base::Result<gpu::MpsAccess> access = co_await machine_.mps->join(std::move(shared), user, gpu::MpsShare());
    if (!access) base::log_error("share not joined again", {{"task", arn()}, {"error", access.error()}});
  }
}

asio::awaitable<void> TaskRunner::leave_shares(std::size_t index) {
  if (!machine_.mps) co_return;
  for (const GpuShare& share : shares_of(index)) {
    const std::string user = arn() + "/" + share.container;
    co_await machine_.mps->leave(share.gpuId, user);
  }
}

}  // namespace agent
