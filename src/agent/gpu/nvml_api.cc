// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/nvml_api.h"

#include <dlfcn.h>

namespace agent::gpu {
namespace {

template <class Signature>
void load_symbol(void* library, const char* symbol, std::function<Signature>& into) {
  if (void* found = ::dlsym(library, symbol)) into = reinterpret_cast<Signature*>(found);
}

}  // namespace

std::optional<NvmlApi> load_nvml() {
  void* opened = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!opened) return std::nullopt;
  NvmlApi api;
  api.library = std::shared_ptr<void>(opened, ::dlclose);
  load_symbol(opened, "nvmlInit_v2", api.init);
  load_symbol(opened, "nvmlShutdown", api.shut_down);
  load_symbol(opened, "nvmlErrorString", api.error_string);
  load_symbol(opened, "nvmlSystemGetDriverVersion", api.driver_version);
  load_symbol(opened, "nvmlDeviceGetCount_v2", api.count);
  load_symbol(opened, "nvmlDeviceGetHandleByIndex_v2", api.handle_by_index);
  load_symbol(opened, "nvmlDeviceGetUUID", api.uuid);
  load_symbol(opened, "nvmlDeviceGetName", api.name);
  load_symbol(opened, "nvmlDeviceGetMemoryInfo", api.memory);
  load_symbol(opened, "nvmlDeviceGetMemoryInfo_v2", api.memory_v2);
  load_symbol(opened, "nvmlDeviceGetUtilizationRates", api.utilization);
  load_symbol(opened, "nvmlDeviceGetTemperature", api.temperature);
  load_symbol(opened, "nvmlDeviceGetPowerUsage", api.power_milliwatts);
  load_symbol(opened, "nvmlDeviceGetPciInfo_v3", api.pci);
  load_symbol(opened, "nvmlDeviceGetClockInfo", api.clock_mhz);
  load_symbol(opened, "nvmlDeviceGetTotalEnergyConsumption", api.energy_millijoules);
  load_symbol(opened, "nvmlDeviceGetPcieReplayCounter", api.pcie_replays);
  load_symbol(opened, "nvmlDeviceGetEncoderUtilization", api.encoder);
  load_symbol(opened, "nvmlDeviceGetDecoderUtilization", api.decoder);
  load_symbol(opened, "nvmlDeviceGetFieldValues", api.fields);
  load_symbol(opened, "nvmlDeviceGetRemappedRows", api.remapped_rows);
  load_symbol(opened, "nvmlEventSetCreate", api.create_event_set);
  load_symbol(opened, "nvmlEventSetFree", api.free_event_set);
  load_symbol(opened, "nvmlDeviceRegisterEvents", api.register_events);
  load_symbol(opened, "nvmlEventSetWait_v2", api.wait_for_event);
  bool complete = api.init && api.shut_down && api.error_string && api.driver_version && api.count &&
                  api.handle_by_index && api.uuid && api.name && api.memory;
  if (!complete) return std::nullopt;
  return api;
}

}  // namespace agent::gpu
