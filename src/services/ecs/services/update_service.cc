// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/capacity/strategy.h"
#include "services/ecs/clusters/cluster.h"
#include "services/ecs/operations.h"
#include "services/ecs/reconciliation/service_queue.h"
#include "services/ecs/services/new_deployment.h"
#include "services/ecs/services/service_checks.h"
#include "services/ecs/services/service_operations.h"
#include "services/ecs/services/service_view.h"
#include "services/ecs/tasks/launch.h"

namespace services::ecs {
namespace {

// A member that is absent stays as it is; an empty list clears.
void change_service(StoredService& service, const UpdateServiceRequest& request) {
  ServiceBody& body = service.body;
  check_desired_count(service.daemon, request.desiredCount);
  if (request.desiredCount) service.desired = *request.desiredCount;
  if (request.deploymentConfiguration) {
    body.deploymentConfiguration = merge_configuration(body.deploymentConfiguration, *request.deploymentConfiguration);
  }
  if (request.networkConfiguration) body.networkConfiguration = request.networkConfiguration;
  if (request.placementConstraints) body.placementConstraints = *request.placementConstraints;
  if (request.placementStrategy) body.placementStrategy = *request.placementStrategy;
  if (request.healthCheckGracePeriodSeconds) {
    body.healthCheckGracePeriodSeconds = request.healthCheckGracePeriodSeconds;
  }
  if (request.deploymentController) body.deploymentController = request.deploymentController;
  if (request.enableExecuteCommand) body.enableExecuteCommand = *request.enableExecuteCommand;
  if (request.enableECSManagedTags) body.enableECSManagedTags = *request.enableECSManagedTags;
  if (request.propagateTags) body.propagateTags = *request.propagateTags;
  // A default must not be in the way of maximumPercent 100: older clients can't even set it.
  if (request.availabilityZoneRebalancing) {
    body.availabilityZoneRebalancing = *request.availabilityZoneRebalancing;
    body.defaultRebalancing = false;
  } else if (body.defaultRebalancing) {
    body.availabilityZoneRebalancing = can_rebalance(service) ? "ENABLED" : "DISABLED";
  }
}

void change_strategy(Call& call, const state::Cluster& cluster, StoredService& service,
                     const UpdateServiceRequest& request) {
  if (!request.capacityProviderStrategy) return;
  Strategy strategy;
  if (!request.capacityProviderStrategy->empty()) {
    if (service.daemon) {
      throw invalid_parameter("The daemon scheduling strategy does not support capacity provider strategies");
    }
    strategy = choose_strategy(call, cluster, request.capacityProviderStrategy, std::nullopt);
  }
  if (strategy == service.body.capacityProviderStrategy) return;
  if (!request.forceNewDeployment.value_or(false)) {
    throw invalid_parameter(
        "When switching from launch type to capacity provider strategy on an existing service, or making a change to a "
        "capacity provider strategy on a service that is already using one, you must force a new deployment.");
  }
  service.body.capacityProviderStrategy = std::move(strategy);
}

// The task definition of the next tasks: the requested one, or the current one, which may be INACTIVE by now.
StoredTaskDefinition next_definition(Call& call, const UpdateServiceRequest& request, const StoredDeployment& primary) {
  if (request.taskDefinition && !request.taskDefinition->empty()) return launchable(call, *request.taskDefinition);
  auto current = load_task_definition(call.tx, primary.definition);
  CHECK(current) << "a deployment without its definition";
  return std::move(*current);
}

// "Any service update resumes normal behaviour": the next start is not delayed by earlier failures.
void end_back_off(Call& call, StoredDeployment& primary) {
  if (!primary.last_failure) return;
  primary.last_failure.reset();
  primary.updated_at = call.now;
  update_deployment_row(call.tx, primary);
}

}  // namespace

UpdateServiceResponse update_service(Call& call, const UpdateServiceRequest& request) {
  const state::Cluster cluster = find_cluster(call, request.cluster);
  StoredService service = find_service(call.tx, cluster, request.service);
  if (service.status != state::ServiceStatus::Active) {
    throw wire::ApiError("ServiceNotActiveException", "Service was not ACTIVE.");
  }
  check_supported(request);
  StoredDeployment primary = primary_deployment(call.tx, service.number);
  const StoredTaskDefinition definition = next_definition(call, request, primary);
  change_service(service, request);
  change_strategy(call, cluster, service, request);
  check_service(call, cluster, service, definition, "updated");

  const bool forced = request.forceNewDeployment.value_or(false);
  const bool same_definition = definition.number == primary.definition;
  const bool same_network = service.body.networkConfiguration == primary.body.networkConfiguration;
  if (forced || !same_definition || !same_network) {
    DeploymentBody body{.networkConfiguration = service.body.networkConfiguration,
                        .capacityProviderStrategy = service.body.capacityProviderStrategy};
    // Image tags are resolved again only for another task definition, or where that is what the client wants.
    if (!forced && same_definition) body.containerImages = primary.body.containerImages;
    start_deployment(call, service, definition.number, body);
  } else {
    end_back_off(call, primary);
  }
  update_service_row(call.tx, service);
  mark_service(call, service.number);
  return {.service = show_service(call, cluster, service, true)};
}

std::vector<Operation> service_update_operations() {
  return {operation<&update_service>("UpdateService", Access::Write)};
}

}  // namespace services::ecs
