// SPDX-License-Identifier: Apache-2.0
// Rows of deployments, which are revisions of services, and of service deployments.
#include "base/check.h"
#include "state/service.h"

namespace state {
namespace {

const std::string kDeploymentColumns =
    "service, name, definition, role, rollout, rollout_reason, failed_tasks, last_failure, body, created_at,"
    " updated_at, completed_at";
const std::string kSelectDeployment = "SELECT id, " + kDeploymentColumns + " FROM ecs_deployments";

const std::string kServiceDeploymentColumns =
    "service, name, status, target, body, created_at, updated_at, started_at, finished_at, stopped_at";
const std::string kSelectServiceDeployment =
    "SELECT id, " + kServiceDeploymentColumns + " FROM ecs_service_deployments";

DeploymentRole deployment_role(std::string_view text) {
  for (DeploymentRole role : {DeploymentRole::Primary, DeploymentRole::Active, DeploymentRole::Inactive}) {
    if (text == state::text(role)) return role;
  }
  CHECK(false) << "a deployment with the role " << text;
  return {};
}

Rollout rollout_of(std::string_view text) {
  for (Rollout rollout : {Rollout::InProgress, Rollout::Completed, Rollout::Failed}) {
    if (text == state::text(rollout)) return rollout;
  }
  CHECK(false) << "a deployment with the rollout " << text;
  return {};
}

Deployment read_deployment(const store::Row& row) {
  Deployment deployment;
  deployment.number = DeploymentNumber(row.integer(0));
  deployment.service = ServiceNumber(row.integer(1));
  deployment.id = row.str(2);
  deployment.definition = DefinitionNumber(row.integer(3));
  deployment.role = deployment_role(row.text(4));
  deployment.rollout = rollout_of(row.text(5));
  deployment.rollout_reason = row.str(6);
  deployment.failed_tasks = static_cast<std::int32_t>(row.integer(7));
  deployment.last_failure = row.maybe_time(8);
  deployment.body_json = row.str(9);
  deployment.created_at = row.time(10);
  deployment.updated_at = row.time(11);
  deployment.completed_at = row.maybe_time(12);
  return deployment;
}

ServiceDeployment read_service_deployment(const store::Row& row) {
  ServiceDeployment deployment;
  deployment.number = row.integer(0);
  deployment.service = ServiceNumber(row.integer(1));
  deployment.id = row.str(2);
  deployment.status = row.str(3);
  deployment.target = DeploymentNumber(row.integer(4));
  deployment.body_json = row.str(5);
  deployment.created_at = row.time(6);
  deployment.updated_at = row.time(7);
  deployment.started_at = row.maybe_time(8);
  deployment.finished_at = row.maybe_time(9);
  deployment.stopped_at = row.maybe_time(10);
  return deployment;
}

}  // namespace

std::string_view text(DeploymentRole role) {
  switch (role) {
    case DeploymentRole::Primary: return "PRIMARY";
    case DeploymentRole::Active: return "ACTIVE";
    case DeploymentRole::Inactive: break;
  }
  return "INACTIVE";
}

std::string_view text(Rollout rollout) {
  switch (rollout) {
    case Rollout::InProgress: return "IN_PROGRESS";
    case Rollout::Completed: return "COMPLETED";
    case Rollout::Failed: break;
  }
  return "FAILED";
}

std::vector<Deployment> list_deployments(store::Tx& tx, ServiceNumber service) {
  static const std::string sql = kSelectDeployment +
                                 " WHERE service = $1 AND role <> 'INACTIVE'"
                                 " ORDER BY CASE role WHEN 'PRIMARY' THEN 0 ELSE 1 END, id DESC";
  return tx.query(sql, service).all(read_deployment);
}

std::optional<Deployment> find_deployment(store::Tx& tx, DeploymentNumber number) {
  static const std::string sql = kSelectDeployment + " WHERE id = $1";
  return tx.query(sql, number).one(read_deployment);
}

std::optional<Deployment> find_deployment(store::Tx& tx, ServiceNumber service, const std::string& id) {
  static const std::string sql = kSelectDeployment + " WHERE service = $1 AND name = $2";
  return tx.query(sql, service, id).one(read_deployment);
}

std::optional<Deployment> find_last_completed(store::Tx& tx, ServiceNumber service, DeploymentNumber except) {
  static const std::string sql = kSelectDeployment +
                                 " WHERE service = $1 AND id <> $2 AND rollout = 'COMPLETED'"
                                 " ORDER BY completed_at DESC, id DESC LIMIT 1";
  return tx.query(sql, service, except).one(read_deployment);
}

DeploymentNumber insert_deployment(store::Tx& tx, const Deployment& deployment) {
  static const std::string sql = "INSERT INTO ecs_deployments (" + kDeploymentColumns +
                                 ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
  return DeploymentNumber(tx.insert(sql, deployment.service, deployment.id, deployment.definition,
                                    text(deployment.role), text(deployment.rollout), deployment.rollout_reason,
                                    deployment.failed_tasks, deployment.last_failure, deployment.body_json,
                                    deployment.created_at, deployment.updated_at, deployment.completed_at));
}

void update_deployment(store::Tx& tx, const Deployment& deployment) {
  tx.exec(
      "UPDATE ecs_deployments SET role = $2, rollout = $3, rollout_reason = $4, failed_tasks = $5, last_failure = $6,"
      " body = $7, updated_at = $8, completed_at = $9 WHERE id = $1",
      deployment.number, text(deployment.role), text(deployment.rollout), deployment.rollout_reason,
      deployment.failed_tasks, deployment.last_failure, deployment.body_json, deployment.updated_at,
      deployment.completed_at);
}

std::optional<ServiceDeployment> find_service_deployment(store::Tx& tx, ServiceNumber service, const std::string& id) {
  static const std::string sql = kSelectServiceDeployment + " WHERE service = $1 AND name = $2";
  return tx.query(sql, service, id).one(read_service_deployment);
}

std::optional<ServiceDeployment> find_service_deployment_of(store::Tx& tx, DeploymentNumber target) {
  static const std::string sql = kSelectServiceDeployment + " WHERE target = $1 ORDER BY id DESC LIMIT 1";
  return tx.query(sql, target).one(read_service_deployment);
}

std::vector<ServiceDeployment> list_service_deployments(store::Tx& tx, ServiceNumber service, std::int64_t before,
                                                        std::int64_t most) {
  static const std::string sql =
      kSelectServiceDeployment + " WHERE service = $1 AND ($2 = 0 OR id < $2) ORDER BY id DESC LIMIT $3";
  return tx.query(sql, service, before, most).all(read_service_deployment);
}

std::int64_t insert_service_deployment(store::Tx& tx, const ServiceDeployment& deployment) {
  static const std::string sql = "INSERT INTO ecs_service_deployments (" + kServiceDeploymentColumns +
                                 ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
  return tx.insert(sql, deployment.service, deployment.id, deployment.status, deployment.target, deployment.body_json,
                   deployment.created_at, deployment.updated_at, deployment.started_at, deployment.finished_at,
                   deployment.stopped_at);
}

void update_service_deployment(store::Tx& tx, const ServiceDeployment& deployment) {
  tx.exec(
      "UPDATE ecs_service_deployments SET status = $2, body = $3, updated_at = $4, started_at = $5, finished_at = $6,"
      " stopped_at = $7 WHERE id = $1",
      deployment.number, deployment.status, deployment.body_json, deployment.updated_at, deployment.started_at,
      deployment.finished_at, deployment.stopped_at);
}

void delete_old_deployments(store::Tx& tx, ServiceNumber service, base::Time since) {
  tx.exec(
      "DELETE FROM ecs_service_deployments WHERE service = $1 AND created_at <= $2"
      " AND id < (SELECT max(id) FROM ecs_service_deployments WHERE service = $1)",
      service, since);
  const auto completed = find_last_completed(tx, service, DeploymentNumber{});
  tx.exec(
      "DELETE FROM ecs_deployments WHERE service = $1 AND role = 'INACTIVE' AND updated_at <= $2 AND id <> $3"
      " AND NOT EXISTS (SELECT 1 FROM ecs_service_deployments d WHERE d.target = ecs_deployments.id)",
      service, since, completed ? completed->number : DeploymentNumber{});
}

}  // namespace state
