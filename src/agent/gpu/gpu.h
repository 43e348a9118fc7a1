// SPDX-License-Identifier: Apache-2.0
// The GPUs of this machine, real or simulated.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace agent::gpu {

struct Gpu {
  std::string id;  // "GPU-<uuid>"
  int index = 0;   // the driver's
  std::string model;
  std::int64_t memory_mib = 0;
  bool healthy = true;
  std::string trouble;  // why it is not
  bool operator==(const Gpu&) const = default;
};

struct GpuSample {
  std::string id;
  int utilization_percent = 0;
  int memory_utilization_percent = 0;
  std::int64_t memory_used_mib = 0;
  std::int64_t memory_total_mib = 0;
  std::optional<int> temperature_celsius;
  std::optional<double> power_watts;
};

// What simulated GPUs bring in place of the driver's own tools.
struct GpuTools {
  std::string nvidia_smi;  // a script: /usr/bin/nvidia-smi of containers, first on a process's PATH
  std::string folder;      // what the script reads: to be seen at the same path, may be read-only
};

// Two ship: NVML, and simulated GPUs. Called on one thread.
class GpuSource {
 public:
  virtual ~GpuSource() = default;

  // "", "NVIDIA 535.54.03" or "simulated": what stands behind them.
  virtual std::string driver() const = 0;
  virtual bool simulated() const = 0;
  // Looks again: a driver that came late, a GPU that fell off (it is kept, as not healthy).
  virtual std::vector<Gpu> probe() = 0;
  virtual std::vector<GpuSample> sample() = 0;
  // None where the driver has its own.
  virtual std::optional<GpuTools> tools() const { return std::nullopt; }
};

// `text`: "auto" (NVML, looked for again at each probe), "none", or "fake:8xV100",
// "fake:2xA100-80GB,1xT4". `machine_name` makes the ids of simulated GPUs; `folder` is theirs:
// gpus.json in it says how busy they are (see fake_script.h), and bin/ gets their nvidia-smi.
base::Result<std::unique_ptr<GpuSource>> open_gpus(const std::string& text, const std::string& machine_name,
                                                   const std::string& folder);

// For people: the driver, a line a GPU, and what is wrong where something is. Probes.
std::string describe(GpuSource& source);

}  // namespace agent::gpu
