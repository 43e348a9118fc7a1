// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/tasks/payload.h"

#include "base/bytes.h"
#include "services/ecs/arn.h"
#include "services/ecs/definitions/needs.h"
#include "services/ecs/definitions/task_size.h"
#include "wire/json.h"

namespace services::ecs {
namespace {

using shapes::ecs::ContainerDefinition;
using shapes::ecs::ContainerOverride;

constexpr std::string_view kServiceGroup = "service:";

ContainerOverride override_of(const Launch& launch, const std::string& container) {
  if (!launch.overrides) return {};
  for (const ContainerOverride& change : list_of(launch.overrides->containerOverrides)) {
    if (change.name == container) return change;
  }
  return {};
}

// "registry:5000/web" of "registry:5000/web:3".
std::string repository_of(const std::string& image) {
  const std::size_t colon = image.rfind(':');
  const std::size_t slash = image.rfind('/');
  const bool has_tag = colon != image.npos && (slash == image.npos || colon > slash);
  return has_tag ? image.substr(0, colon) : image;
}

// All tasks of a deployment run the same version of an image, whatever becomes of its tag.
std::string image_of(const ContainerDefinition& container, const Launch& launch) {
  const std::string image = container.image.value_or("");
  for (const shapes::ecs::ContainerImage& resolved : list_of(launch.containerImages)) {
    if (resolved.containerName != container.name || !resolved.imageDigest) continue;
    return repository_of(image) + "@" + *resolved.imageDigest;
  }
  return image;
}

bool is_awslogs(const ContainerDefinition& container) {
  return container.logConfiguration && container.logConfiguration->logDriver == "awslogs";
}

std::string command_json(const std::vector<std::string>& command) {
  std::string out = R"({"command":[)";
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (i > 0) out += ',';
    wire::write_json_string(command[i], out);
  }
  return out + "]}";
}

void add_lists(shapes::agent::Container& out, const ContainerDefinition& container) {
  for (const auto& mapping : list_of(container.portMappings)) {
    out.portMappings.push_back({mapping.containerPort.value_or(0), mapping.hostPort.value_or(0),
                                mapping.protocol.value_or("tcp"), mapping.containerPortRange});
  }
  for (const auto& mount : list_of(container.mountPoints)) {
    out.mountPoints.push_back({mount.sourceVolume.value_or(""), mount.containerPath.value_or(""), mount.readOnly});
  }
  for (const auto& from : list_of(container.volumesFrom)) {
    out.volumesFrom.push_back({from.sourceContainer.value_or(""), from.readOnly});
  }
  for (const auto& dependency : list_of(container.dependsOn)) {
    out.dependsOn.push_back({dependency.containerName, dependency.condition});
  }
  out.links = list_of(container.links);
}

shapes::agent::Container to_container(const state::Cluster& cluster, const state::Task& task, const Launch& launch,
                                      const ContainerDefinition& container, const PayloadDefaults& defaults,
                                      const std::string& network_mode) {
  const ContainerOverride change = override_of(launch, *container.name);
  shapes::agent::Container out;
  out.name = *container.name;
  out.image = image_of(container, launch);
  out.command = container.command;
  out.entryPoint = container.entryPoint;
  for (const auto& pair : list_of(container.environment)) {
    out.environment[pair.name.value_or("")] = pair.value.value_or("");
  }
  for (const auto& pair : list_of(change.environment)) {
    out.environment[pair.name.value_or("")] = pair.value.value_or("");
  }
  if (defaults.endpoint && network_mode != "none") out.environment.emplace("AWS_ENDPOINT_URL", *defaults.endpoint);
  // "instead of the value from the container definition", in the documentation of an override.
  const bool other_files = !list_of(change.environmentFiles).empty();
  for (const auto& file : list_of(other_files ? change.environmentFiles : container.environmentFiles)) {
    out.environmentFiles.push_back({file.type, file.value});
  }
  out.essential = container.essential.value_or(true);
  out.cpu = change.cpu ? *change.cpu : container.cpu.value_or(0);
  out.memory = change.memory ? *change.memory : container.memory.value_or(0);
  add_lists(out, container);
  out.startTimeout = container.startTimeout;
  out.stopTimeout = container.stopTimeout;
  out.privileged = container.privileged;
  if (container.healthCheck) out.healthCheckType = "docker";
  if (container.restartPolicy) {
    out.restartPolicy = shapes::agent::RestartPolicy{container.restartPolicy->enabled,
                                                     container.restartPolicy->ignoredExitCodes,
                                                     container.restartPolicy->restartAttemptPeriod};
  }
  out.containerArn = container_arn(cluster, task.id, out.name);
  if (launch.enableExecuteCommand) out.managedAgents.emplace(1, shapes::agent::ManagedAgent{"ExecuteCommandAgent"});
  if (change.command) out.overrides = command_json(*change.command);
  if (defaults.execution_role && is_awslogs(container)) out.logsAuthStrategy = "ExecutionRole";
  out.dockerConfig = docker_config(
      container, change.memoryReservation ? change.memoryReservation : container.memoryReservation, defaults,
      network_mode);
  return out;
}

shapes::agent::Volume to_volume(const shapes::ecs::Volume& volume) {
  shapes::agent::Volume out;
  out.name = volume.name.value_or("");
  if (volume.dockerVolumeConfiguration) {
    const auto& docker = *volume.dockerVolumeConfiguration;
    out.type = "docker";
    out.dockerVolumeConfiguration = shapes::agent::DockerVolume{docker.scope, docker.autoprovision, docker.driver,
                                                                docker.driverOpts, docker.labels};
    return out;
  }
  out.type = "host";
  out.host.emplace();
  if (volume.host) out.host->sourcePath = volume.host->sourcePath;
  return out;
}

// The compute limit of a share, which is not stored with what the task holds.
std::optional<std::int32_t> compute_limit(const StoredTaskDefinition& definition, const Launch& launch,
                                          const std::string& container) {
  const ContainerOverride change = override_of(launch, container);
  if (change.resourceRequirements && !change.resourceRequirements->empty()) {
    const auto demand = gpu_demand(container, *change.resourceRequirements);
    if (demand) return demand->max_compute_percent;
  }
  for (const ContainerDefinition& one : *definition.body.containerDefinitions) {
    if (one.name != container) continue;
    const auto demand = gpu_demand(container, list_of(one.resourceRequirements));
    return demand ? demand->max_compute_percent : std::nullopt;
  }
  return std::nullopt;
}

void add_gpus(shapes::agent::Task& out, const state::Task& task, const StoredTaskDefinition& definition,
              const Launch& launch) {
  for (const model::GpuHold& gpu : task.hold.gpus) {
    auto found = std::find_if(out.associations.begin(), out.associations.end(),
                              [&](const auto& association) { return association.name == gpu.gpu.str(); });
    if (found == out.associations.end()) {
      out.associations.push_back({.type = "gpu", .name = gpu.gpu.str()});
      found = std::prev(out.associations.end());
    }
    found->containers.push_back(gpu.container);
    if (gpu.shared_memory_mib == 0) continue;
    if (!out.stokerGpuShares) out.stokerGpuShares.emplace();
    out.stokerGpuShares->push_back(
        {gpu.container, gpu.gpu.str(), gpu.shared_memory_mib, compute_limit(definition, launch, gpu.container)});
  }
}

// Sizes of the whole task only: without them each container just has its own limits.
void add_size(shapes::agent::Task& out, const StoredTaskDefinition& definition, const Launch& launch) {
  auto cpu = definition.body.cpu, memory = definition.body.memory;
  if (launch.overrides && launch.overrides->cpu) cpu = launch.overrides->cpu;
  if (launch.overrides && launch.overrides->memory) memory = launch.overrides->memory;
  if (cpu) {
    if (auto units = parse_cpu(*cpu)) out.cpu = *units / 1024.0;
  }
  if (memory) {
    if (auto mib = parse_memory(*memory)) out.memory = *mib;
  }
}

}  // namespace

