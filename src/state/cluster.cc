// SPDX-License-Identifier: Apache-2.0
#include "state/cluster.h"

#include "base/check.h"
#include "state/task.h"

namespace state {
namespace {

constexpr std::string_view kSelectCluster = "SELECT id, account, region, name, status FROM ecs_clusters";

Cluster read_cluster(const store::Row& row) {
  return {ClusterNumber(row.integer(0)), row.str(1), row.str(2), row.str(3), row.text(4) == "ACTIVE"};
}

const char* status_text(const Cluster& cluster) { return cluster.active ? "ACTIVE" : "INACTIVE"; }

}  // namespace

std::optional<Cluster> find_cluster(store::Tx& tx, const ClusterKey& key) {
  static const std::string sql = std::string(kSelectCluster) + " WHERE account = $1 AND region = $2 AND name = $3";
  return tx.query(sql, key.account, key.region, key.name).one(read_cluster);
}

std::optional<Cluster> find_cluster(store::Tx& tx, ClusterNumber number) {
  return tx.query(std::string(kSelectCluster) + " WHERE id = $1", number).one(read_cluster);
}

std::vector<std::string> list_clusters(store::Tx& tx, const ClusterKey& key, std::int64_t most) {
  return tx
      .query(
          "SELECT name FROM ecs_clusters WHERE account = $1 AND region = $2 AND name > $3 AND status = 'ACTIVE'"
          " ORDER BY name LIMIT $4",
          key.account, key.region, key.name, most)
      .all([](const store::Row& row) { return row.str(0); });
}

std::vector<Cluster> list_clusters(store::Tx& tx, std::string_view account) {
  return tx.query(std::string(kSelectCluster) + " WHERE account = $1 AND status = 'ACTIVE' ORDER BY region, name", account)
      .all(read_cluster);
}

std::string cluster_body(store::Tx& tx, ClusterNumber number) {
  auto body = tx.query("SELECT body FROM ecs_clusters WHERE id = $1", number).one([](const store::Row& row) {
    return row.str(0);
  });
  CHECK(body) << "the body of a cluster that does not exist";
  return std::move(*body);
}

ClusterNumber insert_cluster(store::Tx& tx, const Cluster& cluster, const std::string& body, base::Time now) {
  return ClusterNumber(tx.insert(
      "INSERT INTO ecs_clusters (account, region, name, status, body, created_at) VALUES ($1, $2, $3, $4, $5, $6)",
      cluster.account, cluster.region, cluster.name, status_text(cluster), body, now));
}

void update_cluster(store::Tx& tx, const Cluster& cluster, const std::string& body) {
  tx.exec("UPDATE ecs_clusters SET status = $2, body = $3 WHERE id = $1", cluster.number, status_text(cluster), body);
}

ClusterContents count_contents(store::Tx& tx, ClusterNumber number) {
  ClusterContents contents;
  contents.instances = static_cast<std::int32_t>(
      tx.query("SELECT count(*) FROM ecs_instances WHERE cluster = $1 AND status <> 'INACTIVE'", number).integer());
  tx.query("SELECT known, count(*) FROM ecs_tasks WHERE cluster = $1 GROUP BY known", number)
      .each([&](const store::Row& row) {
        const auto count = static_cast<std::int32_t>(row.integer(1));
        contents.tasks += count;
        if (row.integer(0) == to_code(model::TaskStatus::Running)) contents.running_tasks = count;
        const bool pending = row.integer(0) == to_code(model::TaskStatus::Pending) ||
                             row.integer(0) == to_code(model::TaskStatus::Provisioning);
        if (pending) contents.pending_tasks += count;
      });
  tx.query("SELECT status, count(*) FROM ecs_services WHERE cluster = $1 AND inactive_at IS NULL GROUP BY status",
           number)
      .each([&](const store::Row& row) {
        const auto count = static_cast<std::int32_t>(row.integer(1));
        (row.text(0) == "ACTIVE" ? contents.active_services : contents.draining_services) = count;
      });
  return contents;
}

}  // namespace state
