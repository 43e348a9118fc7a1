// SPDX-License-Identifier: Apache-2.0
// The GPU models that can be simulated, as nvidia-smi shows them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace agent::gpu {

struct FakeModel {
  std::string name;  // as the driver reports it: "Tesla V100-SXM2-16GB"
  std::int64_t memory_mib = 0;
  int idle_watts = 0;
  int max_watts = 0;
};

inline constexpr int kMaxFakeGpus = 64;

// "8xV100" or "2xA100-80GB,1xT4": a model for each GPU, in order.
base::Result<std::vector<FakeModel>> fake_models(const std::string& text);

}  // namespace agent::gpu
