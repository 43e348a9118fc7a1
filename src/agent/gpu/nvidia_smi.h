// SPDX-License-Identifier: Apache-2.0
// nvidia-smi for simulated GPUs: a shell script that calls no other program, so that it runs in every
// container with a /bin/sh, and a data file beside it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "agent/gpu/gpu.h"
#include "base/result.h"

namespace agent::gpu {

struct SmiRow {
  int index = 0;
  std::string model;
  int max_watts = 0;
  GpuSample sample;
};

// Both are in <folder>/bin, which has nothing else, as it is mounted into containers.
GpuTools smi_tools(const std::filesystem::path& folder);

// Writes the script.
base::Result<bool> install_smi(const GpuTools& tools);

// A line for each GPU: index,id,model,total,used,busy,memory busy,temperature,watts,max watts.
std::string smi_data(const std::vector<SmiRow>& rows);
// Atomic: a running script reads the old or the new data.
base::Result<bool> replace_smi_data(const GpuTools& tools, const std::string& data);

}  // namespace agent::gpu
