// SPDX-License-Identifier: Apache-2.0
// What the rows of services keep as JSON. Members have Amazon's names.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shapes/ecs/service_configuration.h"
#include "shapes/ecs/service_deployment.h"
#include "shapes/ecs/tag.h"
#include "shapes/ecs/task.h"

namespace services::ecs {

// state::Service::body_json: the configuration, which all deployments of the service share.
struct ServiceBody {
  // Both percentages and the circuit breaker are always set.
  shapes::ecs::DeploymentConfiguration deploymentConfiguration = {};
  std::vector<shapes::ecs::PlacementConstraint> placementConstraints = {};
  std::vector<shapes::ecs::PlacementStrategy> placementStrategy = {};
  std::optional<std::int32_t> healthCheckGracePeriodSeconds = {};
  std::optional<shapes::ecs::DeploymentController> deploymentController = {};
  std::vector<shapes::ecs::Tag> tags = {};
  std::optional<std::string> createdBy = {};
  bool enableECSManagedTags = false;
  std::string propagateTags = "NONE";  // or SERVICE, or TASK_DEFINITION
  bool enableExecuteCommand = false;
  std::string availabilityZoneRebalancing = "DISABLED";  // or ENABLED
  bool defaultRebalancing = false;  // no request has set it: it follows what the other settings allow
  std::string launchType = "EC2";  // shown unless there is a strategy
  std::vector<shapes::ecs::CapacityProviderStrategyItem> capacityProviderStrategy = {};
  std::optional<shapes::ecs::NetworkConfiguration> networkConfiguration = {};
  bool operator==(const ServiceBody&) const = default;
};
BOOST_DESCRIBE_STRUCT(ServiceBody, (),
                      (deploymentConfiguration, placementConstraints, placementStrategy, healthCheckGracePeriodSeconds,
                       deploymentController, tags, createdBy, enableECSManagedTags, propagateTags, enableExecuteCommand,
                       availabilityZoneRebalancing, defaultRebalancing, launchType, capacityProviderStrategy,
                       networkConfiguration))

// state::Deployment::body_json: with the task definition, what makes it a revision of the service.
struct DeploymentBody {
  std::optional<shapes::ecs::NetworkConfiguration> networkConfiguration = {};
  std::vector<shapes::ecs::CapacityProviderStrategyItem> capacityProviderStrategy = {};
  // Digests of image tags, as far as they are resolved: all tasks of the deployment use them.
  std::vector<shapes::ecs::ContainerImage> containerImages = {};
  // Failed tasks before those in a row, which state::Deployment counts.
  std::int32_t earlierFailures = 0;
};
BOOST_DESCRIBE_STRUCT(DeploymentBody, (),
                      (networkConfiguration, capacityProviderStrategy, containerImages, earlierFailures))

// state::ServiceDeployment::body_json.
struct ServiceDeploymentBody {
  std::vector<std::string> sources = {};  // ids of the deployments that it replaces: 19 digits
  std::optional<std::string> statusReason = {};
  std::optional<shapes::ecs::Rollback> rollback = {};
  std::optional<shapes::ecs::ServiceDeploymentCircuitBreaker> deploymentCircuitBreaker = {};
  std::optional<shapes::ecs::ServiceDeploymentAlarms> alarms = {};
  shapes::ecs::DeploymentConfiguration deploymentConfiguration = {};
};
BOOST_DESCRIBE_STRUCT(ServiceDeploymentBody, (),
                      (sources, statusReason, rollback, deploymentCircuitBreaker, alarms, deploymentConfiguration))

}  // namespace services::ecs
