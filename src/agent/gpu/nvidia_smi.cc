// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/nvidia_smi.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>

#include "agent/gpu/nvidia_smi_script.h"
#include "base/words.h"

namespace agent::gpu {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDataFile = "gpus.csv";

base::Result<bool> replace_file(const fs::path& file, const std::string& text, mode_t mode) {
  fs::path draft = file;
  draft += ".new";
  std::ofstream out(draft, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out || ::chmod(draft.c_str(), mode) != 0 || ::rename(draft.c_str(), file.c_str()) != 0) {
    return base::Error{fmt::format("cannot write {}: {}", file.string(), std::strerror(errno))};
  }
  return true;
}

}  // namespace

GpuTools smi_tools(const fs::path& folder) {
  fs::path bin = folder / "bin";
  return {.nvidia_smi = bin / "nvidia-smi", .folder = bin};
}

base::Result<bool> install_smi(const GpuTools& tools) {
  std::error_code error;
  fs::create_directories(tools.folder, error);
  if (error) return base::Error{fmt::format("cannot create the folder {}: {}", tools.folder, error.message())};
  ::chmod(tools.folder.c_str(), 0755);  // for tasks with users of their own
  std::string script =
      "#!/bin/sh\n# nvidia-smi of simulated GPUs; the data file is kept up to date by the agent.\ndata=" +
      base::shell_quoted((fs::path(tools.folder) / kDataFile).string()) + "\n" + kNvidiaSmiScript;
  return replace_file(tools.nvidia_smi, script, 0755);
}

std::string smi_data(const std::vector<SmiRow>& rows) {
  std::string out;
  for (const SmiRow& row : rows) {
    const GpuSample& sample = row.sample;
    out +=
        fmt::format("{},{},{},{},{},{},{},{},{:.2f},{}.00\n", row.index, sample.id, row.model, sample.memory_total_mib,
                    sample.memory_used_mib, sample.utilization_percent, sample.memory_utilization_percent,
                    sample.temperature_celsius.value_or(0), sample.power_watts.value_or(0), row.max_watts);
  }
  return out;
}

base::Result<bool> replace_smi_data(const GpuTools& tools, const std::string& data) {
  return replace_file(fs::path(tools.folder) / kDataFile, data, 0644);
}

}  // namespace agent::gpu
