// SPDX-License-Identifier: Apache-2.0
// Fargate's rules. Stoker has no Fargate, but ECS shows for each definition which launch types it fits.
#include <fmt/format.h>

#include <algorithm>

#include "services/ecs/definitions/check_task.h"
#include "services/ecs/definitions/given.h"
#include "services/ecs/definitions/task_size.h"

namespace services::ecs {
namespace {

using namespace shapes::ecs;
using Why = std::optional<std::string>;

constexpr std::int32_t kLeastStorageGib = 21, kMostStorageGib = 200;

Why unsupported(std::string_view member) {
  return fmt::format("Fargate compatible task definitions do not support {}", member);
}

bool is_ecr(std::string_view image) { return image.find(".dkr.ecr.") != image.npos; }

Why why_not_linux(const LinuxParameters& linux) {
  if (given(linux.devices)) return unsupported("devices");
  if (linux.sharedMemorySize) return unsupported("sharedMemorySize");
  if (linux.maxSwap) return unsupported("maxSwap");
  if (linux.swappiness) return unsupported("swappiness");
  if (given(linux.tmpfs)) return unsupported("tmpfs");
  if (linux.capabilities && linux.capabilities->add) {
    for (const std::string& name : *linux.capabilities->add) {
      if (name != "SYS_PTRACE") return unsupported("adding the capability " + name);
    }
  }
  return std::nullopt;
}

Why why_not_log(const LogConfiguration& log, bool has_role) {
  if (log.logDriver != "awslogs" && log.logDriver != "splunk" && log.logDriver != "awsfirelens") {
    return fmt::format("{} is not a valid log driver. Must be one of [awslogs, splunk, awsfirelens]", log.logDriver);
  }
  if (log.logDriver != "awslogs") return std::nullopt;
  if (!has_role) return "Fargate requires task definition to have execution role ARN to support log driver awslogs.";
  if (!log.options || !log.options->contains("awslogs-stream-prefix")) {
    return "Fargate requires log configuration options to include awslogs-stream-prefix to support log driver awslogs.";
  }
  return std::nullopt;
}

Why why_not_container(const ContainerDefinition& container, bool has_role) {
  if (container.privileged.value_or(false)) return "Fargate requires that the 'privileged' setting be 'false'.";
  if (given(container.dockerSecurityOptions)) return unsupported("dockerSecurityOptions");
  if (given(container.resourceRequirements)) {
    return "Tasks using the Fargate launch type do not support GPU resource requirements.";
  }
  if (is_ecr(*container.image) && !has_role) {
    return "Fargate requires task definition to have execution role ARN to support ECR images.";
  }
  if (container.linuxParameters) {
    if (Why why = why_not_linux(*container.linuxParameters)) return why;
  }
  return container.logConfiguration ? why_not_log(*container.logConfiguration, has_role) : std::nullopt;
}

Why why_not_size(const RegisterTaskDefinitionRequest& request) {
  if (!request.cpu) return "Fargate requires that 'cpu' be defined at the task level.";
  if (!request.memory) return "Fargate requires that 'memory' be defined at the task level.";
  const auto cpu = parse_cpu(*request.cpu);
  const auto memory = parse_memory(*request.memory);
  if (!cpu || !memory || !fargate_has(*cpu, *memory)) return "No Fargate configuration exists for given values.";
  return std::nullopt;
}

Why why_not_storage(const RegisterTaskDefinitionRequest& request) {
  if (!request.ephemeralStorage) return std::nullopt;
  if (request.ephemeralStorage->sizeInGiB < kLeastStorageGib) return "EphemeralStorage size should be at least 21.";
  if (request.ephemeralStorage->sizeInGiB > kMostStorageGib) return "EphemeralStorage size should be at most 200.";
  return std::nullopt;
}

}  // namespace

Why why_not_fargate(const RegisterTaskDefinitionRequest& request) {
  if (network_mode(request) != "awsvpc") return "Fargate only supports network mode ‘awsvpc’.";
  if (Why why = why_not_size(request)) return why;
  if (given(request.placementConstraints)) return unsupported("constraints");
  if (request.pidMode.value_or("") == "host") {
    return "Tasks using the Fargate launch type do not support pidMode 'host'. The supported value for pidMode is "
           "'task'.";
  }
  if (request.ipcMode) return unsupported("ipcMode");
  if (request.volumes) {
    for (const Volume& volume : *request.volumes) {
      if (volume.host && volume.host->sourcePath) return unsupported("sourcePath");
      if (volume.dockerVolumeConfiguration) return unsupported("dockerVolumeConfiguration");
    }
  }
  for (const ContainerDefinition& container : request.containerDefinitions) {
    if (Why why = why_not_container(container, request.executionRoleArn.has_value())) return why;
  }
  return why_not_storage(request);
}

}  // namespace services::ecs
