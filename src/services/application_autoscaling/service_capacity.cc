// SPDX-License-Identifier: Apache-2.0
#include "services/application_autoscaling/service_capacity.h"

#include "base/check.h"
#include "services/invoke.h"
#include "shapes/ecs/service.h"
#include "state/cluster.h"
#include "state/service.h"

namespace services::application_autoscaling {

std::optional<ServiceCapacity> read_capacity(store::Tx& tx, const std::string& account, const std::string& region,
                                             const std::string& resource) {
  const auto name = parse_resource(resource);
  if (!name) return std::nullopt;
  const auto cluster = state::find_cluster(tx, {account, region, name->cluster});
  if (!cluster || !cluster->active) return std::nullopt;
  const auto service = state::find_service(tx, cluster->number, name->service);
  if (!service || service->status != state::ServiceStatus::Active) return std::nullopt;
  ServiceCapacity capacity{.desired = service->desired, .daemon = service->daemon};
  for (const auto& [deployment, counts] : state::count_service_tasks(tx, service->number)) {
    capacity.running += counts.running;
  }
  for (const state::Deployment& deployment : state::list_deployments(tx, service->number)) {
    const bool replaced = deployment.role == state::DeploymentRole::Active;
    if (replaced || deployment.rollout == state::Rollout::InProgress) capacity.deploying = true;
  }
  return capacity;
}

void set_desired_count(Call& call, const StoredTarget& target, int desired) {
  const auto name = parse_resource(target.resource);
  CHECK(name) << "a stored target without a resource";
  shapes::ecs::UpdateServiceRequest request;
  request.cluster = name->cluster;
  request.service = name->service;
  request.desiredCount = desired;
  invoke<shapes::ecs::UpdateServiceResponse>(call, principal_for(call, target), "ecs", "UpdateService", request);
}

}  // namespace services::application_autoscaling