shapes::agent::Task to_payload(const state::Cluster& cluster, const state::Task& task, const StoredLaunch& launch,
                               const StoredTaskDefinition& definition, PayloadDefaults defaults) {
  defaults.task_id = task.id.str();
  shapes::agent::Task out;
  out.arn = task_arn(cluster, task.id);
  out.taskClusterArn = cluster_arn(cluster);
  out.family = definition.family;
  out.version = std::to_string(definition.revision);
  out.desiredStatus = model::text(task.desired);
  out.networkMode = definition.body.networkMode.value_or("bridge");
  for (const ContainerDefinition& container : *definition.body.containerDefinitions) {
    out.containers.push_back(to_container(cluster, task, launch.body, container, defaults, *out.networkMode));
  }
  for (const shapes::ecs::Volume& volume : list_of(definition.body.volumes)) out.volumes.push_back(to_volume(volume));
  add_size(out, definition, launch.body);
  out.pidMode = definition.body.pidMode;
  out.ipcMode = definition.body.ipcMode;
  out.launchType = launch.external ? "EXTERNAL" : "EC2";
  out.group = launch.group;
  if (launch.group.starts_with(kServiceGroup)) out.serviceName = launch.group.substr(kServiceGroup.size());
  add_gpus(out, task, definition, launch.body);
  return out;
}

}  // namespace services::ecs
