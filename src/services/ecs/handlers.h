// SPDX-License-Identifier: Apache-2.0
// ECS's operations. Each is in the file that is named after what it works on.
#pragma once

#include "services/call.h"
#include "shapes/ecs/account_setting.h"
#include "shapes/ecs/attribute.h"
#include "shapes/ecs/cluster.h"
#include "shapes/ecs/container_instance.h"
#include "shapes/ecs/state_change.h"
#include "shapes/ecs/tag.h"
#include "shapes/ecs/task_definition.h"
#include "shapes/ecs/task.h"
#include "shapes/ecs/task_definition_list.h"
#include "shapes/ecs/task_list.h"
#include "shapes/ecs/task_protection.h"
#include "shapes/stoker/explain.h"
#include "shapes/stoker/gpu.h"

namespace services::ecs {

using namespace shapes::ecs;

// clusters.cc
CreateClusterResponse create_cluster(Call& call, const CreateClusterRequest& request);
DescribeClustersResponse describe_clusters(Call& call, const DescribeClustersRequest& request);
ListClustersResponse list_clusters(Call& call, const ListClustersRequest& request);
DeleteClusterResponse delete_cluster(Call& call, const DeleteClusterRequest& request);

// cluster_changes.cc
UpdateClusterResponse update_cluster(Call& call, const UpdateClusterRequest& request);
UpdateClusterSettingsResponse update_cluster_settings(Call& call, const UpdateClusterSettingsRequest& request);
PutClusterCapacityProvidersResponse put_cluster_capacity_providers(Call& call,
                                                                   const PutClusterCapacityProvidersRequest& request);

// task_definitions.cc
RegisterTaskDefinitionResponse register_task_definition(Call& call, const RegisterTaskDefinitionRequest& request);
DescribeTaskDefinitionResponse describe_task_definition(Call& call, const DescribeTaskDefinitionRequest& request);
DeregisterTaskDefinitionResponse deregister_task_definition(Call& call, const DeregisterTaskDefinitionRequest& request);
DeleteTaskDefinitionsResponse delete_task_definitions(Call& call, const DeleteTaskDefinitionsRequest& request);

// task_definition_lists.cc
ListTaskDefinitionsResponse list_task_definitions(Call& call, const ListTaskDefinitionsRequest& request);
ListTaskDefinitionFamiliesResponse list_task_definition_families(Call& call,
                                                                 const ListTaskDefinitionFamiliesRequest& request);

// registration.cc
RegisterContainerInstanceResponse register_container_instance(Call& call,
                                                              const RegisterContainerInstanceRequest& request);

// instances.cc
DeregisterContainerInstanceResponse deregister_container_instance(Call& call,
                                                                  const DeregisterContainerInstanceRequest& request);
DescribeContainerInstancesResponse describe_container_instances(Call& call,
                                                                const DescribeContainerInstancesRequest& request);
ListContainerInstancesResponse list_container_instances(Call& call, const ListContainerInstancesRequest& request);
UpdateContainerInstancesStateResponse update_container_instances_state(
    Call& call, const UpdateContainerInstancesStateRequest& request);

// attributes.cc
ListAttributesResponse list_attributes(Call& call, const ListAttributesRequest& request);
PutAttributesResponse put_attributes(Call& call, const PutAttributesRequest& request);
DeleteAttributesResponse delete_attributes(Call& call, const DeleteAttributesRequest& request);

// run_task.cc
RunTaskResponse run_task(Call& call, const RunTaskRequest& request);
StartTaskResponse start_task(Call& call, const StartTaskRequest& request);

// tasks.cc
DescribeTasksResponse describe_tasks(Call& call, const DescribeTasksRequest& request);
ListTasksResponse list_tasks(Call& call, const ListTasksRequest& request);
StopTaskResponse stop_task(Call& call, const StopTaskRequest& request);

// task_protection.cc
GetTaskProtectionResponse get_task_protection(Call& call, const GetTaskProtectionRequest& request);
UpdateTaskProtectionResponse update_task_protection(Call& call, const UpdateTaskProtectionRequest& request);

// state_changes.cc
DiscoverPollEndpointResponse discover_poll_endpoint(Call& call, const DiscoverPollEndpointRequest& request);
SubmitTaskStateChangeResponse submit_task_state_change(Call& call, const SubmitTaskStateChangeRequest& request);
SubmitContainerStateChangeResponse submit_container_state_change(Call& call,
                                                                 const SubmitContainerStateChangeRequest& request);
SubmitAttachmentStateChangesResponse submit_attachment_state_changes(
    Call& call, const SubmitAttachmentStateChangesRequest& request);

// tags.cc
TagResourceResponse tag_resource(Call& call, const TagResourceRequest& request);
UntagResourceResponse untag_resource(Call& call, const UntagResourceRequest& request);
ListTagsForResourceResponse list_tags_for_resource(Call& call, const ListTagsForResourceRequest& request);

// account_settings.cc
ListAccountSettingsResponse list_account_settings(Call& call, const ListAccountSettingsRequest& request);
PutAccountSettingResponse put_account_setting(Call& call, const PutAccountSettingRequest& request);
PutAccountSettingDefaultResponse put_account_setting_default(Call& call,
                                                             const PutAccountSettingDefaultRequest& request);
DeleteAccountSettingResponse delete_account_setting(Call& call, const DeleteAccountSettingRequest& request);

// Ours, not Amazon's: explain.cc, gpu_list.cc
shapes::stoker::StokerExplainResponse stoker_explain(Call& call, const shapes::stoker::StokerExplainRequest& request);
shapes::stoker::StokerListGpusResponse stoker_list_gpus(Call& call,
                                                        const shapes::stoker::StokerListGpusRequest& request);

}  // namespace services::ecs
