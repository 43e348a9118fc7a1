// SPDX-License-Identifier: Apache-2.0
// nvidia-smi for simulated GPUs: a shell script without any other program in it, so that it runs
// in every container that has a /bin/sh, and a file beside it that says how the GPUs are.
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

// Where both are: <folder>/bin, alone there, as containers get to see it.
GpuTools smi_tools(const std::filesystem::path& folder);

// True, or why the script could not be written.
base::Result<bool> install_smi(const GpuTools& tools);

// A line a GPU: index,id,model,total,used,busy,memory busy,temperature,watts,most watts.
std::string smi_data(const std::vector<SmiRow>& rows);
// In one step: a script that reads sees the old or the new.
base::Result<bool> replace_smi_data(const GpuTools& tools, const std::string& data);

}  // namespace agent::gpu
