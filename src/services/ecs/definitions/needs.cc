// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/definitions/needs.h"

#include <fmt/format.h>

#include <charconv>

#include "services/ecs/errors.h"
#include "services/ecs/definitions/task_size.h"

namespace services::ecs {
namespace {

using shapes::ecs::ContainerDefinition;
using shapes::ecs::ContainerOverride;
using shapes::ecs::PortMapping;
using shapes::ecs::ResourceRequirement;
using shapes::ecs::TaskDefinition;

// "8000-8010": each is a port of its own, and the agent chooses its host port.
void add_range(std::vector<model::PortMapping>& ports, const std::string& range, model::Transport transport) {
  int first = 0, last = 0;
  const char* end = range.data() + range.size();
  auto from = std::from_chars(range.data(), end, first);
  if (from.ec != std::errc() || from.ptr == end) return;
  if (std::from_chars(from.ptr + 1, end, last).ec != std::errc()) return;
  for (int port = first; port <= last; ++port) {
    ports.push_back({.container_port = static_cast<std::uint16_t>(port), .host_port = 0, .transport = transport});
  }
}

std::vector<model::PortMapping> ports_of(const ContainerDefinition& container) {
  std::vector<model::PortMapping> ports;
  for (const PortMapping& mapping : container.portMappings.value_or(std::vector<PortMapping>())) {
    const auto transport = mapping.protocol == "udp" ? model::Transport::Udp : model::Transport::Tcp;
    if (mapping.containerPortRange) {
      add_range(ports, *mapping.containerPortRange, transport);
      continue;
    }
    ports.push_back({.container_port = static_cast<std::uint16_t>(mapping.containerPort.value_or(0)),
                     .host_port = static_cast<std::uint16_t>(mapping.hostPort.value_or(0)),
                     .transport = transport});
  }
  return ports;
}

template <class T>
std::optional<std::int64_t> widened(const std::optional<T>& value) {
  return value ? std::optional<std::int64_t>(*value) : std::nullopt;
}

std::optional<std::int64_t> size_of(const std::optional<std::string>& text,
                                    std::optional<std::int32_t> (*parse)(std::string_view), std::string_view name) {
  if (!text || text->empty()) return std::nullopt;
  const auto value = parse(*text);
  if (!value || *value <= 0) throw invalid_parameter(fmt::format("Invalid '{}' setting for task: {}", name, *text));
  return *value;
}

}  // namespace

std::optional<model::GpuDemand> gpu_demand(const std::string& container,
                                           const std::vector<ResourceRequirement>& requirements) {
  for (const ResourceRequirement& requirement : requirements) {
    if (requirement.type != "GPU") continue;
    model::GpuDemand demand;
    if (requirement.sharingStrategy && requirement.sharingStrategy->nvidiaMps) {
      demand.kind = model::GpuDemand::Kind::Shared;
      demand.memory_mib = requirement.sharingStrategy->nvidiaMps->memory.value_or(0);
      demand.max_compute_percent = requirement.sharingStrategy->nvidiaMps->maxComputePercent;
    } else {
      const auto whole = model::parse_gpu_value(requirement.value.value_or(""));
      if (!whole) throw invalid_parameter("Invalid value for GPU: " + requirement.value.value_or(""));
      demand = *whole;
    }
    demand.container = container;
    return demand;
  }
  return std::nullopt;
}

model::TaskNeeds needs_of(const TaskDefinition& definition) {
  model::TaskNeeds needs;
  needs.cpu = size_of(definition.cpu, &parse_cpu, "cpu");
  needs.memory_mib = size_of(definition.memory, &parse_memory, "memory");
  needs.network_mode = model::network_mode(definition.networkMode.value_or("bridge")).value();
  for (const ContainerDefinition& container : *definition.containerDefinitions) {
    needs.containers.push_back(
        {.name = *container.name,
         .cpu = container.cpu.value_or(0),
         .memory_mib = widened(container.memory),
         .reservation_mib = widened(container.memoryReservation),
         .ports = ports_of(container),
         .gpu = gpu_demand(*container.name,
                           container.resourceRequirements.value_or(std::vector<ResourceRequirement>()))});
  }
  return needs;
}

model::TaskOverrides overrides_of(const Launch& launch) {
  model::TaskOverrides overrides;
  if (!launch.overrides) return overrides;
  overrides.cpu = size_of(launch.overrides->cpu, &parse_cpu, "cpu");
  overrides.memory_mib = size_of(launch.overrides->memory, &parse_memory, "memory");
  for (const ContainerOverride& change :
       launch.overrides->containerOverrides.value_or(std::vector<ContainerOverride>())) {
    overrides.containers.push_back(
        {.name = *change.name,
         .cpu = widened(change.cpu),
         .memory_mib = widened(change.memory),
         .reservation_mib = widened(change.memoryReservation),
         .gpu =
             gpu_demand(*change.name, change.resourceRequirements.value_or(std::vector<ResourceRequirement>()))});
  }
  return overrides;
}

std::vector<model::RequiredAttribute> required_of(const TaskDefinition& definition) {
  std::vector<model::RequiredAttribute> required;
  for (const auto& attribute : definition.requiresAttributes.value_or(std::vector<shapes::ecs::Attribute>())) {
    required.push_back({attribute.name, attribute.value});
  }
  if (definition.runtimePlatform && definition.runtimePlatform->cpuArchitecture) {
    const bool arm = definition.runtimePlatform->cpuArchitecture == "ARM64";
    required.push_back({"ecs.cpu-architecture", arm ? "arm64" : "x86_64"});
  }
  return required;
}

}  // namespace services::ecs
