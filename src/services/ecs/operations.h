// SPDX-License-Identifier: Apache-2.0
// The operations of ECS. The source of each noun exports its own rows; module.cc lists them.
#pragma once

#include <vector>

#include "services/operation.h"

namespace services::ecs {

std::vector<Operation> cluster_operations();  // clusters/cluster_operations.cc
std::vector<Operation> cluster_change_operations();  // clusters/cluster_changes.cc
std::vector<Operation> cluster_list_operations();  // clusters/cluster_list.cc
std::vector<Operation> definition_operations();  // definitions/definition_operations.cc
std::vector<Operation> definition_list_operations();  // definitions/definition_lists.cc
std::vector<Operation> registration_operations();  // machines/registration.cc
std::vector<Operation> instance_operations();  // machines/instance_operations.cc
std::vector<Operation> attribute_operations();  // machines/attributes.cc
std::vector<Operation> gpu_operations();  // machines/gpu_list.cc
std::vector<Operation> launch_operations();  // tasks/run_task.cc
std::vector<Operation> task_operations();  // tasks/task_operations.cc
std::vector<Operation> exec_operations();  // tasks/execute_command.cc
std::vector<Operation> protection_operations();  // tasks/task_protection.cc
std::vector<Operation> agent_operations();  // tasks/agent_reports.cc
std::vector<Operation> explain_operations();  // tasks/explain.cc
std::vector<Operation> service_creation_operations();  // services/create_service.cc
std::vector<Operation> service_update_operations();  // services/update_service.cc
std::vector<Operation> service_deletion_operations();  // services/delete_service.cc
std::vector<Operation> service_operations();  // services/service_operations.cc
std::vector<Operation> service_deployment_operations();  // services/service_deployment_operations.cc
std::vector<Operation> service_revision_operations();  // services/service_revision_operations.cc
std::vector<Operation> tag_operations();  // tags.cc
std::vector<Operation> account_setting_operations();  // account_settings.cc
std::vector<Operation> capacity_provider_operations();  // capacity/provider_operations.cc
std::vector<Operation> machine_life_operations();  // capacity/machine_life.cc: internal ones

}  // namespace services::ecs
