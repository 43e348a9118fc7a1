// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/services/new_deployment.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/random.h"
#include "services/ecs/services/circuit_breaker.h"
#include "services/shape_json.h"

namespace services::ecs {
namespace {

constexpr base::Duration kHistoryFor = std::chrono::hours(24 * 90);  // Amazon's
constexpr std::size_t kDeploymentDigits = 19;
constexpr std::size_t kServiceDeploymentLength = 22;
constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kIdCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

// What watches the deployment, as it begins.
void add_monitors(ServiceDeploymentBody& body, std::int32_t desired) {
  const shapes::ecs::DeploymentConfiguration& configuration = body.deploymentConfiguration;
  const auto& breaker = configuration.deploymentCircuitBreaker;
  body.deploymentCircuitBreaker = shapes::ecs::ServiceDeploymentCircuitBreaker{.status = "DISABLED"};
  if (breaker && breaker->enable) {
    body.deploymentCircuitBreaker = {
        .status = "MONITORING",
        .failureCount = 0,
        .threshold = scheduler::breaker_threshold(desired, failure_threshold(configuration))};
  }
  const auto& alarms = configuration.alarms;
  body.alarms = shapes::ecs::ServiceDeploymentAlarms{.status = "DISABLED"};
  if (alarms && alarms->enable) body.alarms = {.status = "MONITORING", .alarmNames = alarms->alarmNames};
}

void insert_change(Call& call, const StoredService& service, state::DeploymentNumber target,
                   const std::vector<state::Deployment>& sources) {
  ServiceDeploymentBody body;
  for (const state::Deployment& source : sources) body.sources.push_back(source.id);
  body.deploymentConfiguration = service.body.deploymentConfiguration;
  add_monitors(body, service.desired);
  state::ServiceDeployment change;
  change.service = service.number;
  change.id = base::random_text(kServiceDeploymentLength, kIdCharacters);
  change.status = "PENDING";
  change.target = target;
  change.body_json = to_json(body);
  change.created_at = change.updated_at = call.now;
  state::insert_service_deployment(call.tx, change);
}

template <class Monitor>
void end_monitor(std::optional<Monitor>& monitor) {
  if (monitor && monitor->status == "MONITORING") monitor->status = "MONITORING_COMPLETE";
}

}  // namespace

bool is_unfinished(const state::ServiceDeployment& deployment) {
  constexpr std::string_view kFinished[] = {"SUCCESSFUL", "STOPPED", "ROLLBACK_SUCCESSFUL", "ROLLBACK_FAILED"};
  return std::find(std::begin(kFinished), std::end(kFinished), deployment.status) == std::end(kFinished);
}

void stop_unfinished(Call& call, state::ServiceNumber service, const std::string& reason) {
  auto rows = state::list_service_deployments(call.tx, service, 0, 1);
  // Each new one finishes the one before it: only the newest can be unfinished.
  if (rows.empty() || !is_unfinished(rows[0])) return;
  StoredServiceDeployment last = parse(std::move(rows[0]));
  last.status = last.status == "ROLLBACK_IN_PROGRESS" ? "ROLLBACK_FAILED" : "STOPPED";
  last.body.statusReason = reason;
  last.updated_at = call.now;
  last.finished_at = last.stopped_at = call.now;
  end_monitor(last.body.deploymentCircuitBreaker);
  end_monitor(last.body.alarms);
  update_service_deployment_row(call.tx, last);
}

void start_deployment(Call& call, StoredService& service, state::DefinitionNumber definition,
                      const DeploymentBody& body) {
  stop_unfinished(call, service.number, "A newer service deployment replaced it.");
  const auto before = state::list_deployments(call.tx, service.number);
  for (state::Deployment deployment : before) {
    if (deployment.role != state::DeploymentRole::Primary) continue;
    deployment.role = state::DeploymentRole::Active;
    deployment.updated_at = call.now;
    state::update_deployment(call.tx, deployment);
  }
  state::Deployment next;
  next.service = service.number;
  next.id = base::random_text(kDeploymentDigits, kDigits);
  next.definition = definition;
  next.rollout_reason = fmt::format("ECS deployment {} in progress.", deployment_name(next));
  next.body_json = to_json(body);
  next.created_at = next.updated_at = call.now;
  next.number = state::insert_deployment(call.tx, next);
  insert_change(call, service, next.number, before);
  state::delete_old_deployments(call.tx, service.number, call.now - kHistoryFor);
  service.steady = false;
}

}  // namespace services::ecs
