// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/reconciliation/service_snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/check.h"
#include "model/container.h"
#include "services/ecs/arn.h"
#include "services/ecs/machines/fleets.h"
#include "services/ecs/reconciliation/daemon_machines.h"
#include "services/ecs/reconciliation/deployment_alarms.h"
#include "services/ecs/reconciliation/image_digests.h"
#include "services/ecs/services/circuit_breaker.h"
#include "services/ecs/tasks/report.h"
#include "services/shape_json.h"

namespace services::ecs {
namespace {

// The part of a machine that matters to its tasks.
struct MachineBrief {
  bool leaving = false;
  std::string zone = {};
};

struct FleetBrief {
  std::map<model::InstanceId, MachineBrief> machines = {};  // of the service's tasks
  std::vector<std::string> zones = {};                      // of machines that accept tasks, sorted
};

FleetBrief read_fleet(Call& call, const ServiceRows& rows, bool all_zones) {
  return call.local<Fleets>().with(rows.service.cluster, [&](scheduler::Fleet& fleet) {
    FleetBrief brief;
    for (const state::ServiceTask& task : rows.tasks) {
      const scheduler::Machine* machine = fleet.find(task.machine);
      if (!machine) continue;
      const model::Instance& instance = machine->instance();
      brief.machines[task.machine] = {instance.status == model::InstanceStatus::Draining, instance.zone};
    }
    std::set<std::string> zones;
    if (all_zones) {
      for (const scheduler::Machine* machine : fleet.machines()) {
        if (machine->accepts_tasks()) zones.insert(machine->instance().zone);
      }
    }
    brief.zones.assign(zones.begin(), zones.end());
    return brief;
  });
}

scheduler::TaskHealth health_of_task(const state::Task& task, const StoredTaskDefinition* definition) {
  if (!definition) return scheduler::TaskHealth::NotChecked;
  const auto& containers = *definition->body.containerDefinitions;
  if (std::ranges::none_of(containers, [](const auto& one) { return one.healthCheck.has_value(); })) {
    return scheduler::TaskHealth::NotChecked;
  }
  const Report report = report_of(task);
  std::vector<model::ContainerState> states;
  for (const shapes::ecs::ContainerDefinition& container : containers) {
    model::ContainerState state{.essential = container.essential.value_or(true)};
    if (container.healthCheck) {
      const auto found = report.health.find(*container.name);
      state.health = model::health(found == report.health.end() ? "UNKNOWN" : found->second);
    }
    states.push_back(state);
  }
  switch (model::task_health(states)) {
    case model::Health::Healthy: return scheduler::TaskHealth::Healthy;
    case model::Health::Unhealthy: return scheduler::TaskHealth::Unhealthy;
    case model::Health::Unknown: break;
  }
  return scheduler::TaskHealth::Unknown;
}

scheduler::ServiceRules rules_of(const ServiceRows& rows) {
  const shapes::ecs::DeploymentConfiguration& configuration = rows.body.deploymentConfiguration;
  scheduler::ServiceRules rules;
  rules.daemon = rows.service.daemon;
  rules.desired = rows.service.desired;
  rules.minimum_percent = configuration.minimumHealthyPercent.value_or(rules.daemon ? 0 : 100);
  rules.maximum_percent = configuration.maximumPercent.value_or(rules.daemon ? 100 : 200);
  rules.grace = std::chrono::seconds(rows.body.healthCheckGracePeriodSeconds.value_or(0));
  if (const auto& breaker = configuration.deploymentCircuitBreaker) {
    rules.breaker = breaker->enable;
    rules.breaker_rollback = breaker->rollback;
    rules.breaker_sums = sums_failures(configuration);
    rules.breaker_at = failure_threshold(configuration);
  }
  if (configuration.alarms) rules.alarm_rollback = configuration.alarms->rollback;
  rules.bake = std::chrono::minutes(configuration.bakeTimeInMinutes.value_or(0));
  rules.rebalance_zones = !rules.daemon && rows.body.availabilityZoneRebalancing == "ENABLED";
  return rules;
}

scheduler::ServiceTask to_view(const state::ServiceTask& task, const StoredTaskDefinition* definition,
                               const FleetBrief& fleet) {
  scheduler::ServiceTask out{.id = task.id, .deployment = static_cast<std::int64_t>(task.deployment)};
  out.machine = task.machine;
  if (const auto found = fleet.machines.find(task.machine); found != fleet.machines.end()) {
    out.leaving = found->second.leaving;
    out.zone = found->second.zone;
  }
  out.running = task.known == model::TaskStatus::Running;
  out.stopping = task.desired == model::DesiredStatus::Stopped;
  out.health = health_of_task(task, definition);
  out.created_at = task.created_at;
  out.started_at = task.started_at;
  out.protected_until = task.protected_until;
  out.waiting = task.is_waiting();
  return out;
}

scheduler::ServiceDeployment to_view(const state::Deployment& deployment) {
  return {.number = static_cast<std::int64_t>(deployment.number),
          .primary = deployment.role == state::DeploymentRole::Primary,
          .completed = deployment.rollout == state::Rollout::Completed,
          .failed = deployment.rollout == state::Rollout::Failed,
          .failed_tasks = deployment.failed_tasks,
          .last_failure = deployment.last_failure,
          .created_at = deployment.created_at,
          .retired = deployment.role == state::DeploymentRole::Inactive};
}

void read_alarms(Call& call, ServiceSnapshot& snapshot) {
  if (snapshot.primary().rollout != state::Rollout::InProgress) return;
  // The alarm that caused a rollback lasts until the rollback has helped.
  if (snapshot.change && snapshot.change->status == kRollbackInProgress) return;
  const auto& alarms = snapshot.body.deploymentConfiguration.alarms;
  if (!alarms || !alarms->enable || alarms->alarmNames.empty()) return;
  const auto* monitor = snapshot.change && snapshot.change->body.alarms ? &*snapshot.change->body.alarms : nullptr;
  if (monitor && monitor->status == kMonitoringDisabled) return;
  snapshot.watches_alarms = true;
  AlarmReport report = read_alarm_states(call, snapshot.cluster, snapshot.arn(), alarms->alarmNames);
  snapshot.alarms = std::move(report.in_alarm);
  // "The bake time is computed from the alarm configuration": no alarm sees a fault of the new tasks any sooner.
  const bool is_set = snapshot.body.deploymentConfiguration.bakeTimeInMinutes.has_value();
  if (!is_set) snapshot.view.rules.bake = std::min(report.slowest, kLongestBake);
}

}  // namespace

const state::Deployment* ServiceRows::find(state::DeploymentNumber number) const {
  const auto found = std::ranges::find(deployments, number, &state::Deployment::number);
  return found == deployments.end() ? nullptr : &*found;
}

ServiceVersions ServiceRows::versions() const {
  ServiceVersions versions{.service = service.version};
  for (const state::ServiceTask& task : tasks) {
    versions.tasks.push_back(task.name.number);
    versions.tasks.push_back(task.version);
    versions.tasks.push_back(task.protected_until ? base::to_millis(*task.protected_until) : 0);
  }
  for (const state::Deployment& one : deployments) {
    versions.deployments.push_back(fmt::format("{} {} {} {} {}", one.id, text(one.role), text(one.rollout),
                                               one.failed_tasks, base::to_millis(one.updated_at)));
  }
  if (change) versions.change_status = change->status;
  return versions;
}

std::string ServiceRows::arn() const { return service_arn(cluster, service.name); }

std::optional<ServiceRows> read_service(store::Tx& tx, state::ServiceNumber number) {
  auto service = state::find_service(tx, number);
  if (!service || service->status == state::ServiceStatus::Inactive) return std::nullopt;
  auto cluster = state::find_cluster(tx, service->cluster);
  CHECK(cluster) << "a service without its cluster";
  ServiceRows rows{.cluster = std::move(*cluster), .service = std::move(*service)};
  rows.body = from_json<ServiceBody>(rows.service.body_json);
  rows.deployments = state::list_deployments(tx, number);
  rows.tasks = state::list_service_tasks(tx, number);
  auto changes = state::list_service_deployments(tx, number, 0, 1);
  if (!changes.empty()) rows.change = parse(std::move(changes.front()));
  return rows;
}

const StoredTaskDefinition* ServiceSnapshot::definition_of(std::int64_t deployment) const {
  const state::Deployment* found = find(state::DeploymentNumber(deployment));
  if (!found) return nullptr;
  const auto definition = std::ranges::find(definitions, found->definition, &StoredTaskDefinition::number);
  return definition == definitions.end() ? nullptr : &*definition;
}

ServiceSnapshot take_snapshot(Call& call, ServiceRows rows) {
  ServiceSnapshot snapshot;
  static_cast<ServiceRows&>(snapshot) = std::move(rows);
  auto completed = state::find_last_completed(call.tx, snapshot.service.number, snapshot.primary().number);
  const bool rolling_back = snapshot.change && snapshot.change->status == kRollbackInProgress;
  snapshot.view.can_roll_back = completed && !rolling_back;
  if (completed && !snapshot.find(completed->number)) snapshot.deployments.push_back(std::move(*completed));
  for (const state::Deployment& deployment : snapshot.deployments) {
    if (auto definition = load_task_definition(call.tx, deployment.definition)) {
      snapshot.definitions.push_back(std::move(*definition));
    }
  }
  scheduler::ServiceView& view = snapshot.view;
  view.rules = rules_of(snapshot);
  const FleetBrief fleet = read_fleet(call, snapshot, view.rules.rebalance_zones);
  view.zones = fleet.zones;
  for (const state::Deployment& deployment : snapshot.deployments) view.deployments.push_back(to_view(deployment));
  for (const state::ServiceTask& task : snapshot.tasks) {
    view.tasks.push_back(to_view(task, snapshot.definition_of(static_cast<std::int64_t>(task.deployment)), fleet));
  }
  scheduler::ServiceDeployment& primary = view.deployments.front();
  primary.resolving = is_resolving(snapshot);
  primary.earlier_failures =
      count_failures(snapshot.body.deploymentConfiguration, snapshot.primary()) - primary.failed_tasks;
  read_alarms(call, snapshot);
  // The alarms of a change that has not begun decide whether they are watched at all.
  const bool begun = snapshot.change && snapshot.change->status != kPending;
  primary.alarmed = begun && !snapshot.alarms.empty();
  if (view.rules.daemon) view.machines = daemon_machines(call, snapshot);
  return snapshot;
}

}  // namespace services::ecs
