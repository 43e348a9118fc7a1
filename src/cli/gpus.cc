// SPDX-License-Identifier: Apache-2.0
// stoker gpus
#include <ostream>

#include "cli/cluster_client.h"
#include "cli/json.h"
#include "cli/names.h"
#include "cli/rows.h"
#include "cli/table.h"

namespace cli {
namespace {

using shapes::stoker::StokerGpuHolder;
using shapes::stoker::StokerGpuState;

// "3fa94c1b2d77 family:train (6000 MiB)", and the error of an unhealthy GPU.
std::string held_by(const StokerGpuState& gpu) {
  std::string text;
  for (const StokerGpuHolder& holder : gpu.holders) {
    text += (text.empty() ? "" : ", ") + short_id(holder.taskArn) + " " + holder.group;
    if (holder.sharedMemoryInMiB) text += " (" + std::to_string(*holder.sharedMemoryInMiB) + " MiB)";
  }
  if (text.empty()) text = "-";
  if (!gpu.healthy) text += "; unhealthy: " + gpu.trouble.value_or("its agent reports no reason");
  return text;
}

std::string gpu_memory_text(const StokerGpuState& gpu) {
  const std::string used = gpu.memoryUsedInMiB ? std::to_string(*gpu.memoryUsedInMiB) : "?";
  return used + "/" + std::to_string(gpu.totalMemoryInMiB) + " MiB";
}

}  // namespace

std::vector<std::string> gpu_row(const StokerGpuState& gpu) {
  return {short_gpu(gpu.gpuId),
          gpu.machine,
          std::to_string(gpu.index),
          gpu.model.empty() ? "-" : gpu.model,
          gpu.healthy ? gpu.sharingMode : "UNHEALTHY",
          gpu.utilizationPercent ? std::to_string(*gpu.utilizationPercent) + " %" : "?",
          gpu_memory_text(gpu),
          held_by(gpu)};
}

int gpus(const Options& options, std::ostream& out) {
  ClusterClient client(options);
  shapes::stoker::StokerListGpusResponse printed{client.gpus(), std::nullopt};
  if (options.json) {
    print_json(out, printed);
    return 0;
  }
  if (printed.gpus.empty()) {
    out << "no GPUs in cluster " << client.cluster() << '\n';
    return 0;
  }
  std::vector<std::vector<std::string>> rows{{"GPU", "MACHINE", "#", "MODEL", "MODE", "UTIL", "MEMORY", "HELD BY"}};
  for (const StokerGpuState& gpu : printed.gpus) rows.push_back(gpu_row(gpu));
  print_table(out, rows);
  return 0;
}

}  // namespace cli
