// SPDX-License-Identifier: Apache-2.0
// What RunTask and StartTask share: the checks of a request, and its request to the scheduler.
#pragma once

#include <string>
#include <vector>

#include "scheduler/request.h"
#include "services/ecs/clusters/cluster.h"
#include "services/ecs/definitions/definition.h"
#include "services/ecs/tasks/stored_launch.h"
#include "shapes/ecs/task.h"

namespace services::ecs {

// The members that both requests have.
struct LaunchRequest {
  std::optional<bool> enableECSManagedTags, enableExecuteCommand;
  std::optional<std::string> group, propagateTags, referenceId, startedBy;
  std::optional<shapes::ecs::NetworkConfiguration> networkConfiguration;
  std::optional<shapes::ecs::TaskOverride> overrides;
  std::optional<std::vector<shapes::ecs::Tag>> tags;
  std::optional<std::vector<shapes::ecs::TaskVolumeConfiguration>> volumeConfigurations;
  bool external = false;  // of the launch type EXTERNAL
};

template <class Request>
LaunchRequest launch_request(const Request& request) {
  return {request.enableECSManagedTags, request.enableExecuteCommand, request.group,
          request.propagateTags,        request.referenceId,          request.startedBy,
          request.networkConfiguration, request.overrides,            request.tags,
          request.volumeConfigurations};
}

// True for EXTERNAL, false for EC2 and for none. Throws ClientException for others.
bool is_external(const std::optional<std::string>& launch_type);

// The ACTIVE revision that a launch names. Throws ClientException.
StoredTaskDefinition launchable(Call& call, const std::string& text);

// Throws for invalid members and unsupported features.
StoredLaunch make_launch(Call& call, const state::Cluster& cluster, const StoredTaskDefinition& definition,
                         const LaunchRequest& request);

// Without constraints and strategies of the request, but with those of the definition.
scheduler::Request scheduler_request(const StoredTaskDefinition& definition, const StoredLaunch& launch);
void add_constraints(scheduler::Request& request, const std::vector<shapes::ecs::PlacementConstraint>& constraints);
void add_strategies(scheduler::Request& request, const std::vector<shapes::ecs::PlacementStrategy>& strategies);

shapes::ecs::Failure to_failure(const state::Cluster& cluster, const scheduler::Failure& failure);

}  // namespace services::ecs
