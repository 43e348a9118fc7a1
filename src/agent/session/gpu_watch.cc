// SPDX-License-Identifier: Apache-2.0
#include "agent/session/gpu_watch.h"

#include <algorithm>

#include "agent/session/socket.h"
#include "base/log.h"
#include "shapes/agent/extensions.h"

namespace agent {
namespace asio = boost::asio;
namespace {

constexpr base::Duration kSampleEvery = std::chrono::seconds(1);
constexpr int kSamplesPerProbe = 10;

std::vector<std::string> ids_of(const std::vector<gpu::Gpu>& gpus) {
  std::vector<std::string> ids;
  for (const gpu::Gpu& gpu : gpus) ids.push_back(gpu.id);
  return ids;
}

shapes::agent::StokerGpuSample to_message(const gpu::GpuSample& sample) {
  shapes::agent::StokerGpuSample shape;
  shape.id = sample.id;
  shape.utilizationPercent = sample.utilization_percent;
  shape.memoryUtilizationPercent = sample.memory_utilization_percent;
  shape.memoryUsedInMiB = sample.memory_used_mib;
  shape.memoryTotalInMiB = sample.memory_total_mib;
  shape.temperatureCelsius = sample.temperature_celsius;
  shape.powerWatts = sample.power_watts;
  shape.smClockInMHz = sample.sm_clock_mhz;
  shape.xid = sample.xid;
  return shape;
}

}  // namespace

bool GpuWatch::probe() {
  std::vector<gpu::Gpu> now = source_.probe();
  const std::vector<gpu::Gpu> before = machine_.ledger.gpus();
  if (now == before) return false;
  for (const gpu::Gpu& gpu : now) {
    if (gpu.healthy || std::ranges::count(before, gpu) > 0) continue;
    base::log_error("gpu unhealthy", {{"gpu", gpu.id}, {"trouble", gpu.trouble}});
  }
  const bool set_changed = ids_of(now) != ids_of(before);
  machine_.ledger.set_gpus(std::move(now));
  machine_.changed.notify();
  if (session_.socket()) send(*session_.socket(), "StokerGpus", gpus_message(machine_.ledger.gpus()));
  return set_changed;
}

bool GpuWatch::sample() {
  if (machine_.ledger.gpus().empty()) return false;
  shapes::agent::StokerGpuSamples message;
  message.at = base::to_millis(machine_.clock.now());
  for (const gpu::GpuSample& sample : source_.sample()) message.samples.push_back(to_message(sample));
  const auto healthy = std::ranges::count(machine_.ledger.gpus(), true, &gpu::Gpu::healthy);
  const bool trouble = static_cast<std::size_t>(healthy) > message.samples.size();
  if (session_.socket() && !message.samples.empty()) send(*session_.socket(), "StokerGpuSamples", message);
  return trouble;
}

asio::awaitable<void> GpuWatch::run() {
  for (int turn = 1;; ++turn) {
    co_await sleep_for(kSampleEvery);
    const bool trouble = sample();
    if (!trouble && turn % kSamplesPerProbe != 0) continue;
    const bool set_changed = probe();
    if (machine_.mps) {
      co_await machine_.mps->tend();
    }
    // The registration lists the GPUs, so the agent has to register again: it does so on reconnecting.
    if (set_changed && session_.socket()) session_.socket()->close();
  }
}

}  // namespace agent
