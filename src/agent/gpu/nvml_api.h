// SPDX-License-Identifier: Apache-2.0
// The functions of NVIDIA's management library that we call. The library comes with the driver, so it
// is loaded at run time; its header is not needed, as its ABI has been stable since 2011.
#pragma once

#include <functional>
#include <memory>
#include <optional>

namespace agent::gpu {

// nvmlReturn_t: the codes that we distinguish.
inline constexpr int kNvmlSuccess = 0;
inline constexpr int kNvmlUninitialized = 1;
inline constexpr int kNvmlNotSupported = 3;
inline constexpr int kNvmlNoPermission = 4;
inline constexpr int kNvmlDriverNotLoaded = 9;
inline constexpr int kNvmlTimeout = 10;
inline constexpr int kNvmlGpuIsLost = 15;

using NvmlDevice = void*;
using NvmlEventSet = void*;

// nvmlMemory_t, nvmlUtilization_t and nvmlEventData_t, with the library's layout.
struct NvmlMemory {
  unsigned long long total_bytes, free_bytes, used_bytes;
};
// nvmlMemory_v2_t: memory reserved by the driver does not count as used, as in nvidia-smi.
struct NvmlMemory2 {
  unsigned int version;
  unsigned long long total_bytes, reserved_bytes, free_bytes, used_bytes;
};
inline constexpr unsigned int kNvmlMemory2Version = sizeof(NvmlMemory2) | (2U << 24);
struct NvmlUtilization {
  unsigned int gpu, memory;
};
struct NvmlEvent {
  NvmlDevice device;
  unsigned long long type, data;
  unsigned int gpu_instance, compute_instance;
};

// nvmlPciInfo_t
struct NvmlPci {
  char legacy_bus_id[16];
  unsigned int domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};
// nvmlFieldValue_t. `value` is a union of 8 bytes; `type` is 1 for an unsigned int.
struct NvmlField {
  unsigned int field, scope;
  long long at, latency_us;
  int type, code;
  unsigned long long value;
};

inline constexpr unsigned int kNvmlTextSize = 96;
inline constexpr int kNvmlClockSm = 1, kNvmlClockMemory = 2;  // nvmlClockType_t
inline constexpr unsigned int kNvmlMemoryTemperature = 82;    // NVML_FI_DEV_MEMORY_TEMP
inline constexpr int kNvmlUnsignedInt = 1;                    // NVML_VALUE_TYPE_UNSIGNED_INT
inline constexpr int kNvmlGpuTemperature = 0;                 // NVML_TEMPERATURE_GPU
inline constexpr unsigned long long kNvmlXidCritical = 0x08;  // nvmlEventTypeXidCriticalError

// Tests set the members to lambdas.
struct NvmlApi {
  std::function<int()> init;
  std::function<int()> shut_down;
  std::function<const char*(int)> error_string;
  std::function<int(char*, unsigned int)> driver_version;
  std::function<int(unsigned int*)> count;
  std::function<int(unsigned int, NvmlDevice*)> handle_by_index;
  std::function<int(NvmlDevice, char*, unsigned int)> uuid;
  std::function<int(NvmlDevice, char*, unsigned int)> name;
  std::function<int(NvmlDevice, NvmlMemory*)> memory;

  // May be empty: older libraries lack some.
  std::function<int(NvmlDevice, NvmlMemory2*)> memory_v2;
  std::function<int(NvmlDevice, NvmlUtilization*)> utilization;
  std::function<int(NvmlDevice, int, unsigned int*)> temperature;
  std::function<int(NvmlDevice, unsigned int*)> power_milliwatts;
  std::function<int(NvmlDevice, NvmlPci*)> pci;
  std::function<int(NvmlDevice, int, unsigned int*)> clock_mhz;
  std::function<int(NvmlDevice, unsigned long long*)> energy_millijoules;
  std::function<int(NvmlDevice, unsigned int*)> pcie_replays;
  // percent, and the length of the sample in microseconds
  std::function<int(NvmlDevice, unsigned int*, unsigned int*)> encoder, decoder;
  std::function<int(NvmlDevice, int, NvmlField*)> fields;
  // corrected, uncorrected, pending, failed
  std::function<int(NvmlDevice, unsigned int*, unsigned int*, unsigned int*, unsigned int*)> remapped_rows;
  std::function<int(NvmlEventSet*)> create_event_set;
  std::function<int(NvmlEventSet)> free_event_set;
  std::function<int(NvmlDevice, unsigned long long, NvmlEventSet)> register_events;
  std::function<int(NvmlEventSet, NvmlEvent*, unsigned int)> wait_for_event;

  // Keeps the library open. Shared, as the table is copied.
  std::shared_ptr<void> library;
};

// Loads libnvidia-ml.so.1. None when it is missing or incomplete.
std::optional<NvmlApi> load_nvml();

}  // namespace agent::gpu
