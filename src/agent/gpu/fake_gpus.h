// SPDX-License-Identifier: Apache-2.0
// Simulated GPUs, for machines that have none: the same after a restart, as busy as a file says.
#pragma once

#include <memory>
#include <string>

#include "agent/gpu/gpu.h"
#include "base/time.h"

namespace agent::gpu {

// `models`: "8xV100". Makes `folder`, and in it bin/nvidia-smi with its data. `clock` outlives it.
base::Result<std::unique_ptr<GpuSource>> open_fake_gpus(const std::string& models, const std::string& machine_name,
                                                        const std::string& folder, const base::Clock& clock);

}  // namespace agent::gpu
