// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/nvml_api.h"

#include <dlfcn.h>

namespace agent::gpu {
namespace {

template <class Signature>
void find(void* library, const char* symbol, std::function<Signature>& into) {
  if (void* found = ::dlsym(library, symbol)) into = reinterpret_cast<Signature*>(found);
}

}  // namespace

std::optional<NvmlApi> load_nvml() {
  void* opened = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!opened) return std::nullopt;
  NvmlApi api;
  api.library = std::shared_ptr<void>(opened, ::dlclose);
  find(opened, "nvmlInit_v2", api.init);
  find(opened, "nvmlShutdown", api.shut_down);
  find(opened, "nvmlErrorString", api.error_string);
  find(opened, "nvmlSystemGetDriverVersion", api.driver_version);
  find(opened, "nvmlDeviceGetCount_v2", api.count);
  find(opened, "nvmlDeviceGetHandleByIndex_v2", api.handle_by_index);
  find(opened, "nvmlDeviceGetUUID", api.uuid);
  find(opened, "nvmlDeviceGetName", api.name);
  find(opened, "nvmlDeviceGetMemoryInfo", api.memory);
  find(opened, "nvmlDeviceGetMemoryInfo_v2", api.memory_v2);
  find(opened, "nvmlDeviceGetUtilizationRates", api.utilization);
  find(opened, "nvmlDeviceGetTemperature", api.temperature);
  find(opened, "nvmlDeviceGetPowerUsage", api.power_milliwatts);
  find(opened, "nvmlDeviceGetRemappedRows", api.remapped_rows);
  find(opened, "nvmlEventSetCreate", api.create_event_set);
  find(opened, "nvmlEventSetFree", api.free_event_set);
  find(opened, "nvmlDeviceRegisterEvents", api.register_events);
  find(opened, "nvmlEventSetWait_v2", api.wait_for_event);
  bool whole = api.init && api.shut_down && api.error_string && api.driver_version && api.count &&
               api.handle_by_index && api.uuid && api.name && api.memory;
  if (!whole) return std::nullopt;
  return api;
}

}  // namespace agent::gpu
