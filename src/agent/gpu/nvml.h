// SPDX-License-Identifier: Apache-2.0
// Real GPUs, by NVIDIA's management library.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/gpu/gpu.h"
#include "agent/gpu/nvml_api.h"

namespace agent::gpu {

class NvmlSource final : public GpuSource {
 public:
  // `load` is called at each probe until it returns a working library.
  explicit NvmlSource(std::function<std::optional<NvmlApi>()> load);
  ~NvmlSource() override;
  NvmlSource(const NvmlSource&) = delete;
  NvmlSource& operator=(const NvmlSource&) = delete;

  std::string driver() const override;
  bool simulated() const override { return false; }
  std::vector<Gpu> probe() override;
  std::vector<GpuSample> sample() override;
  std::vector<GpuDetails> details() override;

 private:
  bool start();
  void stop();
  // Reads all devices. Returns success, or a code that requires a restart of NVML.
  int read_devices(std::vector<Gpu>& seen);
  int read_device(unsigned int index, std::vector<Gpu>& seen);
  void update_known(std::vector<Gpu> seen);
  void watch_for_xids();
  void read_xids();
  std::string error_text(int code) const;

  std::function<std::optional<NvmlApi>()> load_;
  std::optional<NvmlApi> api_;
  bool ready_ = false;
  bool restart_ = false;  // sample() found that NVML must be restarted
  std::string unavailable_reason_;
  std::string version_;
  NvmlEventSet events_ = nullptr;
  std::map<std::string, NvmlDevice> handles_;  // by id; valid while ready_
  std::map<std::string, std::string> xids_;    // by id: an error that requires a reset
  std::map<std::string, std::int64_t> last_xids_;  // by id: the last error of any kind
  std::vector<Gpu> known_;                     // every GPU ever seen
};

}  // namespace agent::gpu
