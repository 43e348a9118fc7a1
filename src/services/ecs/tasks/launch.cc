// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/tasks/launch.h"

#include <fmt/format.h>

#include <algorithm>

#include "services/ecs/arn.h"
#include "services/ecs/definitions/environment_files.h"
#include "services/ecs/errors.h"
#include "services/ecs/identifiers.h"
#include "services/ecs/machines/instance.h"
#include "services/ecs/definitions/needs.h"
#include "services/shape_json.h"
#include "services/ecs/tags.h"

namespace services::ecs {
namespace {

using shapes::ecs::ContainerDefinition;
using shapes::ecs::ContainerOverride;
using shapes::ecs::Tag;
using shapes::ecs::TaskOverride;

// Amazon's limits.
constexpr std::size_t kMaxStartedBy = 128;  // RunTask's; StartTask is documented with 36, which was once the limit of both
constexpr std::size_t kMaxReferenceId = 1024;
constexpr std::size_t kMaxGroup = 255;
constexpr std::size_t kMaxOverrides = 8192;
constexpr std::size_t kMaxSubnets = 16, kMaxSecurityGroups = 5;

void check_word(std::string_view name, const std::optional<std::string>& text, std::size_t most,
                std::string_view more) {
  if (!text) return;
  const bool plain = std::all_of(text->begin(), text->end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           more.find(c) != std::string_view::npos;
  });
  // ECS's own words when the limit was 36: "startedBy longer than 36."
  if (text->size() > most) throw invalid_parameter(fmt::format("{} longer than {}.", name, most));
  if (!plain) throw invalid_parameter(fmt::format("{} contains invalid characters.", name));
}

void check_overrides(const TaskOverride& overrides, const StoredTaskDefinition& definition) {
  if (to_json(overrides).size() > kMaxOverrides) {
    throw invalid_parameter("Container Overrides length must be at most 8192");
  }
  if (overrides.inferenceAcceleratorOverrides && !overrides.inferenceAcceleratorOverrides->empty()) {
    throw unsupported("inferenceAcceleratorOverrides", "Elastic Inference has ended");
  }
  if (overrides.ephemeralStorage) throw unsupported("ephemeralStorage", "it belongs to Fargate");
  const auto& containers = *definition.body.containerDefinitions;
  for (const ContainerOverride& change : overrides.containerOverrides.value_or(std::vector<ContainerOverride>())) {
    const bool known = std::any_of(containers.begin(), containers.end(),
                                   [&](const ContainerDefinition& one) { return one.name == change.name; });
    if (!known) {
      throw invalid_parameter(fmt::format("Override for container named {} is not a container in the TaskDefinition.",
                                          change.name.value_or("")));
    }
    if (auto why = why_not_files(change.environmentFiles)) throw invalid_parameter(std::move(*why));
    if (change.cpu.value_or(0) < 0 || change.memory.value_or(4) < 4 || change.memoryReservation.value_or(4) < 4) {
      throw invalid_parameter(fmt::format("Invalid cpu or memory override for container {}.", *change.name));
    }
  }
}

// Files that only the launch names: the attributes of the definition do not require a machine that reads them.
bool brings_files(const Launch& launch) {
  if (!launch.overrides || !launch.overrides->containerOverrides) return false;
  const auto& changes = *launch.overrides->containerOverrides;
  return std::any_of(changes.begin(), changes.end(), [](const ContainerOverride& change) {
    return change.environmentFiles && !change.environmentFiles->empty();
  });
}

bool any_blank(const std::vector<std::string>& ids) { return std::find(ids.begin(), ids.end(), "") != ids.end(); }

// Stoker has no VPC, but rejects what Amazon rejects, in its words.
void check_vpc(const shapes::ecs::AwsVpcConfiguration& vpc) {
  if (vpc.subnets.empty()) throw invalid_parameter("subnets can not be empty.");
  if (any_blank(vpc.subnets)) throw invalid_parameter("subnet cannot be blank.");
  check_at_most(kMaxSubnets, vpc.subnets.size(), "subnets");
  const auto groups = vpc.securityGroups.value_or(std::vector<std::string>());
  if (any_blank(groups)) throw invalid_parameter("security group cannot be blank.");
  check_at_most(kMaxSecurityGroups, groups.size(), "securityGroups");
}

void check_network(const LaunchRequest& request, const StoredTaskDefinition& definition) {
  const bool awsvpc = definition.body.networkMode == "awsvpc";
  const bool given = request.networkConfiguration && request.networkConfiguration->awsvpcConfiguration;
  if (awsvpc && !given) {
    throw invalid_parameter("Network Configuration must be provided when networkMode 'awsvpc' is specified.");
  }
  if (!awsvpc && given) {
    throw invalid_parameter("Network Configuration is not valid for the given networkMode of this task definition.");
  }
  if (given) check_vpc(*request.networkConfiguration->awsvpcConfiguration);
}

// "If true, then the task definition must have a task role, or you must provide one as an override."
// The text is ECS's own, for services.
void check_execute_command(const LaunchRequest& request, const StoredTaskDefinition& definition) {
  if (!request.enableExecuteCommand.value_or(false)) return;
  const bool overridden = request.overrides && request.overrides->taskRoleArn;
  if (overridden || definition.body.taskRoleArn) return;
  throw invalid_parameter(
      "The task couldn't be started because a valid taskRoleArn is not being used. Specify a valid task role in your "
      "task definition and try again.");
}

// Of machines whose agent runs with ECS_EXTERNAL=true.
constexpr const char* kExternalMachine = "ecs.capability.external";

void check_launch_type(const StoredTaskDefinition& definition, const std::string& type) {
  const auto& kinds = definition.body.compatibilities.value_or(std::vector<std::string>());
  if (std::find(kinds.begin(), kinds.end(), type) == kinds.end()) {
    throw invalid_parameter("Task definition does not support launch_type " + type + ".");
  }
}

std::vector<Tag> tags_of(const state::Cluster& cluster, const StoredTaskDefinition& definition,
                         const LaunchRequest& request) {
  std::vector<Tag> tags;
  const std::string propagate = request.propagateTags.value_or("NONE");
  // "An error will be received if you specify the SERVICE option when running a task."
  if (propagate == "SERVICE") throw invalid_parameter("propagateTags SERVICE is not valid for a task without a service.");
  if (propagate == "TASK_DEFINITION") tags = definition.tags;
  tags = add_tags(std::move(tags), request.tags.value_or(std::vector<Tag>()));
  if (request.enableECSManagedTags.value_or(false)) tags.push_back({"aws:ecs:clusterName", cluster.name});
  return tags;
}

}  // namespace

