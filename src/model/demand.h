// SPDX-License-Identifier: Apache-2.0
// What a task asks of a machine, worked out from its definition and overrides.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/resources.h"

namespace model {

enum class NetworkMode { Bridge, Host, Awsvpc, None };

std::string_view text(NetworkMode mode);  // "awsvpc"
std::optional<NetworkMode> network_mode(std::string_view text);

// One container's GPUs: so many whole ones, all of the machine's, or a share of one.
struct GpuDemand {
  enum class Kind { Whole, All, Shared };
  Kind kind = Kind::Whole;
  std::string container;
  int count = 0;                // Whole
  std::int64_t memory_mib = 0;  // Shared
  // A limit that the agent sets, not a reservation: Amazon's API reference says so of
  // NvidiaMpsAllocation. Nothing here adds them up.
  std::optional<int> max_compute_percent;
  bool operator==(const GpuDemand&) const = default;
};

inline constexpr int kMaxGpusPerTask = 64;

// resourceRequirements' value of type GPU: "2" or "ALL".
std::optional<GpuDemand> parse_gpu_value(std::string_view value);

struct PortMapping {
  std::uint16_t container_port = 0;
  std::uint16_t host_port = 0;  // 0: any, or the container's own in host mode
  Transport transport = Transport::Tcp;
};

// Of a container's definition, what placement looks at.
struct ContainerNeeds {
  std::string name;
  std::int64_t cpu = 0;
  std::optional<std::int64_t> memory_mib;       // the hard limit
  std::optional<std::int64_t> reservation_mib;  // the soft one
  std::vector<PortMapping> ports;
  std::optional<GpuDemand> gpu;
};

// Of a task definition, the same.
struct TaskNeeds {
  std::optional<std::int64_t> cpu, memory_mib;
  NetworkMode network_mode = NetworkMode::Bridge;
  std::vector<ContainerNeeds> containers;
};

struct ContainerOverride {
  std::string name;
  std::optional<std::int64_t> cpu, memory_mib, reservation_mib;
  std::optional<GpuDemand> gpu;
};

struct TaskOverrides {
  std::optional<std::int64_t> cpu, memory_mib;
  std::vector<ContainerOverride> containers;
};

struct RequiredAttribute {
  std::string name;
  std::optional<std::string> value;  // none: any value will do
};

struct TaskDemand {
  std::int64_t cpu = 0;
  std::int64_t memory_mib = 0;
  Ports ports;
  int dynamic_ports = 0;
  std::vector<GpuDemand> gpus;
  std::vector<RequiredAttribute> required_attributes;  // the caller's to fill in

  int whole_gpus() const;
  bool all_gpus() const;
  // Of all its sharing containers together: they go on one GPU.
  std::int64_t shared_gpu_memory_mib() const;
};

// An error for what no machine could ever satisfy or an override of no container.
base::Result<TaskDemand> demand_of(TaskNeeds needs, const TaskOverrides& overrides = {});

}  // namespace model
