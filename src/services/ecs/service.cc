// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/service.h"

#include "services/ecs/errors.h"
#include "services/ecs/handlers.h"
#include "shapes/ecs/errors.h"

namespace services::ecs {
namespace {

// A task definition is 64 KiB at most, and may be written with generous white space.
constexpr std::size_t kBodyLimit = 1u << 20;

std::vector<Operation> operations() {
  return {
      operation<&create_cluster>("CreateCluster", Access::Write),
      operation<&delete_account_setting>("DeleteAccountSetting", Access::Write),
      operation<&delete_attributes>("DeleteAttributes", Access::Write),
      operation<&delete_cluster>("DeleteCluster", Access::Write),
      operation<&delete_task_definitions>("DeleteTaskDefinitions", Access::Write),
      operation<&deregister_container_instance>("DeregisterContainerInstance", Access::Write),
      operation<&deregister_task_definition>("DeregisterTaskDefinition", Access::Write),
      operation<&describe_clusters>("DescribeClusters", Access::Read),
      operation<&describe_container_instances>("DescribeContainerInstances", Access::Read),
      operation<&describe_task_definition>("DescribeTaskDefinition", Access::Read),
      operation<&describe_tasks>("DescribeTasks", Access::Read),
      operation<&discover_poll_endpoint>("DiscoverPollEndpoint", Access::Read),
      operation<&get_task_protection>("GetTaskProtection", Access::Read),
      operation<&list_account_settings>("ListAccountSettings", Access::Read),
      operation<&list_attributes>("ListAttributes", Access::Read),
      operation<&list_clusters>("ListClusters", Access::Read),
      operation<&list_container_instances>("ListContainerInstances", Access::Read),
      operation<&list_tags_for_resource>("ListTagsForResource", Access::Read),
      operation<&list_task_definition_families>("ListTaskDefinitionFamilies", Access::Read),
      operation<&list_task_definitions>("ListTaskDefinitions", Access::Read),
      operation<&list_tasks>("ListTasks", Access::Read),
      operation<&put_account_setting>("PutAccountSetting", Access::Write),
      operation<&put_account_setting_default>("PutAccountSettingDefault", Access::Write),
      operation<&put_attributes>("PutAttributes", Access::Write),
      operation<&put_cluster_capacity_providers>("PutClusterCapacityProviders", Access::Write),
      operation<&register_container_instance>("RegisterContainerInstance", Access::Write),
      operation<&register_task_definition>("RegisterTaskDefinition", Access::Write),
      operation<&run_task>("RunTask", Access::Write),
      operation<&start_task>("StartTask", Access::Write),
      operation<&stoker_explain>("StokerExplain", Access::Read),
      operation<&stoker_list_gpus>("StokerListGpus", Access::Read),
      operation<&stop_task>("StopTask", Access::Write),
      operation<&submit_attachment_state_changes>("SubmitAttachmentStateChanges", Access::Write),
      operation<&submit_container_state_change>("SubmitContainerStateChange", Access::Write),
      operation<&submit_task_state_change>("SubmitTaskStateChange", Access::Write),
      operation<&tag_resource>("TagResource", Access::Write),
      operation<&untag_resource>("UntagResource", Access::Write),
      operation<&update_cluster>("UpdateCluster", Access::Write),
      operation<&update_cluster_settings>("UpdateClusterSettings", Access::Write),
      operation<&update_container_instances_state>("UpdateContainerInstancesState", Access::Write),
      operation<&update_task_protection>("UpdateTaskProtection", Access::Write),
  };
}

}  // namespace

Service service() {
  Service ecs;
  ecs.wire = {.name = "ecs",
              .target_prefix = "AmazonEC2ContainerServiceV20141113",
              .api_version = "2014-11-13",
              .errors = shapes::ecs::kErrors};
  ecs.signing_name = "ecs";
  ecs.protocols = {wire::Protocol::Json11};
  ecs.body_limit = kBodyLimit;
  ecs.operations = operations();
  ecs.violation_error = &violation_error;
  return ecs;
}

}  // namespace services::ecs
