// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/services/stored_service.h"

#include "services/ecs/identifiers.h"
#include "services/shape_json.h"
#include "wire/error.h"

namespace services::ecs {
namespace {

template <class Stored, class RowType>
Stored parsed_row(RowType row) {
  Stored stored;
  stored.body = from_json<decltype(stored.body)>(row.body_json);
  static_cast<RowType&>(stored) = std::move(row);
  return stored;
}

}  // namespace

StoredService parse(state::Service row) { return parsed_row<StoredService>(std::move(row)); }
StoredDeployment parse(state::Deployment row) { return parsed_row<StoredDeployment>(std::move(row)); }
StoredServiceDeployment parse(state::ServiceDeployment row) {
  return parsed_row<StoredServiceDeployment>(std::move(row));
}

std::optional<StoredService> load_service(store::Tx& tx, state::ServiceNumber number) {
  auto row = state::find_service(tx, number);
  if (!row) return std::nullopt;
  return parse(std::move(*row));
}

std::optional<StoredService> find_requested_service(store::Tx& tx, const state::Cluster& cluster,
                                                    const std::string& text) {
  const auto name = requested_service_name(cluster, text);
  auto row = name ? state::find_service(tx, cluster.number, *name) : std::nullopt;
  if (!row) return std::nullopt;
  return parse(std::move(*row));
}

StoredService find_service(store::Tx& tx, const state::Cluster& cluster, const std::string& text) {
  auto service = find_requested_service(tx, cluster, text);
  if (!service) throw wire::ApiError("ServiceNotFoundException", "Service not found.");
  return std::move(*service);
}

void insert_service_row(store::Tx& tx, StoredService& service) {
  service.body_json = to_json(service.body);
  service.number = state::insert_service(tx, service);
}

void update_service_row(store::Tx& tx, StoredService& service) {
  service.body_json = to_json(service.body);
  state::update_service(tx, service);
}

void update_deployment_row(store::Tx& tx, StoredDeployment& deployment) {
  deployment.body_json = to_json(deployment.body);
  state::update_deployment(tx, deployment);
}

void update_service_deployment_row(store::Tx& tx, StoredServiceDeployment& deployment) {
  deployment.body_json = to_json(deployment.body);
  state::update_service_deployment(tx, deployment);
}

StoredDeployment primary_deployment(store::Tx& tx, state::ServiceNumber service) {
  auto deployments = state::list_deployments(tx, service);
  CHECK(!deployments.empty() && deployments[0].role == state::DeploymentRole::Primary)
      << "a service without a PRIMARY deployment";
  return parse(std::move(deployments[0]));
}

std::string deployment_name(const state::Deployment& deployment) { return "ecs-svc/" + deployment.id; }

}  // namespace services::ecs
