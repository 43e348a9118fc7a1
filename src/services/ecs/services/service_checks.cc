// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/services/service_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/placement.h"
#include "services/ecs/identifiers.h"
#include "services/ecs/services/circuit_breaker.h"
#include "services/ecs/tasks/launch.h"

namespace services::ecs {
namespace {

using shapes::ecs::DeploymentConfiguration;
using shapes::ecs::PlacementConstraint;
using shapes::ecs::PlacementStrategy;

constexpr std::size_t kMaxDeploymentAlarms = 10;
constexpr std::int32_t kMaxBakeMinutes = 1440;
constexpr char kZone[] = "ecs.availability-zone";

void check_supported_configuration(const DeploymentConfiguration& configuration) {
  if (configuration.strategy.value_or("ROLLING") != "ROLLING") {
    throw unsupported("deploymentConfiguration.strategy " + *configuration.strategy,
                      "there is no load balancer that could shift traffic; services are updated with ROLLING");
  }
  if (has_any(configuration.lifecycleHooks)) {
    throw unsupported("deploymentConfiguration.lifecycleHooks", "there is no Lambda");
  }
  if (configuration.linearConfiguration) {
    throw unsupported("deploymentConfiguration.linearConfiguration",
                      "there is no load balancer that could shift traffic");
  }
  if (configuration.canaryConfiguration) {
    throw unsupported("deploymentConfiguration.canaryConfiguration",
                      "there is no load balancer that could shift traffic");
  }
}

void check_alarms(const shapes::ecs::DeploymentAlarms& alarms) {
  if (alarms.enable && alarms.alarmNames.empty()) {
    throw invalid_parameter("alarmNames can not be empty when deployment alarms are enabled.");
  }
  check_at_most(kMaxDeploymentAlarms, alarms.alarmNames.size(), "alarmNames");
  if (std::find(alarms.alarmNames.begin(), alarms.alarmNames.end(), "") != alarms.alarmNames.end()) {
    throw invalid_parameter("alarmNames can not be blank.");
  }
}

void check_percentages(const StoredService& service) {
  const DeploymentConfiguration& configuration = service.body.deploymentConfiguration;
  const std::int32_t least = *configuration.minimumHealthyPercent, most = *configuration.maximumPercent;
  // The texts for daemons and for 100 and 100 are ECS's own.
  if (service.daemon && most > 100) {
    throw invalid_parameter(
        "The daemon scheduling strategy does not support values above 100 for maximumPercent on a deployment "
        "configuration. Change the maximumPercent value to 100, and try again");
  }
  if (least < 0) throw invalid_parameter("minimumHealthyPercent can not be less than 0.");
  if (most < 1) throw invalid_parameter("maximumPercent can not be less than 1.");
  if (most < least) throw invalid_parameter("maximumPercent can not be less than minimumHealthyPercent.");
  if (!service.daemon && least == 100 && most == 100) {
    throw invalid_parameter(
        "Both maximumPercent and minimumHealthyPercent cannot be 100 as this will block deployments.");
  }
}

void check_deployment_configuration(const StoredService& service) {
  const DeploymentConfiguration& configuration = service.body.deploymentConfiguration;
  check_percentages(service);
  check_circuit_breaker(configuration);
  if (configuration.alarms) check_alarms(*configuration.alarms);
  const std::int32_t bake = configuration.bakeTimeInMinutes.value_or(0);
  if (bake < 0 || bake > kMaxBakeMinutes) throw invalid_parameter("bakeTimeInMinutes should be between 0 and 1440.");
}

void check_strategies(const StoredService& service) {
  const auto& strategies = service.body.placementStrategy;
  if (service.daemon && !strategies.empty()) {
    throw invalid_parameter("The daemon scheduling strategy does not support placement strategies");
  }
  if (strategies.size() > model::kMaxPlacementStrategies) throw invalid_parameter("Maximum number of strategies is 5");
}

// The text is ECS's own.
void check_task_role(const StoredService& service, const StoredTaskDefinition& definition, const std::string& verb) {
  if (!service.body.enableExecuteCommand || definition.body.taskRoleArn) return;
  throw invalid_parameter(
      fmt::format("The service couldn't be {} because a valid taskRoleArn is not being used. Specify a valid task role "
                  "in your task definition and try again.",
                  verb));
}

void check_rebalancing(const StoredService& service) {
  if (service.body.availabilityZoneRebalancing != "ENABLED" || can_rebalance(service)) return;
  throw invalid_parameter(
      "availabilityZoneRebalancing ENABLED is not valid for the daemon scheduling strategy, for the launch type "
      "EXTERNAL, with a maximumPercent of 100 or less, with a placement constraint on ecs.availability-zone, or with a "
      "placement strategy that does not begin with a spread over ecs.availability-zone. Set it to DISABLED, or change "
      "the other setting, and try again.");
}

bool is_about_zones(const PlacementConstraint& constraint) {
  return constraint.expression.value_or("").find(kZone) != std::string::npos;
}

bool spreads_over_zones(const PlacementStrategy& strategy) {
  const std::string field = strategy.field.value_or("");
  return strategy.type == "spread" && (field == kZone || field == std::string("attribute:") + kZone);
}

}  // namespace

void check_controller(const shapes::ecs::DeploymentController& controller) {
  if (controller.type == "CODE_DEPLOY") throw unsupported("deploymentController CODE_DEPLOY", "there is no CodeDeploy");
  if (controller.type == "EXTERNAL") throw unsupported("deploymentController EXTERNAL", "there are no task sets");
}

void check_platform_version(const std::optional<std::string>& version) {
  if (!version || version->empty()) return;
  throw invalid_parameter("The platform version must be null when specifying an EC2 launch type.");
}

void check_desired_count(bool daemon, const std::optional<std::int32_t>& count) {
  if (!count) return;
  if (daemon) {
    throw invalid_parameter(
        "The daemon scheduling strategy does not support a desired count for services. Remove the desired count value "
        "and try again");
  }
  if (*count < 0) throw invalid_parameter("desiredCount can not be less than 0.");
  if (*count > kMaxServiceTasks) {
    throw invalid_parameter(fmt::format("desiredCount can not be more than {}.", kMaxServiceTasks));
  }
}

DeploymentConfiguration merge_configuration(DeploymentConfiguration old, const DeploymentConfiguration& given) {
  check_supported_configuration(given);
  if (given.deploymentCircuitBreaker) old.deploymentCircuitBreaker = given.deploymentCircuitBreaker;
  if (given.maximumPercent) old.maximumPercent = given.maximumPercent;
  if (given.minimumHealthyPercent) old.minimumHealthyPercent = given.minimumHealthyPercent;
  if (given.alarms) old.alarms = given.alarms;
  if (given.strategy) old.strategy = given.strategy;
  if (given.bakeTimeInMinutes) old.bakeTimeInMinutes = given.bakeTimeInMinutes;
  return old;
}

bool can_rebalance(const StoredService& service) {
  const ServiceBody& body = service.body;
  if (service.daemon || body.launchType == "EXTERNAL") return false;
  if (*body.deploymentConfiguration.maximumPercent <= 100) return false;
  if (std::ranges::any_of(body.placementConstraints, is_about_zones)) return false;
  return body.placementStrategy.empty() || spreads_over_zones(body.placementStrategy[0]);
}

void check_service(Call& call, const state::Cluster& cluster, const StoredService& service,
                   const StoredTaskDefinition& definition, const std::string& verb) {
  check_deployment_configuration(service);
  check_strategies(service);
  check_rebalancing(service);
  check_task_role(service, definition, verb);
  if (service.body.healthCheckGracePeriodSeconds.value_or(0) < 0) {
    throw invalid_parameter("healthCheckGracePeriodSeconds can not be less than 0.");
  }
  // The rules of RunTask hold for what a service starts.
  LaunchRequest request;
  request.networkConfiguration = service.body.networkConfiguration;
  request.external = is_external(service.body.launchType);
  const StoredLaunch launch = make_launch(call, cluster, definition, request);
  scheduler::Request wanted = scheduler_request(definition, launch);
  add_constraints(wanted, service.body.placementConstraints);
  add_strategies(wanted, service.body.placementStrategy);
}

bool needs_gpus(const StoredTaskDefinition& definition) {
  const auto needs = [](const shapes::ecs::ContainerDefinition& container) {
    return container.resourceRequirements &&
           std::ranges::any_of(
               *container.resourceRequirements,
               [](const shapes::ecs::ResourceRequirement& requirement) { return requirement.type == "GPU"; });
  };
  return std::ranges::any_of(*definition.body.containerDefinitions, needs);
}

}  // namespace services::ecs
