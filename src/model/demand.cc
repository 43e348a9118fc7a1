// SPDX-License-Identifier: Apache-2.0
#include "model/demand.h"

#include <algorithm>
#include <charconv>

#include "base/bytes.h"

namespace model {
namespace {

using Kind = GpuDemand::Kind;

std::optional<base::Error> override_container(TaskNeeds& needs, const ContainerOverride& change) {
  auto found = std::ranges::find(needs.containers, change.name, &ContainerNeeds::name);
  if (found == needs.containers.end()) {
    return base::Error{"Override for container named " + change.name + " is not a container in the TaskDefinition."};
  }
  if (change.cpu) found->cpu = *change.cpu;
  if (change.memory_mib) found->memory_mib = change.memory_mib;
  if (change.reservation_mib) found->reservation_mib = change.reservation_mib;
  if (change.gpu) found->gpu = change.gpu;
  return std::nullopt;
}

// Amazon's words on memoryReservation: "If you specify memoryReservation, then that value is
// subtracted from the available memory resources for the container instance where the
// container is placed. Otherwise, the value of memory is used."
std::int64_t reserved_memory(const ContainerNeeds& container) {
  return container.reservation_mib.value_or(container.memory_mib.value_or(0));
}

std::optional<base::Error> add_ports(TaskDemand& demand, const ContainerNeeds& container, NetworkMode mode) {
  // A task with its own network shares no ports.
  if (mode == NetworkMode::Awsvpc || mode == NetworkMode::None) return std::nullopt;
  for (const PortMapping& mapping : container.ports) {
    std::uint16_t port = mode == NetworkMode::Host ? mapping.container_port : mapping.host_port;
    if (port == 0) {
      ++demand.dynamic_ports;
    } else if (!demand.ports.of(mapping.transport).insert(port).second) {
      return base::Error{"host port " + std::to_string(port) + " is requested twice in one task"};
    }
  }
  return std::nullopt;
}

std::optional<base::Error> gpu_problem(const TaskDemand& demand) {
  bool all = demand.all_gpus();
  if (all && demand.gpus.size() > 1) {
    return base::Error{"a container that asks for ALL GPUs leaves none to the task's other containers"};
  }
  if (demand.whole_gpus() > kMaxGpusPerTask) {
    return base::Error{"a task may ask for " + std::to_string(kMaxGpusPerTask) + " GPUs at most"};
  }
  for (const GpuDemand& gpu : demand.gpus) {
    if (gpu.kind == Kind::Whole && gpu.count < 1) return base::Error{"a GPU requirement must be at least 1"};
    if (gpu.kind != Kind::Shared) continue;
    if (gpu.memory_mib < 1) return base::Error{"a shared GPU's memory must be at least 1 MiB"};
    if (gpu.max_compute_percent && (*gpu.max_compute_percent < 1 || *gpu.max_compute_percent > 100)) {
      return base::Error{"a shared GPU's maxComputePercent must be between 1 and 100"};
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view text(NetworkMode mode) {
  switch (mode) {
    case NetworkMode::Bridge: return "bridge";
    case NetworkMode::Host: return "host";
    case NetworkMode::Awsvpc: return "awsvpc";
    case NetworkMode::None: return "none";
  }
  return "";
}

std::optional<NetworkMode> network_mode(std::string_view name) {
  using enum NetworkMode;
  for (NetworkMode mode : {Bridge, Host, Awsvpc, None}) {
    if (text(mode) == name) return mode;
  }
  return std::nullopt;
}

std::optional<GpuDemand> parse_gpu_value(std::string_view value) {
  if (value == "ALL") return GpuDemand{.kind = Kind::All};
  int count = 0;
  auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), count);
  if (error != std::errc{} || end != value.data() + value.size()) return std::nullopt;
  if (count < 1 || count > kMaxGpusPerTask) return std::nullopt;
  return GpuDemand{.kind = Kind::Whole, .count = count};
}

int TaskDemand::whole_gpus() const {
  std::int64_t sum = 0;
  for (const GpuDemand& gpu : gpus) sum += gpu.kind == Kind::Whole ? gpu.count : 0;
  return static_cast<int>(std::min<std::int64_t>(sum, kMaxGpusPerTask + 1));
}

bool TaskDemand::all_gpus() const {
  return std::ranges::any_of(gpus, [](const GpuDemand& gpu) { return gpu.kind == Kind::All; });
}

std::int64_t TaskDemand::shared_gpu_memory_mib() const {
  std::int64_t sum = 0;
  for (const GpuDemand& gpu : gpus) sum += gpu.kind == Kind::Shared ? gpu.memory_mib : 0;
  return sum;
}

base::Result<TaskDemand> demand_of(TaskNeeds needs, const TaskOverrides& overrides) {
  if (overrides.cpu) needs.cpu = overrides.cpu;
  if (overrides.memory_mib) needs.memory_mib = overrides.memory_mib;
  for (const ContainerOverride& change : overrides.containers) {
    if (auto error = override_container(needs, change)) return *error;
  }
  TaskDemand demand;
  for (const ContainerNeeds& container : needs.containers) {
    demand.cpu += container.cpu;
    demand.memory_mib += reserved_memory(container);
    if (auto error = add_ports(demand, container, needs.network_mode)) return *error;
    if (!container.gpu) continue;
    demand.gpus.push_back(*container.gpu);
    demand.gpus.back().container = container.name;
  }
  // A task-level size, if present, is the reservation for all its containers.
  demand.cpu = needs.cpu.value_or(demand.cpu);
  demand.memory_mib = needs.memory_mib.value_or(demand.memory_mib);
  if (auto error = gpu_problem(demand)) return *error;
  return demand;
}

}  // namespace model
