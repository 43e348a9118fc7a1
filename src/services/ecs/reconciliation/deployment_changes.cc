// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/reconciliation/deployment_changes.h"

#include <fmt/format.h>

#include "base/check.h"
#include "services/ecs/arn.h"
#include "services/ecs/reconciliation/deployment_alarms.h"
#include "services/ecs/services/circuit_breaker.h"
#include "services/ecs/services/new_deployment.h"
#include "services/shape_json.h"

namespace services::ecs {
namespace {

// Why a deployment failed, in the words of each place that shows it.
struct Failed {
  std::string event;         // after "deployment failed: "
  std::string rollout;       // rolloutStateReason
  std::string rolling_back;  // rolloutStateReason of the deployment that replaces it, before "deploymentId D#."
  std::string change;        // statusReason of the service deployment
};

const Failed kBreakerFailed{
    .event = "tasks failed to start.",
    .rollout = "ECS deployment circuit breaker: tasks failed to start.",
    .rolling_back = "ECS deployment circuit breaker: rolling back to ",
    .change = "Service deployment rolled back because the circuit breaker threshold was exceeded."};
const Failed kAlarmFailed{.event = "alarm detected.",
                          .rollout = "ECS deployment failed: alarm detected.",
                          .rolling_back = "ECS deployment failed: alarm detected: rolling back to ",
                          .change = "Service deployment rolled back because an alarm was detected."};
const Failed kStoppedByClient{.event = "stopped by user.",
                              .rollout = "ECS deployment stopped by user.",
                              .rolling_back = "ECS deployment stopped by user: rolling back to ",
                              .change = "Service deployment rolled back because it was stopped by user."};

void save(Call& call, state::Deployment& deployment) {
  deployment.updated_at = call.now;
  state::update_deployment(call.tx, deployment);
}

void save_change(Call& call, StoredServiceDeployment& change, std::string_view status) {
  change.status = status;
  change.updated_at = call.now;
  update_service_deployment_row(call.tx, change);
}

void finish_change(Call& call, StoredServiceDeployment& change, std::string_view status) {
  change.finished_at = call.now;
  if (status == kStopped) change.stopped_at = call.now;
  const auto complete = [](std::optional<std::string>& monitor) {
    if (monitor == kMonitoring) monitor = kMonitoringComplete;
  };
  if (change.body.deploymentCircuitBreaker) complete(change.body.deploymentCircuitBreaker->status);
  if (change.body.alarms) complete(change.body.alarms->status);
  save_change(call, change, status);
}

void complete_primary(Call& call, ServiceRows& rows) {
  state::Deployment& primary = rows.deployments.front();
  primary.rollout = state::Rollout::Completed;
  primary.rollout_reason = fmt::format("ECS deployment {} completed.", deployment_name(primary));
  primary.completed_at = call.now;
  save(call, primary);
  write_event(call, rows,
              service_event(rows, fmt::format("(deployment {}) deployment completed.", deployment_name(primary))));
  publish_deployment(call, rows, primary, {.name = "SERVICE_DEPLOYMENT_COMPLETED", .reason = primary.rollout_reason});
  if (!rows.change || !is_unfinished(*rows.change)) return;
  const bool rolled_back = rows.change->status == kRollbackInProgress;
  finish_change(call, *rows.change, rolled_back ? kRollbackSuccessful : kSuccessful);
}

// A service shows the network configuration of its PRIMARY deployment, and its next deployment begins with it.
void restore_network(Call& call, ServiceRows& rows, const state::Deployment& target) {
  auto body = from_json<DeploymentBody>(target.body_json);
  if (rows.body.networkConfiguration == body.networkConfiguration &&
      rows.body.capacityProviderStrategy == body.capacityProviderStrategy) {
    return;
  }
  rows.body.networkConfiguration = std::move(body.networkConfiguration);
  rows.body.capacityProviderStrategy = std::move(body.capacityProviderStrategy);
  rows.service.body_json = to_json(rows.body);
  state::update_service(call.tx, rows.service);
}

void forget_failures(state::Deployment& deployment) {
  auto body = from_json<DeploymentBody>(deployment.body_json);
  body.earlierFailures = 0;
  deployment.body_json = to_json(body);
  deployment.failed_tasks = 0;
  deployment.last_failure.reset();
}

// The deployment that completed last is the PRIMARY one again, under its old id.
void roll_back(Call& call, ServiceRows& rows, state::Deployment target, const Failed& why) {
  state::Deployment& failed = rows.deployments.front();
  failed.role = state::DeploymentRole::Active;
  save(call, failed);
  target.role = state::DeploymentRole::Primary;
  target.rollout = state::Rollout::InProgress;
  target.rollout_reason = why.rolling_back + fmt::format("deploymentId {}.", deployment_name(target));
  forget_failures(target);
  save(call, target);
  restore_network(call, rows, target);
  write_event(call, rows, service_event(rows, fmt::format("rolling back to deployment {}.", deployment_name(target))));
  publish_deployment(call, rows, target, {.name = "SERVICE_DEPLOYMENT_IN_PROGRESS", .reason = target.rollout_reason});
  if (rows.change && is_unfinished(*rows.change)) {
    rows.change->body.statusReason = why.change;
    rows.change->body.rollback =
        shapes::ecs::Rollback{.reason = why.change,
                              .startedAt = call.now,
                              .serviceRevisionArn = service_revision_arn(rows.cluster, rows.service.name, target.id)};
    save_change(call, *rows.change, kRollbackInProgress);
  }
  std::erase_if(rows.deployments, [&](const state::Deployment& one) { return one.number == target.number; });
  rows.deployments.insert(rows.deployments.begin(), std::move(target));
}

void fail_primary(Call& call, ServiceRows& rows, const Failed& why, bool rolls_back) {
  state::Deployment& primary = rows.deployments.front();
  primary.rollout = state::Rollout::Failed;
  primary.rollout_reason = why.rollout;
  save(call, primary);
  write_event(
      call, rows,
      service_event(rows, fmt::format("(deployment {}) deployment failed: {}", deployment_name(primary), why.event)));
  publish_deployment(call, rows, primary,
                     {.type = "ERROR", .name = "SERVICE_DEPLOYMENT_FAILED", .reason = why.rollout});
  auto target = rolls_back ? state::find_last_completed(call.tx, rows.service.number, primary.number) : std::nullopt;
  if (target) {
    roll_back(call, rows, std::move(*target), why);
  } else if (rows.change && is_unfinished(*rows.change)) {
    rows.change->body.statusReason = why.rollout;
    const bool of_rollback = rows.change->status == kRollbackInProgress || rows.change->status == kRollbackRequested;
    finish_change(call, *rows.change, of_rollback ? kRollbackFailed : kStopped);
  }
}

}  // namespace

void begin_change(Call& call, ServiceRows& rows, const std::vector<std::string>& alarms) {
  StoredServiceDeployment& change = *rows.change;
  change.started_at = call.now;
  // "An alarm already in ALARM at the start disables alarm watching for that deployment."
  if (change.body.alarms && !alarms.empty()) {
    change.body.alarms->status = kMonitoringDisabled;
    change.body.alarms->triggeredAlarmNames = alarms;
  }
  save_change(call, change, kInProgress);
  publish_deployment(call, rows, rows.primary(),
                     {.name = "SERVICE_DEPLOYMENT_IN_PROGRESS", .reason = rows.primary().rollout_reason});
}

void stop_change(Call& call, ServiceRows& rows) {
  fail_primary(call, rows, kStoppedByClient, rows.change->status == kRollbackRequested);
}

void carry_out_verdict(Call& call, ServiceRows& rows, const scheduler::ServicePlan& plan,
                       const std::vector<std::string>& alarms) {
  switch (plan.verdict) {
    case scheduler::Verdict::None: return;
    case scheduler::Verdict::Completed: return complete_primary(call, rows);
    case scheduler::Verdict::BreakerFailed:
      if (rows.change && rows.change->body.deploymentCircuitBreaker) {
        auto& breaker = *rows.change->body.deploymentCircuitBreaker;
        breaker.status = kTriggered;
        const auto& configuration = rows.body.deploymentConfiguration;
        breaker.failureCount = count_failures(configuration, rows.primary());
        breaker.threshold = scheduler::breaker_threshold(rows.service.desired, failure_threshold(configuration));
      }
      return fail_primary(call, rows, kBreakerFailed, plan.roll_back);
    case scheduler::Verdict::AlarmFailed:
      if (rows.change && rows.change->body.alarms) {
        rows.change->body.alarms->status = kTriggered;
        rows.change->body.alarms->triggeredAlarmNames = alarms;
      }
      return fail_primary(call, rows, kAlarmFailed, plan.roll_back);
  }
}

void revive(Call& call, ServiceRows& rows, const std::vector<scheduler::ServiceStart>& starts) {
  for (const scheduler::ServiceStart& start : starts) {
    const auto number = state::DeploymentNumber(start.deployment);
    if (rows.find(number)) continue;
    auto deployment = state::find_deployment(call.tx, number);
    if (!deployment || deployment->service != rows.service.number) continue;
    deployment->role = state::DeploymentRole::Active;
    save(call, *deployment);
    rows.deployments.push_back(std::move(*deployment));
  }
}

void retire(Call& call, ServiceRows& rows, const std::vector<std::int64_t>& deployments) {
  for (std::int64_t number : deployments) {
    for (state::Deployment& deployment : rows.deployments) {
      if (static_cast<std::int64_t>(deployment.number) != number) continue;
      CHECK(deployment.role != state::DeploymentRole::Primary) << "the PRIMARY deployment is not retired";
      deployment.role = state::DeploymentRole::Inactive;
      save(call, deployment);
    }
  }
}

}  // namespace services::ecs
