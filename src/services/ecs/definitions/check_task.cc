// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/definitions/check_task.h"

#include <algorithm>
#include <set>

#include "scheduler/expression.h"
#include "services/ecs/arn.h"
#include "services/ecs/errors.h"
#include "services/ecs/definitions/task_size.h"

namespace services::ecs {
namespace {

using namespace shapes::ecs;

constexpr std::size_t kMaxContainers = 10;
constexpr std::size_t kMaxConstraints = 10;
constexpr std::int32_t kLeastTaskCpu = 128, kMostTaskCpu = 196608;
constexpr std::int32_t kLeastTaskMemory = 4;

void check_names(const RegisterTaskDefinitionRequest& request) {
  if (request.family.empty()) throw client_error("Family should not be null or empty.");
  if (!plain_name(request.family)) throw client_error("Family contains invalid characters.");
  const auto& containers = request.containerDefinitions;
  if (containers.empty()) throw client_error("Container list cannot be empty.");
  if (containers.size() > kMaxContainers) throw client_error("Too many containers.");
  std::set<std::string> names;
  for (const ContainerDefinition& container : containers) {
    if (!container.name || container.name->empty()) throw client_error("Container.name should not be null or empty.");
    if (!plain_name(*container.name)) throw client_error("Container.name contains invalid characters.");
    if (!names.insert(*container.name).second) {
      throw client_error("Container names must be unique within a task definition.");
    }
  }
}

void check_essential(const RegisterTaskDefinitionRequest& request) {
  const auto& containers = request.containerDefinitions;
  const bool any = std::any_of(containers.begin(), containers.end(),
                               [](const ContainerDefinition& container) { return container.essential.value_or(true); });
  if (!any) throw client_error("Task definition doesn't have any essential container.");
}

[[noreturn]] void refuse_size(std::string_view member) {
  throw client_error("Invalid '" + std::string(member) +
                     "' setting for task. For more information, see the Troubleshooting section of the Amazon ECS "
                     "Developer Guide.");
}

void check_task_size(const RegisterTaskDefinitionRequest& request) {
  std::int64_t containers_cpu = 0;
  for (const ContainerDefinition& container : request.containerDefinitions) containers_cpu += container.cpu.value_or(0);
  if (request.cpu) {
    const auto cpu = parse_cpu(*request.cpu);
    if (!cpu || *cpu < kLeastTaskCpu || *cpu > kMostTaskCpu) refuse_size("cpu");
    if (containers_cpu > *cpu) {
      throw client_error("The sum of all container 'cpu' values cannot be greater than the value of the task 'cpu'.");
    }
  }
  if (!request.memory) return;
  const auto memory = parse_memory(*request.memory);
  if (!memory || *memory < kLeastTaskMemory) refuse_size("memory");
  std::int64_t reserved = 0;
  for (const ContainerDefinition& container : request.containerDefinitions) {
    if (container.memory.value_or(0) > *memory) {
      throw client_error("The 'memory' setting for container '" + *container.name + "' is greater than for the task.");
    }
    reserved += container.memoryReservation ? *container.memoryReservation : container.memory.value_or(0);
  }
  if (reserved > *memory) {
    throw client_error(
        "The sum of all container 'memoryReservation' values cannot be greater than the value of the task 'memory'.");
  }
}

void check_constraints(const RegisterTaskDefinitionRequest& request) {
  if (!request.placementConstraints) return;
  if (request.placementConstraints->size() > kMaxConstraints) {
    throw client_error("A task definition can have at most 10 placement constraints.");
  }
  for (const TaskDefinitionPlacementConstraint& constraint : *request.placementConstraints) {
    if (constraint.type.value_or("") != "memberOf") {
      throw client_error("constraint.type '" + constraint.type.value_or("") + "' is not supported.");
    }
    const auto expression = scheduler::Expression::parse(constraint.expression.value_or(""));
    if (!expression) throw client_error("Invalid expression of a placement constraint: " + expression.error());
  }
}

// A name, or the ARN of a role. Whether it exists is not checked: there is no IAM.
void check_role(const std::optional<std::string>& role) {
  if (!role || !role->starts_with("arn:")) return;
  const bool of_iam = role->find(":iam::") != role->npos && role->find(":role/") != role->npos;
  if (!of_iam) throw client_error("Role is not valid");
}

bool requires_compatibility(const RegisterTaskDefinitionRequest& request, std::string_view launch_type) {
  const auto& types = request.requiresCompatibilities;
  return types && std::find(types->begin(), types->end(), launch_type) != types->end();
}

void check_compatibilities(const RegisterTaskDefinitionRequest& request) {
  const std::string mode = network_mode(request);
  if (requires_compatibility(request, "FARGATE")) {
    if (auto why = why_not_fargate(request)) throw client_error(*why);
  } else if (request.ephemeralStorage) {
    throw client_error("Tasks using the EC2 launch type do not support EphemeralStorage.");
  }
  if (requires_compatibility(request, "EXTERNAL") && mode == "awsvpc") {
    throw client_error("External launch type does not support network mode 'awsvpc'.");
  }
  if (requires_compatibility(request, "MANAGED_INSTANCES") && mode != "awsvpc" && mode != "host") {
    throw client_error("Managed Instances only support network modes 'awsvpc' and 'host'.");
  }
}

}  // namespace

std::string network_mode(const RegisterTaskDefinitionRequest& request) {
  return request.networkMode.value_or(std::string(kDefaultNetworkMode));
}

void check_task(const RegisterTaskDefinitionRequest& request) {
  check_names(request);
  for (const ContainerDefinition& container : request.containerDefinitions) check_container(container, request);
  check_essential(request);
  check_task_size(request);
  check_volumes(request);
  check_graph(request);
  check_ports(request);
  check_gpus(request);
  check_constraints(request);
  check_role(request.taskRoleArn);
  check_role(request.executionRoleArn);
  check_compatibilities(request);
  check_available(request);
}

}  // namespace services::ecs
