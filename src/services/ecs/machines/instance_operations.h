// SPDX-License-Identifier: Apache-2.0
// Operations on container instances, their attributes and their GPUs.
#pragma once

#include "services/call.h"
#include "shapes/ecs/attribute.h"
#include "shapes/ecs/container_instance.h"
#include "shapes/stoker/gpu.h"

namespace services::ecs {

using namespace shapes::ecs;

RegisterContainerInstanceResponse register_container_instance(Call& call,
                                                              const RegisterContainerInstanceRequest& request);
DeregisterContainerInstanceResponse deregister_container_instance(Call& call,
                                                                  const DeregisterContainerInstanceRequest& request);
DescribeContainerInstancesResponse describe_container_instances(Call& call,
                                                                const DescribeContainerInstancesRequest& request);
ListContainerInstancesResponse list_container_instances(Call& call, const ListContainerInstancesRequest& request);
UpdateContainerInstancesStateResponse update_container_instances_state(
     Call& call, const UpdateContainerInstancesStateRequest& request);
ListAttributesResponse list_attributes(Call& call, const ListAttributesRequest& request);
PutAttributesResponse put_attributes(Call& call, const PutAttributesRequest& request);
DeleteAttributesResponse delete_attributes(Call& call, const DeleteAttributesRequest& request);
shapes::stoker::StokerListGpusResponse stoker_list_gpus(Call& call,
                                                        const shapes::stoker::StokerListGpusRequest& request);

}  // namespace services::ecs
