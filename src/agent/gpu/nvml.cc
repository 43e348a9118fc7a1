// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/nvml.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "base/log.h"

namespace agent::gpu {
namespace {

constexpr std::int64_t kMib = 1024 * 1024;
constexpr unsigned int kMaxGpus = 64;
constexpr int kMaxXidsPerProbe = 1024;

// After these errors a GPU is unusable until it is reset: double-bit ECC error, halted microcontroller,
// row remapping failure, NVLink error, off the bus, uncontained ECC error, GSP timeouts,
// unrecovered ECC error. The others are mostly application errors (NVIDIA's Xid catalogue).
constexpr std::array<unsigned long long, 9> kFatalXids = {48, 62, 64, 74, 79, 95, 119, 120, 140};

bool requires_restart(int code) {
  return code == kNvmlDriverNotLoaded || code == kNvmlUninitialized || code == kNvmlGpuIsLost;
}

int read_memory(const NvmlApi& api, NvmlDevice device, NvmlMemory& memory) {
  NvmlMemory2 exact = {};
  exact.version = kNvmlMemory2Version;
  if (api.memory_v2 && api.memory_v2(device, &exact) == kNvmlSuccess) {
    memory = {exact.total_bytes, exact.free_bytes, exact.used_bytes};
    return kNvmlSuccess;
  }
  return api.memory(device, &memory);
}

}  // namespace

NvmlSource::NvmlSource(std::function<std::optional<NvmlApi>()> load) : load_(std::move(load)) {}
NvmlSource::~NvmlSource() { stop(); }

std::string NvmlSource::driver() const { return ready_ ? "NVIDIA " + version_ : ""; }

std::string NvmlSource::error_text(int code) const {
  const char* text = api_ ? api_->error_string(code) : nullptr;
  return text ? text : fmt::format("NVML error {}", code);
}

bool NvmlSource::start() {
  if (ready_) return true;
  if (!api_) api_ = load_();
  if (!api_) {
    unavailable_reason_ = "libnvidia-ml.so.1 was not found";
    return false;
  }
  int code = api_->init();
  if (code != kNvmlSuccess) {
    unavailable_reason_ = "NVML did not start: " + error_text(code);
    // A replaced driver comes with another library: load it again.
    api_.reset();
    return false;
  }
  ready_ = true;
  char version[kNvmlTextSize] = "";
  version_ = api_->driver_version(version, sizeof version) == kNvmlSuccess ? version : "";
  watch_for_xids();
  return true;
}

void NvmlSource::stop() {
  if (!ready_) return;
  if (events_) api_->free_event_set(events_);
  events_ = nullptr;
  handles_.clear();
  api_->shut_down();
  ready_ = false;
}

std::vector<Gpu> NvmlSource::probe() {
  if (restart_) stop();
  restart_ = false;
  std::vector<Gpu> seen;
  if (start()) {
    read_xids();
    int code = read_devices(seen);
    if (requires_restart(code)) {
      stop();
      seen.clear();
      if (start()) read_devices(seen);
    }
  }
  update_known(std::move(seen));
  return known_;
}

int NvmlSource::read_devices(std::vector<Gpu>& seen) {
  handles_.clear();
  unsigned int count = 0;
  int code = api_->count(&count);
  if (code != kNvmlSuccess) {
    unavailable_reason_ = error_text(code);
    return code;
  }
  int worst = kNvmlSuccess;
  for (unsigned int index = 0; index < std::min(count, kMaxGpus); ++index) {
    code = read_device(index, seen);
    if (requires_restart(code)) worst = code;
  }
  unavailable_reason_ = worst == kNvmlSuccess ? "the driver no longer lists it" : error_text(worst);
  return worst;
}

int NvmlSource::read_device(unsigned int index, std::vector<Gpu>& seen) {
  NvmlDevice device = nullptr;
  int code = api_->handle_by_index(index, &device);
  if (code != kNvmlSuccess) return code;
  char id[kNvmlTextSize] = "";
  char name[kNvmlTextSize] = "";
  code = api_->uuid(device, id, sizeof id);
  if (code != kNvmlSuccess) return code;
  api_->name(device, name, sizeof name);
  Gpu gpu{.id = id, .index = static_cast<int>(index), .model = name};
  NvmlMemory memory = {};
  code = read_memory(*api_, device, memory);
  gpu.memory_mib = static_cast<std::int64_t>(memory.total_bytes) / kMib;
  if (code != kNvmlSuccess) {
    gpu.trouble = error_text(code);
  } else if (auto xid = xids_.find(gpu.id); xid != xids_.end()) {
    gpu.trouble = xid->second;
  } else if (api_->remapped_rows) {
    unsigned int corrected = 0, uncorrected = 0, pending = 0, failed = 0;
    int status = api_->remapped_rows(device, &corrected, &uncorrected, &pending, &failed);
    if (status == kNvmlSuccess && failed) gpu.trouble = "a memory row is broken and could not be remapped";
  }
  gpu.healthy = gpu.trouble.empty();
  if (NvmlPci pci = {}; api_->pci && api_->pci(device, &pci) == kNvmlSuccess) gpu.pci_bus_id = pci.bus_id;
  handles_[gpu.id] = device;
  seen.push_back(std::move(gpu));
  return code;
}

// Updates the known GPUs. Those not seen are kept as unhealthy.
void NvmlSource::update_known(std::vector<Gpu> seen) {
  for (Gpu& gpu : seen) {
    auto before = std::ranges::find(known_, gpu.id, &Gpu::id);
    if (before == known_.end()) {
      base::log_info("GPU was found", {{"id", gpu.id}, {"model", gpu.model}, {"memory_mib", gpu.memory_mib}});
      known_.push_back(gpu);
      continue;
    }
    if (gpu.memory_mib == 0) gpu.memory_mib = before->memory_mib;
    if (gpu.healthy != before->healthy) {
      base::log_warn("GPU health changed", {{"id", gpu.id}, {"healthy", gpu.healthy}, {"trouble", gpu.trouble}});
    }
    *before = gpu;
  }
  for (Gpu& gpu : known_) {
    if (std::ranges::find(seen, gpu.id, &Gpu::id) != seen.end()) continue;
    if (gpu.healthy) base::log_warn("GPU was lost", {{"id", gpu.id}, {"trouble", unavailable_reason_}});
    gpu.healthy = false;
    gpu.trouble = unavailable_reason_;
  }
  std::ranges::sort(known_, {}, [](const Gpu& gpu) { return std::tie(gpu.index, gpu.id); });
}

void NvmlSource::watch_for_xids() {
  if (!api_->create_event_set || !api_->free_event_set || !api_->register_events || !api_->wait_for_event) return;
  if (api_->create_event_set(&events_) != kNvmlSuccess) {
    events_ = nullptr;
    return;
  }
  unsigned int count = 0;
  if (api_->count(&count) != kNvmlSuccess) return;
  for (unsigned int index = 0; index < std::min(count, kMaxGpus); ++index) {
    NvmlDevice device = nullptr;
    // A GPU that does not support events is not watched.
    if (api_->handle_by_index(index, &device) == kNvmlSuccess) {
      (void)api_->register_events(device, kNvmlXidCritical, events_);
    }
  }
}

void NvmlSource::read_xids() {
  NvmlEvent event = {};
  for (int i = 0; events_ && i < kMaxXidsPerProbe; ++i) {
    if (api_->wait_for_event(events_, &event, 0) != kNvmlSuccess) return;
    char id[kNvmlTextSize] = "";
    if (event.type != kNvmlXidCritical || api_->uuid(event.device, id, sizeof id) != kNvmlSuccess) continue;
    last_xids_[id] = static_cast<std::int64_t>(event.data);
    base::log_warn("GPU reported an error", {{"id", id}, {"xid", event.data}});
    if (std::ranges::find(kFatalXids, event.data) == kFatalXids.end()) continue;
    xids_[id] = fmt::format("Xid {}: reset the GPU, then restart the agent", event.data);
  }
}

std::vector<GpuSample> NvmlSource::sample() {
  std::vector<GpuSample> samples;
  for (const Gpu& gpu : known_) {
    auto handle = handles_.find(gpu.id);
    if (!ready_ || handle == handles_.end()) continue;
    NvmlMemory memory = {};
    int code = read_memory(*api_, handle->second, memory);
    if (requires_restart(code)) restart_ = true;
    if (code != kNvmlSuccess) continue;
    GpuSample& sample = samples.emplace_back();
    sample.id = gpu.id;
    sample.memory_used_mib = static_cast<std::int64_t>(memory.used_bytes) / kMib;
    sample.memory_total_mib = static_cast<std::int64_t>(memory.total_bytes) / kMib;
    NvmlUtilization busy = {};
    if (api_->utilization && api_->utilization(handle->second, &busy) == kNvmlSuccess) {
      sample.utilization_percent = static_cast<int>(busy.gpu);
      sample.memory_utilization_percent = static_cast<int>(busy.memory);
    }
    unsigned int value = 0;
    if (api_->temperature && api_->temperature(handle->second, kNvmlGpuTemperature, &value) == kNvmlSuccess) {
      sample.temperature_celsius = static_cast<int>(value);
    }
    if (api_->power_milliwatts && api_->power_milliwatts(handle->second, &value) == kNvmlSuccess) {
      sample.power_watts = value / 1000.0;
    }
    if (api_->clock_mhz && api_->clock_mhz(handle->second, kNvmlClockSm, &value) == kNvmlSuccess) {
      sample.sm_clock_mhz = static_cast<int>(value);
    }
    if (events_) sample.xid = last_xids_[gpu.id];
  }
  return samples;
}

}  // namespace agent::gpu