bool is_external(const std::optional<std::string>& launch_type) {
  const std::string type = launch_type.value_or("EC2");
  if (type != "EC2" && type != "EXTERNAL") throw unsupported("launchType " + type, "machines are those that join");
  return type == "EXTERNAL";
}

StoredTaskDefinition launchable(Call& call, const std::string& text) {
  if (text.empty()) throw client_error("TaskDefinition can not be blank.");
  check_revision_number(call.caller, text);
  const auto name = parse_task_definition(call.caller, text);
  auto definition = name ? load_task_definition(call, *name) : std::nullopt;
  // ECS answers with two different codes.
  if (!definition) throw client_error("TaskDefinition not found.");
  if (definition->status != "ACTIVE") throw invalid_parameter("TaskDefinition is inactive");
  return std::move(*definition);
}

StoredLaunch make_launch(Call& call, const state::Cluster& cluster, const StoredTaskDefinition& definition,
                         const LaunchRequest& request) {
  if (request.volumeConfigurations && !request.volumeConfigurations->empty()) {
    throw unsupported("volumeConfigurations", "there is no EBS");
  }
  check_word("startedBy", request.startedBy, kMaxStartedBy, "-_/.");
  check_word("group", request.group, kMaxGroup, "-_:/.");
  if (request.group && request.group->starts_with("service:")) {
    throw invalid_parameter("Invalid group: the prefix 'service:' is reserved for services.");
  }
  if (request.referenceId.value_or("").size() > kMaxReferenceId) {
    throw invalid_parameter("referenceId longer than 1024.");
  }
  check_launch_type(definition, request.external ? "EXTERNAL" : "EC2");
  check_network(request, definition);
  check_execute_command(request, definition);
  if (request.overrides) check_overrides(*request.overrides, definition);

  StoredLaunch launch;
  launch.cluster = cluster.number;
  launch.definition = definition.number;
  launch.created_at = call.now;
  launch.external = request.external;
  launch.group = request.group.value_or("");
  if (launch.group.empty()) launch.group = "family:" + definition.family;
  launch.started_by = request.startedBy;
  launch.body.overrides = request.overrides;
  launch.body.networkConfiguration = request.networkConfiguration;
  launch.body.tags = tags_of(cluster, definition, request);
  launch.body.enableExecuteCommand = request.enableExecuteCommand.value_or(false);
  launch.body.referenceId = request.referenceId;
  return launch;
}

