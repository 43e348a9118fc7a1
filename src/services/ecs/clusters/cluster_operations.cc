// SPDX-License-Identifier: Apache-2.0
// Creating, describing and deleting clusters.
#include "services/ecs/clusters/cluster_operations.h"

#include "services/ecs/account_settings.h"
#include "services/ecs/arn.h"
#include "services/ecs/capacity/association.h"
#include "services/ecs/capacity/strategy.h"
#include "services/ecs/clusters/cluster.h"
#include "services/ecs/clusters/cluster_settings.h"
#include "services/ecs/clusters/deletion.h"
#include "services/ecs/errors.h"
#include "services/ecs/machines/machine_access.h"
#include "services/ecs/operations.h"
#include "services/ecs/page.h"
#include "services/ecs/tags.h"

namespace services::ecs {
namespace {

constexpr std::size_t kMaxDescribed = 100;
constexpr ClusterFields kCreated{.configurations = true, .settings = true, .tags = true};
constexpr ClusterFields kDeleted{.settings = true};

template <class T>
std::vector<T> list_of(const std::optional<std::vector<T>>& list) {
  return list.value_or(std::vector<T>());
}

// The requested cluster; throws where it is invalid or unsupported.
Cluster body_of(Call& call, const CreateClusterRequest& request) {
  check_settings(list_of(request.settings));
  if (request.configuration) check_configuration(*request.configuration);
  if (request.serviceConnectDefaults) throw unsupported("serviceConnectDefaults", "there is no Cloud Map");
  Cluster body;
  body.configuration = request.configuration;
  body.defaultCapacityProviderStrategy =
      check_strategy(list_of(request.defaultCapacityProviderStrategy), list_of(request.capacityProviders));
  body.tags = add_tags({}, list_of(request.tags));
  body.settings = list_of(request.settings);
  // The account's setting applies to clusters that are created without their own.
  if (body.settings->empty()) {
    body.settings = {ClusterSetting{"containerInsights", account_setting(call, "containerInsights")}};
  }
  return body;
}

wire::ApiError inconsistent() {
  return invalid_parameter(
      "Arguments on this idempotent request are inconsistent with arguments used in previous request(s).");
}

// Creating an existing cluster is no error, unless the request differs from it.
void check_same(const Cluster& existing, const Cluster& requested, const CreateClusterRequest& request) {
  if ((request.settings && existing.settings != requested.settings) ||
      (request.configuration && existing.configuration != requested.configuration) ||
      (request.defaultCapacityProviderStrategy &&
       existing.defaultCapacityProviderStrategy != requested.defaultCapacityProviderStrategy) ||
      (request.tags && existing.tags != requested.tags)) {
    throw inconsistent();
  }
}

ClusterFields fields_of(const DescribeClustersRequest& request) {
  ClusterFields fields;
  for (const std::string& field : list_of(request.include)) {
    if (field == "ATTACHMENTS") fields.attachments = true;
    if (field == "CONFIGURATIONS") fields.configurations = true;
    if (field == "SETTINGS") fields.settings = true;
    if (field == "STATISTICS") fields.statistics = true;
    if (field == "TAGS") fields.tags = true;
  }
  return fields;
}

}  // namespace

CreateClusterResponse create_cluster(Call& call, const CreateClusterRequest& request) {
  std::string name = request.clusterName.value_or("");
  if (name.empty()) name = kDefaultCluster;
  if (!plain_name(name)) {
    throw invalid_parameter("Invalid cluster name. It should have 1 to 255 letters, numbers, hyphens and underscores.");
  }
  check_machine_cluster(call, request, name);
  WholeCluster cluster({{}, call.caller.account, call.caller.region, name, true}, body_of(call, request));
  if (auto existing = load_cluster(call, name)) {
    if (existing->active) {
      check_same(existing->body, cluster.body, request);
      Cluster same = shown(call.tx, *existing, state::count_contents(call.tx, existing->number), kCreated);
      if (request.capacityProviders && request.capacityProviders != same.capacityProviders) throw inconsistent();
      return {.cluster = std::move(same)};
    }
    cluster.number = existing->number;
    update_cluster_row(call.tx, cluster);
  } else {
    cluster.number = insert_cluster(call, cluster);
  }
  bind_to_cluster(call, name);
  set_providers(call, cluster, list_of(request.capacityProviders));
  return {.cluster = shown(call.tx, cluster, state::count_contents(call.tx, cluster.number), kCreated)};
}

DescribeClustersResponse describe_clusters(Call& call, const DescribeClustersRequest& request) {
  std::vector<std::string> names = list_of(request.clusters);
  if (names.empty()) names.emplace_back(kDefaultCluster);
  if (names.size() > kMaxDescribed) throw invalid_parameter("Clusters cannot be more than 100.");
  const ClusterFields fields = fields_of(request);
  DescribeClustersResponse response;
  response.clusters.emplace();
  response.failures.emplace();
  for (const std::string& text : names) {
    const auto name = cluster_name(call.caller, text);
    if (auto cluster = name ? load_cluster(call, *name) : std::nullopt) {
      response.clusters->push_back(shown(call.tx, *cluster, state::count_contents(call.tx, cluster->number), fields));
    } else {
      const std::string arn = name ? own_arn(call.caller, "cluster", *name).str() : text;
      response.failures->push_back({.arn = arn, .reason = "MISSING"});
    }
  }
  return response;
}

ListClustersResponse list_clusters(Call& call, const ListClustersRequest& request) {
  const Page page = page_of(request.maxResults, request.nextToken);
  auto names = state::list_clusters(call.tx, {call.caller.account, call.caller.region, page.after}, page.size + 1);
  ListClustersResponse response;
  response.nextToken = cut_page(names, page);
  response.clusterArns.emplace();
  for (const std::string& name : names) {
    response.clusterArns->push_back(own_arn(call.caller, "cluster", name).str());
  }
  return response;
}

DeleteClusterResponse delete_cluster(Call& call, const DeleteClusterRequest& request) {
  if (request.cluster.empty()) throw invalid_parameter("Cluster can not be blank.");
  const auto name = requested_cluster_name(call.caller, request.cluster);
  auto cluster = name ? load_cluster(call, *name) : std::nullopt;
  if (!cluster) throw cluster_not_found();
  const state::ClusterContents contents = state::count_contents(call.tx, cluster->number);
  check_deletable(contents);
  // Deleting a deleted cluster is no error.
  cluster->active = false;
  cluster->body.defaultCapacityProviderStrategy.reset();
  set_providers(call, *cluster, {});
  // "When a resource is deleted, the tags that are associated with that resource are deleted as well."
  cluster->body.tags.emplace();
  update_cluster_row(call.tx, *cluster);
  return {.cluster = shown(call.tx, *cluster, contents, kDeleted)};
}

std::vector<Operation> cluster_operations() {
  return {
      operation<&create_cluster>("CreateCluster", Access::Write),
      operation<&delete_cluster>("DeleteCluster", Access::Write),
      operation<&describe_clusters>("DescribeClusters", Access::Read),
      operation<&list_clusters>("ListClusters", Access::Read),
  };
}

}  // namespace services::ecs
