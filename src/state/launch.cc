// SPDX-License-Identifier: Apache-2.0
#include "state/launch.h"

#include "state/task_name.h"

namespace state {
namespace {

const std::string kLaunchColumns =
    "cluster, definition, task_group, started_by, client_token, request_hash, body, created_at, service, deployment,"
    " external";
const std::string kSelectLaunch = "SELECT id, " + kLaunchColumns + " FROM ecs_launches";

Launch read_launch(const store::Row& row) {
  Launch launch;
  launch.number = LaunchNumber(row.integer(0));
  launch.cluster = ClusterNumber(row.integer(1));
  launch.definition = DefinitionNumber(row.integer(2));
  launch.group = row.str(3);
  launch.started_by = row.maybe_str(4);
  launch.client_token = row.maybe_str(5);
  launch.request_hash = row.str(6);
  launch.body_json = row.str(7);
  launch.created_at = row.time(8);
  if (const auto service = row.maybe_integer(9)) launch.service = ServiceNumber(*service);
  if (const auto deployment = row.maybe_integer(10)) launch.deployment = DeploymentNumber(*deployment);
  launch.external = row.boolean(11);
  return launch;
}

}  // namespace

LaunchNumber insert_launch(store::Tx& tx, const Launch& launch) {
  static const std::string sql =
      "INSERT INTO ecs_launches (" + kLaunchColumns + ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
  return LaunchNumber(tx.insert(sql, launch.cluster, launch.definition, launch.group, launch.started_by,
                                launch.client_token, launch.request_hash, launch.body_json, launch.created_at,
                                launch.service, launch.deployment, launch.external));
}

void update_launch_body(store::Tx& tx, const Launch& launch) {
  tx.exec("UPDATE ecs_launches SET body = $2 WHERE id = $1", launch.number, launch.body_json);
}

void delete_launch(store::Tx& tx, LaunchNumber number) {
  tx.exec("DELETE FROM ecs_launches WHERE id = $1", number);
}

std::optional<Launch> find_launch(store::Tx& tx, LaunchNumber number) {
  static const std::string sql = kSelectLaunch + " WHERE id = $1";
  return tx.query(sql, number).one(read_launch);
}

std::optional<Launch> find_launch(store::Tx& tx, ClusterNumber cluster, const std::string& client_token) {
  return tx.query(kSelectLaunch + " WHERE cluster = $1 AND client_token = $2", cluster, client_token).one(read_launch);
}

std::set<LaunchNumber> end_client_tokens(store::Tx& tx, base::Time until, std::int64_t most) {
  std::set<LaunchNumber> ended;
  tx.query(
        "UPDATE ecs_launches SET client_token = NULL WHERE id IN (SELECT id FROM ecs_launches"
        " WHERE client_token IS NOT NULL AND created_at <= $1 ORDER BY created_at LIMIT $2) RETURNING id",
        until, most)
      .each([&](const store::Row& row) { ended.insert(LaunchNumber(row.integer(0))); });
  return ended;
}

void delete_unused_launches(store::Tx& tx, const std::set<LaunchNumber>& numbers) {
  for (LaunchNumber number : numbers) {
    const TaskNumbers tasks = task_numbers(number);
    const std::int64_t deleted = tx.exec(
        "DELETE FROM ecs_launches WHERE id = $1 AND client_token IS NULL"
        " AND NOT EXISTS (SELECT 1 FROM ecs_tasks WHERE id >= $2 AND id < $3)"
        " AND NOT EXISTS (SELECT 1 FROM ecs_stopped_tasks WHERE task >= $2 AND task < $3)",
        number, tasks.first, tasks.end);
    if (deleted > 0) tx.exec("DELETE FROM ecs_holds WHERE launch = $1", number);
  }
}

std::optional<base::Time> first_client_token(store::Tx& tx) {
  auto found = tx.query("SELECT min(created_at) FROM ecs_launches WHERE client_token IS NOT NULL")
                   .one([](const store::Row& row) { return row.maybe_time(0); });
  return found ? *found : std::nullopt;
}

}  // namespace state
