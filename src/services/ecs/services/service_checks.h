// SPDX-License-Identifier: Apache-2.0
// What services may be: checks that CreateService and UpdateService share. All throw ApiError.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "services/ecs/definitions/definition.h"
#include "services/ecs/errors.h"
#include "services/ecs/services/stored_service.h"
#include "shapes/ecs/service.h"

namespace services::ecs {

inline constexpr std::int32_t kMaxServiceTasks = 5000;  // Amazon's

template <class T>
bool has_any(const std::optional<std::vector<T>>& list) {
  return list && !list->empty();
}

void check_controller(const shapes::ecs::DeploymentController& controller);
void check_platform_version(const std::optional<std::string>& version);
void check_desired_count(bool daemon, const std::optional<std::int32_t>& count);

// Features of Amazon that Stoker does not support, by name. Empty lists and disabled features pass.
template <class Request>
void check_supported(const Request& request) {
  if (has_any(request.loadBalancers)) throw unsupported("loadBalancers", "there is no Elastic Load Balancing");
  if (has_any(request.serviceRegistries)) throw unsupported("serviceRegistries", "there is no Cloud Map");
  if (request.serviceConnectConfiguration && request.serviceConnectConfiguration->enabled) {
    throw unsupported("serviceConnectConfiguration", "there is no Cloud Map");
  }
  if (has_any(request.volumeConfigurations)) throw unsupported("volumeConfigurations", "there is no EBS");
  if (has_any(request.vpcLatticeConfigurations))
    throw unsupported("vpcLatticeConfigurations", "there is no VPC Lattice");
  if (request.deploymentController) check_controller(*request.deploymentController);
  check_platform_version(request.platformVersion);
}

// `old` with the members that `given` has. Throws for unsupported ones.
shapes::ecs::DeploymentConfiguration merge_configuration(shapes::ecs::DeploymentConfiguration old,
                                                         const shapes::ecs::DeploymentConfiguration& given);

// Whether tasks could be moved between zones: what a new service does unless it is told otherwise.
bool can_rebalance(const StoredService& service);

// The service as it would be stored, with the task definition of its next tasks. `verb` is "created" or "updated".
void check_service(Call& call, const state::Cluster& cluster, const StoredService& service,
                   const StoredTaskDefinition& definition, const std::string& verb);

bool needs_gpus(const StoredTaskDefinition& definition);

}  // namespace services::ecs
