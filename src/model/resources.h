// SPDX-License-Identifier: Apache-2.0
// Resources of machines and tasks: CPU units, memory, ports, GPUs.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "model/ids.h"

namespace model {

inline constexpr std::int64_t kCpuUnitsPerCore = 1024;

// Linux's default ip_local_port_range, the source of dynamic host ports.
inline constexpr std::uint16_t kFirstDynamicPort = 32768;
inline constexpr std::uint16_t kLastDynamicPort = 60999;

enum class Transport { Tcp, Udp };

// Each has its own port numbers.
struct Ports {
  std::set<std::uint16_t> tcp, udp;

  std::set<std::uint16_t>& of(Transport transport) { return transport == Transport::Tcp ? tcp : udp; }
  const std::set<std::uint16_t>& of(Transport transport) const { return transport == Transport::Tcp ? tcp : udp; }
  bool operator==(const Ports&) const = default;
};

struct Gpu {
  GpuId id;
  std::string model;            // "Tesla V100-SXM2-16GB"; "" if unknown
  std::int64_t memory_mib = 0;  // 0 if unknown: then it cannot be shared by memory
  bool healthy = true;
  bool operator==(const Gpu&) const = default;
};

struct Resources {
  std::int64_t cpu = 0;
  std::int64_t memory_mib = 0;
  Ports reserved_ports;   // of the machine itself (22, 2375, ...): never assigned to a task
  std::vector<Gpu> gpus;  // in the driver's order: neighbours are close on the bus
  bool operator==(const Resources&) const = default;
};

}  // namespace model
