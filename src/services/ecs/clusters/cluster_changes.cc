// SPDX-License-Identifier: Apache-2.0
// Changing existing clusters.
#include "services/ecs/capacity/association.h"
#include "services/ecs/capacity/strategy.h"
#include "services/ecs/clusters/cluster.h"
#include "services/ecs/clusters/cluster_operations.h"
#include "services/ecs/clusters/cluster_settings.h"
#include "services/ecs/errors.h"
#include "services/ecs/identifiers.h"
#include "services/ecs/operations.h"

namespace services::ecs {
namespace {

constexpr ClusterFields kChanged{.configurations = true, .settings = true};
constexpr ClusterFields kProvided{.attachments = true, .settings = true};

// UpdateCluster and UpdateClusterSettings must name the cluster: there is no default.
WholeCluster named_cluster(Call& call, const std::string& name) {
  if (name.empty()) throw invalid_parameter("Cluster can not be blank.");
  return find_whole_cluster(call, name);
}

}  // namespace

UpdateClusterResponse update_cluster(Call& call, const UpdateClusterRequest& request) {
  WholeCluster cluster = named_cluster(call, request.cluster);
  if (request.settings) check_settings(*request.settings);
  if (request.configuration) check_configuration(*request.configuration);
  // An empty namespace removes the default, and there is none.
  if (request.serviceConnectDefaults && !request.serviceConnectDefaults->namespace_.empty()) {
    throw unsupported("serviceConnectDefaults", "there is no Cloud Map");
  }
  if (request.settings && !request.settings->empty()) cluster.body.settings = request.settings;
  if (request.configuration) cluster.body.configuration = request.configuration;
  update_cluster_row(call.tx, cluster);
  return {.cluster = shown(call.tx, cluster, state::count_contents(call.tx, cluster.number), kChanged)};
}

UpdateClusterSettingsResponse update_cluster_settings(Call& call, const UpdateClusterSettingsRequest& request) {
  WholeCluster cluster = named_cluster(call, request.cluster);
  if (request.settings.empty()) throw invalid_parameter("Settings can not be empty.");
  check_settings(request.settings);
  cluster.body.settings = request.settings;
  update_cluster_row(call.tx, cluster);
  return {.cluster = shown(call.tx, cluster, state::count_contents(call.tx, cluster.number), kChanged)};
}

PutClusterCapacityProvidersResponse put_cluster_capacity_providers(Call& call,
                                                                   const PutClusterCapacityProvidersRequest& request) {
  WholeCluster cluster = find_whole_cluster(call, request.cluster);
  check_at_most(kMaxProviders, request.capacityProviders.size(), "capacityProviders");
  cluster.body.defaultCapacityProviderStrategy =
      check_strategy(request.defaultCapacityProviderStrategy, request.capacityProviders);
  set_providers(call, cluster, request.capacityProviders);
  update_cluster_row(call.tx, cluster);
  return {.cluster = shown(call.tx, cluster, state::count_contents(call.tx, cluster.number), kProvided)};
}

std::vector<Operation> cluster_change_operations() {
  return {
      operation<&put_cluster_capacity_providers>("PutClusterCapacityProviders", Access::Write),
      operation<&update_cluster>("UpdateCluster", Access::Write),
      operation<&update_cluster_settings>("UpdateClusterSettings", Access::Write),
  };
}

}  // namespace services::ecs
