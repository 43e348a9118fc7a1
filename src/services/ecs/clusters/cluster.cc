// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/clusters/cluster.h"

#include "services/ecs/arn.h"
#include "services/ecs/errors.h"
#include "services/ecs/tasks/task_row.h"
#include "services/shape_json.h"

namespace services::ecs {
namespace {

using shapes::ecs::Cluster;
using shapes::ecs::KeyValuePair;

const char* status_of(const StoredCluster& cluster) { return cluster.active ? "ACTIVE" : "INACTIVE"; }

// The names and their order are Amazon's. Our machines are EC2 instances to a client.
std::vector<KeyValuePair> statistics_of(const ClusterContents& contents) {
  const std::pair<const char*, std::int32_t> counts[] = {
      {"runningEC2TasksCount", contents.running_tasks},
      {"runningFargateTasksCount", 0},
      {"pendingEC2TasksCount", contents.pending_tasks},
      {"pendingFargateTasksCount", 0},
      {"runningExternalTasksCount", 0},
      {"pendingExternalTasksCount", 0},
      {"runningManagedInstancesTasksCount", 0},
      {"pendingManagedInstancesTasksCount", 0},
      {"activeEC2ServiceCount", contents.active_services},
      {"activeFargateServiceCount", 0},
      {"drainingEC2ServiceCount", contents.draining_services},
      {"drainingFargateServiceCount", 0},
      {"activeExternalServiceCount", 0},
      {"drainingExternalServiceCount", 0},
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

std::string StoredCluster::arn() const { return arn_text({region, account, "cluster", name}); }

ClusterContents contents_of(store::Tx& tx, const StoredCluster& cluster) {
  ClusterContents contents;
  contents.instances = static_cast<std::int32_t>(
      tx.query("SELECT count(*) FROM ecs_instances WHERE cluster = $1 AND status <> 'INACTIVE'", cluster.id).integer());
  tx.query("SELECT known, count(*) FROM ecs_tasks WHERE cluster = $1 GROUP BY known", cluster.id)
      .each([&](const store::Row& row) {
        const auto count = static_cast<std::int32_t>(row.integer(1));
        contents.tasks += count;
        if (row.integer(0) == to_code(model::TaskStatus::Running)) contents.running_tasks = count;
        if (row.integer(0) == to_code(model::TaskStatus::Pending)) contents.pending_tasks = count;
      });
  return contents;
}

std::optional<std::string> cluster_name(const Caller& caller, const std::optional<std::string>& text) {
  if (!text || text->empty()) return std::string(kDefaultCluster);
  if (!text->starts_with("arn:")) return *text;
  auto arn = parse_arn(*text);
  if (!arn || !arn->belongs_to(caller) || arn->type != "cluster") return std::nullopt;
  return arn->name;
}

std::optional<std::string> asked_cluster_name(const Caller& caller, const std::optional<std::string>& text) {
  if (text && !text->empty() && !text->starts_with("arn:") && !plain_name(*text)) {
    // As ECS was seen to answer.
    throw invalid_parameter("Cluster must match ^[a-zA-Z0-9\\-_]{1,255}$, but was " + *text);
  }
  return cluster_name(caller, text);
}

std::optional<WholeCluster> load_cluster(Call& call, const std::string& name) {
  return call.tx
      .query("SELECT id, status, body FROM ecs_clusters WHERE account = $1 AND region = $2 AND name = $3",
             call.caller.account, call.caller.region, name)
      .one([&](const store::Row& row) {
        return WholeCluster{
            {row.integer(0), call.caller.account, call.caller.region, name, row.text(1) == "ACTIVE"},
            from_json<Cluster>(row.text(2))};
      });
}

StoredCluster find_cluster(Call& call, const std::optional<std::string>& text) {
  const auto name = asked_cluster_name(call.caller, text);
  std::optional<StoredCluster> cluster;
  if (name) {
    cluster = call.tx
                  .query("SELECT id, status FROM ecs_clusters WHERE account = $1 AND region = $2 AND name = $3",
                         call.caller.account, call.caller.region, *name)
                  .one([&](const store::Row& row) {
                    return StoredCluster{row.integer(0), call.caller.account, call.caller.region, *name,
                                         row.text(1) == "ACTIVE"};
                  });
  }
  check_found(cluster);
  return std::move(*cluster);
}

WholeCluster find_whole_cluster(Call& call, const std::optional<std::string>& text) {
  const auto name = asked_cluster_name(call.caller, text);
  auto cluster = name ? load_cluster(call, *name) : std::nullopt;
  check_found(cluster);
  return std::move(*cluster);
}

void insert_cluster(Call& call, const WholeCluster& cluster) {
  call.tx.exec(
      "INSERT INTO ecs_clusters (account, region, name, status, body, created_at) VALUES ($1, $2, $3, $4, $5, $6)",
      cluster.account, cluster.region, cluster.name, status_of(cluster), to_json(cluster.body), call.now);
}

void update_cluster_row(store::Tx& tx, const WholeCluster& cluster) {
  tx.exec("UPDATE ecs_clusters SET status = $2, body = $3 WHERE id = $1", cluster.id, status_of(cluster),
          to_json(cluster.body));
}

Cluster shown(const WholeCluster& cluster, const ClusterContents& contents, const ClusterFields& fields) {
  Cluster out;
  out.clusterArn = cluster.arn();
  out.clusterName = cluster.name;
  out.status = status_of(cluster);
  out.registeredContainerInstancesCount = contents.instances;
  out.runningTasksCount = contents.running_tasks;
  out.pendingTasksCount = contents.pending_tasks;
  out.activeServicesCount = contents.active_services;
  // Lists are there even where nobody asked for what is in them.
  out.statistics = fields.statistics ? statistics_of(contents) : std::vector<KeyValuePair>();
  out.tags.emplace();
  out.settings.emplace();
  if (fields.tags) out.tags = cluster.body.tags;
  if (fields.settings) out.settings = cluster.body.settings;
  if (fields.configurations) out.configuration = cluster.body.configuration;
  out.capacityProviders.emplace();
  out.defaultCapacityProviderStrategy.emplace();
  if (fields.attachments) out.attachments.emplace();
  return out;
}

}  // namespace services::ecs
