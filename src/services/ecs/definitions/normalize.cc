// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/definitions/normalize.h"

#include "services/ecs/definitions/capabilities.h"
#include "services/ecs/definitions/check_task.h"
#include "services/ecs/definitions/task_size.h"

namespace services::ecs {
namespace {

using namespace shapes::ecs;

constexpr std::int32_t kHealthIntervalSeconds = 30, kHealthTimeoutSeconds = 5, kHealthRetries = 3;

template <class T>
void make_present(std::optional<T>& member) {
  if (!member) member.emplace();
}

template <class T>
void set_default(std::optional<T>& member, T value) {
  if (!member) member = std::move(value);
}

void normalize_port(PortMapping& mapping, const std::string& mode) {
  set_default<std::string>(mapping.protocol, "tcp");
  if (mapping.containerPortRange) return;
  // 0: the machine chooses the port.
  set_default<std::int32_t>(mapping.hostPort, mode == "bridge" ? 0 : *mapping.containerPort);
}

ContainerDefinition normalized(ContainerDefinition container, const std::string& mode) {
  set_default<std::int32_t>(container.cpu, 0);
  set_default(container.essential, true);
  make_present(container.portMappings);
  make_present(container.environment);
  make_present(container.mountPoints);
  make_present(container.volumesFrom);
  make_present(container.systemControls);
  for (PortMapping& mapping : *container.portMappings) normalize_port(mapping, mode);
  if (container.healthCheck) {
    set_default(container.healthCheck->interval, kHealthIntervalSeconds);
    set_default(container.healthCheck->timeout, kHealthTimeoutSeconds);
    set_default(container.healthCheck->retries, kHealthRetries);
  }
  return container;
}

Volume normalized(Volume volume) {
  if (volume.dockerVolumeConfiguration) {
    set_default<std::string>(volume.dockerVolumeConfiguration->scope, "task");
    set_default<std::string>(volume.dockerVolumeConfiguration->driver, "local");
  } else {
    make_present(volume.host);
  }
  return volume;
}

}  // namespace

TaskDefinition normalized(const RegisterTaskDefinitionRequest& request) {
  TaskDefinition out;
  const std::string mode = network_mode(request);
  out.containerDefinitions.emplace();
  for (const ContainerDefinition& container : request.containerDefinitions) {
    out.containerDefinitions->push_back(normalized(container, mode));
  }
  out.taskRoleArn = request.taskRoleArn;
  out.executionRoleArn = request.executionRoleArn;
  // Not shown where it is absent: that is Docker's default, bridge.
  out.networkMode = request.networkMode;
  out.volumes.emplace();
  for (const Volume& volume : request.volumes.value_or(std::vector<Volume>())) {
    out.volumes->push_back(normalized(volume));
  }
  if (auto attributes = required_attributes(request); !attributes.empty()) out.requiresAttributes = attributes;
  out.placementConstraints = request.placementConstraints;
  make_present(out.placementConstraints);
  out.compatibilities = compatibilities(request);
  out.runtimePlatform = request.runtimePlatform;
  out.requiresCompatibilities = request.requiresCompatibilities;
  if (request.cpu) out.cpu = std::to_string(*parse_cpu(*request.cpu));
  if (request.memory) out.memory = std::to_string(*parse_memory(*request.memory));
  out.pidMode = request.pidMode;
  out.ipcMode = request.ipcMode;
  out.ephemeralStorage = request.ephemeralStorage;
  out.enableFaultInjection = request.enableFaultInjection;
  return out;
}

}  // namespace services::ecs