scheduler::Request scheduler_request(const StoredTaskDefinition& definition, const StoredLaunch& launch) {
  scheduler::Request request;
  request.group = launch.group;
  request.started_by = launch.started_by.value_or("");
  auto demand = model::demand_of(needs_of(definition.body), overrides_of(launch.body));
  if (!demand) throw invalid_parameter(demand.error());
  request.demand = std::move(*demand);
  request.demand.required_attributes = required_of(definition.body);
  if (brings_files(launch.body)) request.demand.required_attributes.push_back({.name = kReadsEnvironmentFiles});
  if (launch.external) request.demand.required_attributes.push_back({.name = kExternalMachine});
  std::vector<shapes::ecs::PlacementConstraint> constraints;
  for (const auto& constraint : definition.body.placementConstraints.value_or(
           std::vector<shapes::ecs::TaskDefinitionPlacementConstraint>())) {
    constraints.push_back({constraint.type, constraint.expression});
  }
  add_constraints(request, constraints);
  return request;
}

void add_constraints(scheduler::Request& request, const std::vector<shapes::ecs::PlacementConstraint>& constraints) {
  std::vector<model::PlacementConstraint> parsed;
  for (const shapes::ecs::PlacementConstraint& constraint : constraints) {
    const auto type = model::constraint_type(constraint.type.value_or(""));
    if (!type) throw invalid_parameter("Invalid placement constraint type: " + constraint.type.value_or(""));
    // ECS rejects an empty one, too.
    if (*type == model::PlacementConstraint::Type::DistinctInstance && constraint.expression) {
      throw invalid_parameter("distinctInstance expression should not be specified.");
    }
    parsed.push_back({*type, constraint.expression.value_or("")});
  }
  if (auto error = scheduler::constrain(request, parsed)) throw invalid_parameter(error->message);
}

void add_strategies(scheduler::Request& request, const std::vector<shapes::ecs::PlacementStrategy>& strategies) {
  if (strategies.size() > model::kMaxPlacementStrategies) {
    throw invalid_parameter("Placement strategies cannot be more than 5.");
  }
  for (const shapes::ecs::PlacementStrategy& strategy : strategies) {
    auto parsed = model::parse_strategy(strategy.type.value_or(""), strategy.field.value_or(""));
    if (!parsed) throw invalid_parameter(parsed.error());
    request.strategies.push_back(*parsed);
  }
}

shapes::ecs::Failure to_failure(const state::Cluster& cluster, const scheduler::Failure& failure) {
  return {.arn = instance_arn(cluster, failure.instance),
          .reason = std::string(scheduler::text(failure.reason)),
          .detail = failure.detail};
}

}  // namespace services::ecs
