// SPDX-License-Identifier: Apache-2.0
// Simulated GPUs, for machines without any: the same after a restart, with a load that a file sets.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/gpu/gpu.h"
#include "base/time.h"

namespace agent::gpu {

// `models`: "8xV100". Creates `folder` and in it bin/nvidia-smi with its data. `clock` must outlive the result.
base::Result<std::unique_ptr<GpuSource>> open_fake_gpus(const std::string& models, const std::string& machine_name,
                                                        const std::string& folder, const base::Clock& clock);

// The same GPUs, without their tools. All are healthy.
base::Result<std::vector<Gpu>> list_fake_gpus(const std::string& models, const std::string& machine_name);

}  // namespace agent::gpu
