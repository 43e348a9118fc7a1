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
  // `load` is asked again at each probe until there is a library that works.
  explicit NvmlSource(std::function<std::optional<NvmlApi>()> load);
  ~NvmlSource() override;
  NvmlSource(const NvmlSource&) = delete;
  NvmlSource& operator=(const NvmlSource&) = delete;

  std::string driver() const override;
  bool simulated() const override { return false; }
  std::vector<Gpu> probe() override;
  std::vector<GpuSample> sample() override;

 private:
  bool start();
  void stop();
  // One look at all devices. Answers the code that asks for another start, or success.
  int look(std::vector<Gpu>& seen);
  int look_at(unsigned int index, std::vector<Gpu>& seen);
  void remember(std::vector<Gpu> seen);
  void watch_for_xids();
  void read_xids();
  std::string error_text(int code) const;

  std::function<std::optional<NvmlApi>()> load_;
  std::optional<NvmlApi> api_;
  bool ready_ = false;
  bool restart_ = false;  // sample() met a reason to start again
  std::string why_not_;   // the library does not work
  std::string version_;
  NvmlEventSet events_ = nullptr;
  std::map<std::string, NvmlDevice> handles_;  // by id; valid while ready_
  std::map<std::string, std::string> xids_;    // by id: an error that only a reset mends
  std::vector<Gpu> known_;                     // every one that was ever seen
};

}  // namespace agent::gpu
