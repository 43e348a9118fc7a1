// SPDX-License-Identifier: Apache-2.0
// What placement needs of a task definition and its overrides.
#pragma once

#include <vector>

#include "model/demand.h"
#include "services/ecs/tasks/stored_launch.h"
#include "shapes/ecs/task_definition.h"

namespace services::ecs {

model::TaskNeeds needs_of(const shapes::ecs::TaskDefinition& definition);
// Throws InvalidParameterException.
model::TaskOverrides overrides_of(const Launch& launch);
// The attributes that ECS lists, and the architecture, which it does not.
std::vector<model::RequiredAttribute> required_of(const shapes::ecs::TaskDefinition& definition);

// The GPUs of a container; nullopt where it needs none.
std::optional<model::GpuDemand> gpu_demand(const std::string& container,
                                           const std::vector<shapes::ecs::ResourceRequirement>& requirements);

}  // namespace services::ecs
