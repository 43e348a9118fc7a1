// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "services/ecs/arn.h"
#include "services/ecs/capacity/strategy.h"
#include "services/ecs/clusters/cluster.h"
#include "services/ecs/operations.h"
#include "services/ecs/reconciliation/service_queue.h"
#include "services/ecs/services/new_deployment.h"
#include "services/ecs/services/service_checks.h"
#include "services/ecs/services/service_operations.h"
#include "services/ecs/services/service_view.h"
#include "services/ecs/tags.h"
#include "services/ecs/tasks/launch.h"

namespace services::ecs {
namespace {

// Amazon's limits.
constexpr std::size_t kMaxServiceToken = 36;
constexpr std::int32_t kMaxClusterServices = 5000;

void check_service_request(const CreateServiceRequest& request) {
  if (!plain_name(request.serviceName)) {
    throw invalid_parameter("Invalid service name. It should have 1 to 255 letters, numbers, hyphens and underscores.");
  }
  check_supported(request);
  is_external(request.launchType);  // or unsupported
  if (request.role && !request.role->empty()) throw unsupported("role", "there is no Elastic Load Balancing");
  const std::string token = request.clientToken.value_or("x");
  const bool visible = std::ranges::all_of(token, [](char c) { return c >= '!' && c <= '~'; });
  if (token.empty() || token.size() > kMaxServiceToken || !visible) {
    throw invalid_parameter("clientToken should have 1 to 36 characters, ASCII 33 to 126.");
  }
}

// Amazon's defaults, except for services with GPUs: they can be updated on a single machine, where the old task
// holds the GPU that the new one needs.
DeploymentConfiguration default_configuration(bool daemon, bool gpus) {
  DeploymentConfiguration configuration;
  configuration.deploymentCircuitBreaker = DeploymentCircuitBreaker{};
  configuration.maximumPercent = daemon ? 100 : 200;
  configuration.minimumHealthyPercent = daemon || gpus ? 0 : 100;
  return configuration;
}

// A daemon runs on all machines, whichever provider they come from.
Strategy service_strategy(Call& call, const state::Cluster& cluster, const CreateServiceRequest& request) {
  const bool daemon = request.schedulingStrategy == "DAEMON";
  if (daemon && has_any(request.capacityProviderStrategy)) {
    throw invalid_parameter("The daemon scheduling strategy does not support capacity provider strategies");
  }
  if (daemon) return {};
  return choose_strategy(call, cluster, request.capacityProviderStrategy, request.launchType);
}

StoredService requested_service(Call& call, const state::Cluster& cluster, const CreateServiceRequest& request,
                                const StoredTaskDefinition& definition) {
  StoredService service;
  service.cluster = cluster.number;
  service.name = request.serviceName;
  service.daemon = request.schedulingStrategy == "DAEMON";
  service.created_at = call.now;
  service.client_token = request.clientToken;
  check_desired_count(service.daemon, request.desiredCount);
  if (!service.daemon && !request.desiredCount) {
    throw invalid_parameter("desiredCount is required for the replica scheduling strategy.");
  }
  service.desired = request.desiredCount.value_or(0);
  ServiceBody& body = service.body;
  body.deploymentConfiguration =
      merge_configuration(default_configuration(service.daemon, needs_gpus(definition)),
                          request.deploymentConfiguration.value_or(DeploymentConfiguration()));
  body.placementConstraints = request.placementConstraints.value_or(std::vector<PlacementConstraint>());
  body.placementStrategy = request.placementStrategy.value_or(std::vector<PlacementStrategy>());
  body.healthCheckGracePeriodSeconds = request.healthCheckGracePeriodSeconds;
  body.deploymentController = request.deploymentController;
  body.tags = add_tags({}, request.tags.value_or(std::vector<Tag>()));
  body.createdBy = call.caller.arn();
  body.enableECSManagedTags = request.enableECSManagedTags.value_or(false);
  body.propagateTags = request.propagateTags.value_or("NONE");
  body.enableExecuteCommand = request.enableExecuteCommand.value_or(false);
  body.networkConfiguration = request.networkConfiguration;
  body.launchType = request.launchType.value_or("EC2");
  body.capacityProviderStrategy = service_strategy(call, cluster, request);
  body.defaultRebalancing = !request.availabilityZoneRebalancing;
  body.availabilityZoneRebalancing =
      request.availabilityZoneRebalancing.value_or(can_rebalance(service) ? "ENABLED" : "DISABLED");
  return service;
}

// Creating a service again is no error, unless the request differs from what the service is.
void check_same_service(Call& call, const StoredService& existing, StoredService requested,
                        const StoredTaskDefinition& definition) {
  if (requested.client_token && requested.client_token == existing.client_token) return;
  requested.body.createdBy = existing.body.createdBy;
  const bool same = existing.daemon == requested.daemon && (existing.daemon || existing.desired == requested.desired) &&
                    existing.body == requested.body &&
                    primary_deployment(call.tx, existing.number).definition == definition.number;
  if (!same) throw invalid_parameter("Creation of service was not idempotent.");
}

void check_room(Call& call, const state::Cluster& cluster) {
  const state::ClusterContents contents = state::count_contents(call.tx, cluster.number);
  if (contents.active_services + contents.draining_services >= kMaxClusterServices) {
    throw invalid_parameter("The maximum number of services per cluster is 5000.");
  }
}

}  // namespace

CreateServiceResponse create_service(Call& call, const CreateServiceRequest& request) {
  const state::Cluster cluster = find_cluster(call, request.cluster);
  check_service_request(request);
  const StoredTaskDefinition definition = launchable(call, request.taskDefinition.value_or(""));
  StoredService service = requested_service(call, cluster, request, definition);
  check_service(call, cluster, service, definition, "created");
  const auto existing = find_requested_service(call.tx, cluster, request.serviceName);
  if (existing && existing->status == state::ServiceStatus::Draining) {
    throw invalid_parameter("Unable to Start a service that is still Draining.");
  }
  if (existing && existing->status == state::ServiceStatus::Active) {
    check_same_service(call, *existing, std::move(service), definition);
    return {.service = show_service(call, cluster, *existing, true)};
  }
  check_room(call, cluster);
  insert_service_row(call.tx, service);
  start_deployment(call, service, definition.number, {.networkConfiguration = service.body.networkConfiguration,
                    .capacityProviderStrategy = service.body.capacityProviderStrategy});
  mark_service(call, service.number);
  return {.service = show_service(call, cluster, service, true)};
}

std::vector<Operation> service_creation_operations() {
  return {operation<&create_service>("CreateService", Access::Write)};
}

}  // namespace services::ecs
