// SPDX-License-Identifier: Apache-2.0
// Services, deployments and service deployments with their JSON parsed.
#pragma once

#include <optional>
#include <string>

#include "services/call.h"
#include "services/ecs/services/service_body.h"
#include "state/cluster.h"
#include "state/service.h"

namespace services::ecs {

struct StoredService : state::Service {
  ServiceBody body;
};
struct StoredDeployment : state::Deployment {
  DeploymentBody body;
};
struct StoredServiceDeployment : state::ServiceDeployment {
  ServiceDeploymentBody body;
};

StoredService parse(state::Service row);
StoredDeployment parse(state::Deployment row);
StoredServiceDeployment parse(state::ServiceDeployment row);

std::optional<StoredService> load_service(store::Tx& tx, state::ServiceNumber number);
// The one that a request names; nullopt where it does not exist. Throws InvalidParameterException.
std::optional<StoredService> find_requested_service(store::Tx& tx, const state::Cluster& cluster,
                                                    const std::string& text);
// Throws ServiceNotFoundException.
StoredService find_service(store::Tx& tx, const state::Cluster& cluster, const std::string& text);

// Sets its number.
void insert_service_row(store::Tx& tx, StoredService& service);
// Increments its version.
void update_service_row(store::Tx& tx, StoredService& service);
void update_deployment_row(store::Tx& tx, StoredDeployment& deployment);
void update_service_deployment_row(store::Tx& tx, StoredServiceDeployment& deployment);

// The deployment that must run now. Every service has one.
StoredDeployment primary_deployment(store::Tx& tx, state::ServiceNumber service);

// "ecs-svc/0327562177077820032": a deployment's id as clients see it, and startedBy of its tasks.
std::string deployment_name(const state::Deployment& deployment);

}  // namespace services::ecs
