// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/gpu.h"

#include <fmt/format.h>

#include "agent/gpu/fake_gpus.h"
#include "agent/gpu/gpu_selection.h"
#include "agent/gpu/nvml.h"

namespace agent::gpu {
namespace {

class NoGpus final : public GpuSource {
 public:
  std::string driver() const override { return ""; }
  bool simulated() const override { return false; }
  std::vector<Gpu> probe() override { return {}; }
  std::vector<GpuSample> sample() override { return {}; }
};

const base::SystemClock kSystemClock;
constexpr std::string_view kFake = "fake:";

}  // namespace

base::Result<std::unique_ptr<GpuSource>> open_gpus(const std::string& text, const std::string& machine_name,
                                                   const std::string& folder) {
  base::Result<GpuSelection> selection = parse_gpus(text);
  if (!selection) return base::Error{selection.error()};
  if (selection->source == "none") return std::unique_ptr<GpuSource>(std::make_unique<NoGpus>());
  if (selection->source == "auto") {
    return select_gpus(std::make_unique<NvmlSource>(load_nvml), std::move(*selection));
  }
  const std::string& name = selection->name.empty() ? machine_name : selection->name;
  auto fake = open_fake_gpus(selection->source.substr(kFake.size()), name, folder, kSystemClock);
  if (!fake) return fake;
  return select_gpus(std::move(*fake), std::move(*selection));
}

base::Result<std::vector<Gpu>> list_gpus(const std::string& text, const std::string& machine_name) {
  base::Result<GpuSelection> selection = parse_gpus(text);
  if (!selection) return base::Error{selection.error()};
  std::vector<Gpu> gpus;
  if (selection->source == "auto") {
    gpus = NvmlSource(load_nvml).probe();
  } else if (selection->source != "none") {
    auto fake = list_fake_gpus(selection->source.substr(kFake.size()),
                               selection->name.empty() ? machine_name : selection->name);
    if (!fake) return fake;
    gpus = std::move(*fake);
  }
  std::erase_if(gpus, [&](const Gpu& gpu) { return !selects(*selection, gpu); });
  return gpus;
}

std::string describe(GpuSource& source) {
  std::vector<Gpu> gpus = source.probe();
  std::string driver = source.driver();
  std::string out = "driver: " + (driver.empty() ? "none" : driver) + "\n";
  if (gpus.empty()) return out + "no GPUs\n";
  std::vector<GpuSample> samples = source.sample();
  for (const Gpu& gpu : gpus) {
    out += fmt::format("GPU {}: {}, {} MiB, {}", gpu.index, gpu.model, gpu.memory_mib, gpu.id);
    for (const GpuSample& sample : samples) {
      if (sample.id != gpu.id) continue;
      out += fmt::format(", {} % busy, {} MiB used", sample.utilization_percent, sample.memory_used_mib);
      if (sample.temperature_celsius) out += fmt::format(", {} C", *sample.temperature_celsius);
      if (sample.power_watts) out += fmt::format(", {:.0f} W", *sample.power_watts);
    }
    out += gpu.healthy ? "\n" : "; NOT HEALTHY: " + gpu.trouble + "\n";
  }
  return out;
}

}  // namespace agent::gpu
