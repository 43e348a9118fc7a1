// SPDX-License-Identifier: Apache-2.0
// What a task needs of a machine, computed from its definition and overrides.
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

// One container's GPUs: a number of whole ones, all of the machine, or a share of one.
struct GpuDemand {
  enum class Kind { Whole, All, Shared };
  Kind kind = Kind::Whole;
  std::string container;
  int count = 0;                // Whole
  std::int64_t memory_mib = 0;  // Shared
  // A limit that the agent enforces, not a reservation (Amazon's API reference on NvidiaMpsAllocation). Never summed.
  std::optional<int> max_compute_percent;
  bool operator==(const GpuDemand&) const = default;
};

inline constexpr int kMaxGpusPerTask = 64;

// Parses the value of a resource requirement of type GPU: "2" or "ALL".
std::optional<GpuDemand> parse_gpu_value(std::string_view value);

struct PortMapping {
  std::uint16_t container_port = 0;
  std::uint16_t host_port = 0;  // 0: any port, or in host mode the container port
  Transport transport = Transport::Tcp;
};

// The parts of a container definition that matter for placement.
struct ContainerNeeds {
  std::string name;
  std::int64_t cpu = 0;
  std::optional<std::int64_t> memory_mib;       // the hard limit
  std::optional<std::int64_t> reservation_mib;  // the soft limit
  std::vector<PortMapping> ports;
  std::optional<GpuDemand> gpu;
};

// The same of a task definition.
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
  std::optional<std::string> value;  // absent: any value
};

struct TaskDemand {
  std::int64_t cpu = 0;
  std::int64_t memory_mib = 0;
  Ports ports;
  int dynamic_ports = 0;
  std::vector<GpuDemand> gpus;
  std::vector<RequiredAttribute> required_attributes;  // set by the caller

  int whole_gpus() const;
  bool all_gpus() const;
  // Sum over its sharing containers, which share one GPU.
  std::int64_t shared_gpu_memory_mib() const;
};

// An error for a demand that no machine can meet, or for an override of an unknown container.
base::Result<TaskDemand> demand_of(TaskNeeds needs, const TaskOverrides& overrides = {});

}  // namespace model
