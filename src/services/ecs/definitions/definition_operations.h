// SPDX-License-Identifier: Apache-2.0
// Operations on task definitions.
#pragma once

#include "services/call.h"
#include "shapes/ecs/task_definition.h"
#include "shapes/ecs/task_definition_list.h"

namespace services::ecs {

using namespace shapes::ecs;

RegisterTaskDefinitionResponse register_task_definition(Call& call, const RegisterTaskDefinitionRequest& request);
DescribeTaskDefinitionResponse describe_task_definition(Call& call, const DescribeTaskDefinitionRequest& request);
DeregisterTaskDefinitionResponse deregister_task_definition(Call& call, const DeregisterTaskDefinitionRequest& request);
DeleteTaskDefinitionsResponse delete_task_definitions(Call& call, const DeleteTaskDefinitionsRequest& request);
ListTaskDefinitionsResponse list_task_definitions(Call& call, const ListTaskDefinitionsRequest& request);
ListTaskDefinitionFamiliesResponse list_task_definition_families(Call& call,
                                                                 const ListTaskDefinitionFamiliesRequest& request);

}  // namespace services::ecs
