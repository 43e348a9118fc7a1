// SPDX-License-Identifier: Apache-2.0
// A request as ECS shows it later: with its defaults, and with empty lists where ECS shows them.
#pragma once

#include "shapes/ecs/task_definition.h"

namespace services::ecs {

// All that does not depend on the revision. The request has passed check_task().
shapes::ecs::TaskDefinition normalized(const shapes::ecs::RegisterTaskDefinitionRequest& request);

}  // namespace services::ecs
