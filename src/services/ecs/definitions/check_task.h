// SPDX-License-Identifier: Apache-2.0
// Checks of task definitions: ECS's rules, in ECS's words where they are known. A check throws ClientException.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shapes/ecs/task_definition.h"

namespace services::ecs {

// Every check below, in order.
void check_task(const shapes::ecs::RegisterTaskDefinitionRequest& request);

// The default.
inline constexpr std::string_view kDefaultNetworkMode = "bridge";
std::string network_mode(const shapes::ecs::RegisterTaskDefinitionRequest& request);

// check_container.cc: one container by itself.
void check_container(const shapes::ecs::ContainerDefinition& container,
                     const shapes::ecs::RegisterTaskDefinitionRequest& task);
// check_awslogs.cc: the options of the log driver awslogs.
void check_awslogs(const shapes::ecs::LogConfiguration& log);
// check_linux.cc
void check_linux_parameters(const shapes::ecs::ContainerDefinition& container);
void check_system_controls(const shapes::ecs::ContainerDefinition& container,
                           const shapes::ecs::RegisterTaskDefinitionRequest& task);
// check_ports.cc: all containers' ports, which share one task.
void check_ports(const shapes::ecs::RegisterTaskDefinitionRequest& request);
// check_graph.cc: links, dependsOn, volumesFrom and mountPoints name what exists, without cycles.
void check_graph(const shapes::ecs::RegisterTaskDefinitionRequest& request);
// check_volumes.cc
void check_volumes(const shapes::ecs::RegisterTaskDefinitionRequest& request);
// check_gpus.cc
void check_gpus(const shapes::ecs::RegisterTaskDefinitionRequest& request);
// check_available.cc: rejects unsupported features by name.
void check_available(const shapes::ecs::RegisterTaskDefinitionRequest& request);
// fargate.cc: why this could not run on Fargate; nullopt where it could.
std::optional<std::string> why_not_fargate(const shapes::ecs::RegisterTaskDefinitionRequest& request);

}  // namespace services::ecs
