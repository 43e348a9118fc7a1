// SPDX-License-Identifier: Apache-2.0
// What the metrics page shows beyond a sample.
#include "agent/gpu/nvml.h"

namespace agent::gpu {
namespace {

constexpr std::int64_t kMibBytes = 1024 * 1024;

// The value that `read` stores, if the device has it.
template <class Value, class Read, class... Before>
std::optional<std::int64_t> value_of(const Read& read, NvmlDevice device, Before... before) {
  Value value = 0;
  if (!read || read(device, before..., &value) != kNvmlSuccess) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

std::optional<int> percent_of(const std::function<int(NvmlDevice, unsigned int*, unsigned int*)>& read,
                              NvmlDevice device) {
  unsigned int percent = 0, period_us = 0;
  if (!read || read(device, &percent, &period_us) != kNvmlSuccess) return std::nullopt;
  return static_cast<int>(percent);
}

std::optional<int> memory_celsius(const NvmlApi& api, NvmlDevice device) {
  NvmlField field = {};
  field.field = kNvmlMemoryTemperature;
  if (!api.fields || api.fields(device, 1, &field) != kNvmlSuccess) return std::nullopt;
  // A GPU without a sensor reports zero.
  const auto celsius = static_cast<unsigned int>(field.value);
  if (field.code != kNvmlSuccess || field.type != kNvmlUnsignedInt || celsius == 0) return std::nullopt;
  return static_cast<int>(celsius);
}

std::optional<GpuDetails::RemappedRows> remapped_rows(const NvmlApi& api, NvmlDevice device) {
  unsigned int corrected = 0, uncorrected = 0, pending = 0, failed = 0;
  if (!api.remapped_rows || api.remapped_rows(device, &corrected, &uncorrected, &pending, &failed) != kNvmlSuccess) {
    return std::nullopt;
  }
  return GpuDetails::RemappedRows{.uncorrectable = uncorrected, .correctable = corrected, .failed = failed != 0};
}

std::optional<int> to_int(std::optional<std::int64_t> value) {
  return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

}  // namespace

std::vector<GpuDetails> NvmlSource::details() {
  std::vector<GpuDetails> all;
  for (const auto& [id, device] : handles_) {
    if (!ready_) break;
    GpuDetails& details = all.emplace_back();
    details.id = id;
    details.memory_clock_mhz = to_int(value_of<unsigned int>(api_->clock_mhz, device, kNvmlClockMemory));
    details.memory_celsius = memory_celsius(*api_, device);
    details.encoder_percent = percent_of(api_->encoder, device);
    details.decoder_percent = percent_of(api_->decoder, device);
    details.energy_millijoules = value_of<unsigned long long>(api_->energy_millijoules, device);
    details.pcie_replays = value_of<unsigned int>(api_->pcie_replays, device);
    details.remapped_rows = remapped_rows(*api_, device);
    NvmlMemory2 memory = {};
    memory.version = kNvmlMemory2Version;
    if (api_->memory_v2 && api_->memory_v2(device, &memory) == kNvmlSuccess) {
      details.memory_free_mib = static_cast<std::int64_t>(memory.free_bytes) / kMibBytes;
      details.memory_reserved_mib = static_cast<std::int64_t>(memory.reserved_bytes) / kMibBytes;
    }
  }
  return all;
}

}  // namespace agent::gpu
