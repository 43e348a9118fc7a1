// SPDX-License-Identifier: Apache-2.0
// stoker gpus
#include <fmt/format.h>

#include <ostream>

#include "cli/cluster_client.h"
#include "cli/json.h"
#include "cli/names.h"
#include "cli/rows.h"
#include "cli/table.h"
#include "cli/watch.h"

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
  const auto gib = [](std::int64_t mib) { return fmt::format("{:.1f}", static_cast<double>(mib) / 1024); };
  return (gpu.memoryUsedInMiB ? gib(*gpu.memoryUsedInMiB) : "?") + "/" + gib(gpu.totalMemoryInMiB);
}

std::string gpu_mode(const StokerGpuState& gpu) {
  if (!gpu.healthy) return "UNHEALTHY";
  return gpu.sharingMode == "NVIDIA_MPS" ? "MPS" : gpu.sharingMode;
}

// Without the part that all ids have.
std::string gpu_name(const StokerGpuState& gpu) {
  const std::string name = short_gpu(gpu.gpuId);
  return name.starts_with("GPU-") ? name.substr(4) : name;
}

void print_gpus(ClusterClient& client, const Options& options, const Screen& screen) {
  shapes::stoker::StokerListGpusResponse printed{client.gpus(), std::nullopt};
  if (options.json) return print_json(screen.out, printed);
  if (printed.gpus.empty()) {
    screen.out << "no GPUs in cluster " << client.cluster() << '\n';
    return;
  }
  std::map<std::string, std::string> machines;
  for (const StokerGpuState& gpu : printed.gpus) machines[gpu.containerInstanceArn] = gpu.machine;
  machines = distinct_names(machines);
  Rows rows{{"GPU", "MACHINE", "#", "MODEL", "MODE", "UTIL", "GiB USED", "HELD BY"}};
  for (StokerGpuState& gpu : printed.gpus) {
    gpu.machine = machines.at(gpu.containerInstanceArn);
    rows.push_back(gpu_row(gpu));
  }
  print_table(screen.out, rows, screen.terminal);
}

}  // namespace

std::vector<std::string> gpu_row(const StokerGpuState& gpu) {
  return {gpu_name(gpu),
          gpu.machine,
          std::to_string(gpu.index),
          gpu.model.empty() ? "-" : gpu.model,
          gpu_mode(gpu),
          gpu.utilizationPercent ? std::to_string(*gpu.utilizationPercent) + " %" : "?",
          gpu_memory_text(gpu),
          held_by(gpu)};
}

int gpus(const Options& options, bool watch, std::ostream& out) {
  ClusterClient client(options);
  return show(out, watch, [&](const Screen& screen) { print_gpus(client, options, screen); });
}

}  // namespace cli
