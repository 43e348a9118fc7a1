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
  int index = 0;   // of the driver
  std::string model;
  std::int64_t memory_mib = 0;
  bool healthy = true;
  std::string trouble;  // why it is unhealthy
  std::string pci_bus_id = {};  // "00000000:00:1E.0"
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
  std::optional<int> sm_clock_mhz = {};
  std::optional<std::int64_t> xid = {};  // the code of its last error, 0 for none; absent where errors are not reported
};

// What only the metrics page shows: reading it takes many more calls of the driver. Values that the GPU lacks are absent.
struct GpuDetails {
  std::string id;
  std::optional<int> memory_clock_mhz = {}, memory_celsius = {};
  std::optional<int> encoder_percent = {}, decoder_percent = {};
  std::optional<std::int64_t> energy_millijoules = {}, pcie_replays = {};
  std::optional<std::int64_t> memory_free_mib = {}, memory_reserved_mib = {};
  struct RemappedRows {
    std::int64_t uncorrectable = 0, correctable = 0;
    bool failed = false;
  };
  std::optional<RemappedRows> remapped_rows = {};
};

// What simulated GPUs provide in place of the driver's tools.
struct GpuTools {
  std::string nvidia_smi;  // a script: mounted into containers as /usr/bin/nvidia-smi, first in PATH of processes
  std::string folder;      // the script's data: must be visible at the same path, may be read-only
};

// There are two sources: NVML, and simulated GPUs. Called on one thread.
class GpuSource {
 public:
  virtual ~GpuSource() = default;

  // "", "NVIDIA 535.54.03" or "simulated".
  virtual std::string driver() const = 0;
  virtual bool simulated() const = 0;
  // Reads the devices again, and tries again to load a missing driver. A GPU that has disappeared is
  // kept as unhealthy.
  virtual std::vector<Gpu> probe() = 0;
  virtual std::vector<GpuSample> sample() = 0;
  virtual std::vector<GpuDetails> details() { return {}; }
  // None when the driver has its own tools.
  virtual std::optional<GpuTools> tools() const { return std::nullopt; }
};

// `text`: "auto" (NVML, loaded again at each probe), "none", or "fake:8xV100",
// "fake:2xA100-80GB,1xT4", or some of them (gpu_selection.h). The ids of simulated GPUs derive from
// `machine_name`. In `folder`, gpus.json sets their load (see fake_script.h), and bin/ gets their nvidia-smi.
base::Result<std::unique_ptr<GpuSource>> open_gpus(const std::string& text, const std::string& machine_name,
                                                   const std::string& folder);

// The GPUs that a source with this text has now. Leaves nothing behind.
base::Result<std::vector<Gpu>> list_gpus(const std::string& text, const std::string& machine_name);

// Probes and returns a text for people: the driver, and a line for each GPU with its errors.
std::string describe(GpuSource& source);

}  // namespace agent::gpu
