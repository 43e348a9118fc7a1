// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/services/service_view.h"

#include "base/check.h"
#include "services/ecs/arn.h"
#include "state/definition.h"

namespace services::ecs {
namespace {

using Counts = std::map<state::DeploymentNumber, state::TaskCounts>;

shapes::ecs::Deployment show_deployment(store::Tx& tx, const state::Cluster& cluster, const StoredService& service,
                                        const StoredDeployment& deployment, const Counts& tasks) {
  const RevisionCounts counts = count_revision(service, deployment, tasks);
  shapes::ecs::Deployment out;
  out.id = deployment_name(deployment);
  out.status = text(deployment.role);
  out.taskDefinition = definition_arn(tx, cluster, deployment.definition);
  out.desiredCount = counts.requested;
  out.runningCount = counts.running;
  out.pendingCount = counts.pending;
  out.failedTasks = deployment.failed_tasks;
  out.createdAt = deployment.created_at;
  out.updatedAt = deployment.updated_at;
  if (deployment.body.capacityProviderStrategy.empty()) {
    out.launchType = service.body.launchType;
  } else {
    out.capacityProviderStrategy = deployment.body.capacityProviderStrategy;
  }
  out.networkConfiguration = deployment.body.networkConfiguration;
  out.rolloutState = text(deployment.rollout);
  out.rolloutStateReason = deployment.rollout_reason;
  return out;
}

// PRIMARY and ACTIVE deployments, with the sums of their tasks.
void show_deployments(shapes::ecs::Service& out, Call& call, const state::Cluster& cluster,
                      const StoredService& service) {
  const Counts tasks = state::count_service_tasks(call.tx, service.number);
  out.deployments.emplace();
  out.currentServiceRevisions.emplace();
  for (state::Deployment& row : state::list_deployments(call.tx, service.number)) {
    const StoredDeployment deployment = parse(std::move(row));
    auto shown = show_deployment(call.tx, cluster, service, deployment, tasks);
    if (deployment.role == state::DeploymentRole::Primary) out.taskDefinition = shown.taskDefinition;
    if (service.status == state::ServiceStatus::Inactive) continue;
    out.currentServiceRevisions->push_back({.arn = service_revision_arn(cluster, service.name, deployment.id),
                                            .requestedTaskCount = shown.desiredCount,
                                            .runningTaskCount = shown.runningCount,
                                            .pendingTaskCount = shown.pendingCount});
    out.deployments->push_back(std::move(shown));
  }
  out.runningCount = out.pendingCount = 0;
  for (const auto& [deployment, count] : tasks) {
    *out.runningCount += count.running;
    *out.pendingCount += count.pending;
  }
  const auto changes = state::list_service_deployments(call.tx, service.number, 0, 1);
  if (!changes.empty()) {
    out.currentServiceDeployment = service_deployment_arn(cluster, service.name, changes[0].id);
  }
}

}  // namespace

RevisionCounts count_revision(const state::Service& service, const state::Deployment& deployment,
                              const std::map<state::DeploymentNumber, state::TaskCounts>& tasks) {
  RevisionCounts counts;
  if (deployment.role == state::DeploymentRole::Primary) counts.requested = service.desired;
  const auto found = tasks.find(deployment.number);
  if (found == tasks.end()) return counts;
  counts.running = found->second.running;
  counts.pending = found->second.pending;
  return counts;
}

std::string definition_arn(store::Tx& tx, const state::Cluster& cluster, state::DefinitionNumber number) {
  const auto definition = state::find_definition(tx, number);
  CHECK(definition) << "a deployment without its definition";
  const std::string name = definition->family + ":" + std::to_string(definition->revision);
  return arn_text({cluster.region, cluster.account, "task-definition", name});
}

shapes::ecs::Service show_service(Call& call, const state::Cluster& cluster, const StoredService& service, bool tags) {
  const ServiceBody& body = service.body;
  shapes::ecs::Service out;
  out.serviceArn = service_arn(cluster, service.name);
  out.serviceName = service.name;
  out.clusterArn = cluster_arn(cluster);
  out.loadBalancers.emplace();
  out.serviceRegistries.emplace();
  out.status = text(service.status);
  out.desiredCount = service.desired;
  if (body.capacityProviderStrategy.empty()) {
    out.launchType = body.launchType;
  } else {
    out.capacityProviderStrategy = body.capacityProviderStrategy;
  }
  out.deploymentConfiguration = body.deploymentConfiguration;
  show_deployments(out, call, cluster, service);
  out.events.emplace();
  for (const state::ServiceEvent& event : state::list_service_events(call.tx, service.number)) {
    out.events->push_back({.id = event.id, .createdAt = event.created_at, .message = event.message});
  }
  out.createdAt = service.created_at;
  out.placementConstraints = body.placementConstraints;
  out.placementStrategy = body.placementStrategy;
  out.networkConfiguration = body.networkConfiguration;
  out.healthCheckGracePeriodSeconds = body.healthCheckGracePeriodSeconds;
  // Amazon shows it with a network configuration even where it was not set.
  if (body.networkConfiguration && !out.healthCheckGracePeriodSeconds) out.healthCheckGracePeriodSeconds = 0;
  out.schedulingStrategy = service.daemon ? "DAEMON" : "REPLICA";
  out.deploymentController = body.deploymentController;
  if (tags) out.tags = body.tags;
  out.createdBy = body.createdBy;
  out.enableECSManagedTags = body.enableECSManagedTags;
  out.propagateTags = body.propagateTags;
  out.enableExecuteCommand = body.enableExecuteCommand;
  out.availabilityZoneRebalancing = body.availabilityZoneRebalancing;
  out.resourceManagementType = "CUSTOMER";
  return out;
}

}  // namespace services::ecs
