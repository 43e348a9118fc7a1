// SPDX-License-Identifier: Apache-2.0
// What a task definition needs of a machine, and the launch types that it fits.
#pragma once

#include <string>
#include <vector>

#include "shapes/ecs/task_definition.h"

namespace services::ecs {

// EXTERNAL, EC2, MANAGED_INSTANCES, FARGATE: those whose rules it satisfies.
std::vector<std::string> compatibilities(const shapes::ecs::RegisterTaskDefinitionRequest& request);

// The attributes that a container instance must have, by the names under which agents
// register them.
std::vector<shapes::ecs::Attribute> required_attributes(const shapes::ecs::RegisterTaskDefinitionRequest& request);

}  // namespace services::ecs
