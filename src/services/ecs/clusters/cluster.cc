// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/clusters/cluster.h"

#include "services/ecs/arn.h"
#include "services/ecs/capacity/association.h"
#include "services/ecs/errors.h"
#include "services/ecs/services/service_body.h"
#include "services/shape_json.h"
#include "state/external_contents.h"

namespace services::ecs {
namespace {

using shapes::ecs::Cluster;
using shapes::ecs::KeyValuePair;

std::int32_t count_external_services(store::Tx& tx, state::ClusterNumber cluster, state::ServiceStatus status) {
  std::int32_t count = 0;
  for (const std::string& body : state::list_service_bodies(tx, cluster, status)) {
    count += from_json<ServiceBody>(body).launchType == "EXTERNAL" ? 1 : 0;
  }
  return count;
}

// The names and their order are Amazon's. What is not EXTERNAL runs on EC2 instances, as far as a client can see.
std::vector<KeyValuePair> statistics_of(store::Tx& tx, state::ClusterNumber cluster,
                                        const state::ClusterContents& contents) {
  const state::ExternalTasks external = state::count_external_tasks(tx, cluster);
  const std::int32_t active = count_external_services(tx, cluster, state::ServiceStatus::Active);
  const std::int32_t draining = count_external_services(tx, cluster, state::ServiceStatus::Draining);
  const std::pair<const char*, std::int32_t> counts[] = {
      {"runningEC2TasksCount", contents.running_tasks - external.running},
      {"runningFargateTasksCount", 0},
      {"pendingEC2TasksCount", contents.pending_tasks - external.pending},
      {"pendingFargateTasksCount", 0},
      {"runningExternalTasksCount", external.running},
      {"pendingExternalTasksCount", external.pending},
      {"runningManagedInstancesTasksCount", 0},
      {"pendingManagedInstancesTasksCount", 0},
      {"activeEC2ServiceCount", contents.active_services - active},
      {"activeFargateServiceCount", 0},
      {"drainingEC2ServiceCount", contents.draining_services - draining},
      {"drainingFargateServiceCount", 0},
      {"activeExternalServiceCount", active},
      {"drainingExternalServiceCount", draining},
      {"activeManagedInstancesServiceCount", 0},
      {"drainingManagedInstancesServiceCount", 0},
  };
  std::vector<KeyValuePair> statistics;
  for (const auto& [name, count] : counts) statistics.push_back({name, std::to_string(count)});
  return statistics;
}

template <class Found>
void check_found(const std::optional<Found>& cluster) {
  if (!cluster) throw cluster_not_found();
  if (!cluster->active) throw wire::ApiError("ClusterNotFoundException", "The referenced cluster was inactive.");
}

}  // namespace

std::optional<std::string> cluster_name(const Caller& caller, const std::optional<std::string>& text) {
  if (!text || text->empty()) return std::string(kDefaultCluster);
  if (!text->starts_with("arn:")) return *text;
  auto arn = parse_arn(*text);
  if (!arn || !arn->belongs_to(caller) || arn->type != "cluster") return std::nullopt;
  return arn->name;
}

std::optional<std::string> requested_cluster_name(const Caller& caller, const std::optional<std::string>& text) {
  if (text && !text->empty() && !text->starts_with("arn:") && !plain_name(*text)) {
    // ECS's own words.
    throw invalid_parameter("Cluster must match ^[a-zA-Z0-9\\-_]{1,255}$, but was " + *text);
  }
  return cluster_name(caller, text);
}

std::optional<WholeCluster> load_cluster(Call& call, const std::string& name) {
  auto cluster = state::find_cluster(call.tx, {call.caller.account, call.caller.region, name});
  if (!cluster) return std::nullopt;
  auto body = from_json<Cluster>(state::cluster_body(call.tx, cluster->number));
  return WholeCluster(std::move(*cluster), std::move(body));
}

state::Cluster find_cluster(Call& call, const std::optional<std::string>& text) {
  const auto name = requested_cluster_name(call.caller, text);
  auto cluster =
      name ? state::find_cluster(call.tx, {call.caller.account, call.caller.region, *name}) : std::nullopt;
  check_found(cluster);
  return std::move(*cluster);
}

WholeCluster find_whole_cluster(Call& call, const std::optional<std::string>& text) {
  const auto name = requested_cluster_name(call.caller, text);
  auto cluster = name ? load_cluster(call, *name) : std::nullopt;
  check_found(cluster);
  return std::move(*cluster);
}

state::ClusterNumber insert_cluster(Call& call, const WholeCluster& cluster) {
  return state::insert_cluster(call.tx, cluster, to_json(cluster.body), call.now);
}

void update_cluster_row(store::Tx& tx, const WholeCluster& cluster) {
  state::update_cluster(tx, cluster, to_json(cluster.body));
}

Cluster shown(store::Tx& tx, const WholeCluster& cluster, const state::ClusterContents& contents,
              const ClusterFields& fields) {
  Cluster out;
  out.clusterArn = cluster_arn(cluster);
  out.clusterName = cluster.name;
  out.status = cluster.active ? "ACTIVE" : "INACTIVE";
  out.registeredContainerInstancesCount = contents.instances;
  out.runningTasksCount = contents.running_tasks;
  out.pendingTasksCount = contents.pending_tasks;
  out.activeServicesCount = contents.active_services;
  // Lists are present even where their contents were not requested.
  out.statistics = fields.statistics ? statistics_of(tx, cluster.number, contents) : std::vector<KeyValuePair>();
  out.tags.emplace();
  out.settings.emplace();
  if (fields.tags) out.tags = cluster.body.tags;
  if (fields.settings) out.settings = cluster.body.settings;
  if (fields.configurations) out.configuration = cluster.body.configuration;
  out.defaultCapacityProviderStrategy =
      cluster.body.defaultCapacityProviderStrategy.value_or(std::vector<shapes::ecs::CapacityProviderStrategyItem>());
  show_providers(tx, cluster, fields.attachments, out);
  return out;
}

}  // namespace services::ecs
