// SPDX-License-Identifier: Apache-2.0
// Carrying out what a look decided: one transaction for tasks, deployments and events.
#include <fmt/format.h>

#include <algorithm>

#include "services/ecs/arn.h"
#include "services/ecs/machines/fleets.h"
#include "services/ecs/reconciliation/deployment_changes.h"
#include "services/ecs/reconciliation/service_change.h"
#include "services/ecs/reconciliation/service_starts.h"
#include "services/ecs/reconciliation/service_stops.h"
#include "services/shape_json.h"

namespace services::ecs {
namespace {

constexpr base::Duration kAfterNoRoom = std::chrono::seconds(1);

void apply_health(Call& call, ServiceRows& rows, const scheduler::ServicePlan& plan) {
  state::Deployment& primary = rows.deployments.front();
  if (!plan.healthy_again || primary.failed_tasks == 0) return;
  auto body = from_json<DeploymentBody>(primary.body_json);
  body.earlierFailures += primary.failed_tasks;
  primary.body_json = to_json(body);
  primary.failed_tasks = 0;
  primary.last_failure.reset();
  primary.updated_at = call.now;
  state::update_deployment(call.tx, primary);
}

void apply_images(Call& call, ServiceRows& rows, const std::vector<shapes::ecs::ContainerImage>& images) {
  if (images.empty()) return;
  state::Deployment& primary = rows.deployments.front();
  auto body = from_json<DeploymentBody>(primary.body_json);
  body.containerImages = images;
  primary.body_json = to_json(body);
  primary.updated_at = call.now;
  state::update_deployment(call.tx, primary);
}

void announce_steady(Call& call, const ServiceRows& rows) {
  write_event(call, rows, service_event(rows, "has reached a steady state."));
  publish_action(call, rows, {.type = "INFO", .name = "SERVICE_STEADY_STATE"});
}

void apply_to_service(Call& call, ServiceRows& rows, const ServiceChange& change) {
  state::Service& service = rows.service;
  const std::int32_t desired = change.plan.desired.value_or(service.desired);
  if (desired == service.desired && change.steady == service.steady && !change.announces_steady) return;
  if (desired != service.desired) {
    publish_action(call, rows, {.type = "INFO", .name = "SERVICE_DESIRED_COUNT_UPDATED", .desired = desired});
  }
  service.desired = desired;
  service.steady = change.steady;
  if (change.announces_steady) service.steady_at = call.now;
  state::update_service(call.tx, service);
}

// INACTIVE once all of its tasks stop.
void drain(Call& call, ServiceRows& rows) {
  std::vector<scheduler::ServiceStop> stops;
  for (const state::ServiceTask& task : rows.tasks) {
    if (task.desired == model::DesiredStatus::Running) stops.push_back({.task = task.id});
  }
  const bool all = stops.size() <= kMaxStopsAtOnce;
  if (!all) stops.erase(stops.begin() + kMaxStopsAtOnce, stops.end());
  stop_tasks_of_service(call, rows, stops);
  if (!all) return;
  rows.service.status = state::ServiceStatus::Inactive;
  rows.service.inactive_at = call.now;
  state::update_service(call.tx, rows.service);
  call.wake(std::string(state::kTaskSweepTopic));
}

// Returns false where none of the tasks that should start found room.
bool carry_out(Call& call, ServiceRows& rows, const ServiceChange& change) {
  const scheduler::ServicePlan& plan = change.plan;
  if (change.drains) {
    drain(call, rows);
    return true;
  }
  if (change.begins) begin_change(call, rows, change.alarms);
  if (change.stop_requested) {
    stop_change(call, rows);
    return true;
  }
  apply_images(call, rows, change.images);
  apply_health(call, rows, plan);
  stop_tasks_of_service(call, rows, plan.stops);
  revive(call, rows, plan.starts);
  const bool started = start_tasks_of_service(call, rows, plan.starts);
  // First: the verdict may return to a deployment that is retired.
  retire(call, rows, plan.retired);
  carry_out_verdict(call, rows, plan, change.alarms);
  for (const Condition& condition : change.conditions) {
    write_event(call, rows, condition.message);
    if (condition.action) publish_action(call, rows, *condition.action);
  }
  if (change.announces_steady) announce_steady(call, rows);
  apply_to_service(call, rows, change);
  return started || plan.starts.empty();
}

}  // namespace

void apply_change(Call& call, const ServiceChange& change) {
  auto rows = read_service(call.tx, change.due.service);
  // The plan is stale: the service stays due.
  if (!rows || rows->versions() != change.versions) return;
  const bool done = carry_out(call, *rows, change);
  ServiceQueue& queue = call.local<ServiceQueue>();
  ServiceQueue::Outcome outcome = change.outcome;
  outcome.waits_for_room = true;
  outcome.next = call.now + kAfterNoRoom;
  call.tx.on_end([&queue, due = change.due, announced = change.announced, done, outcome](bool committed) {
    if (!committed) return;
    queue.set_announced(due.service, announced);
    // It stays due: the next look sees what follows from the change. But room that another call took between look and
    // change may take a while to return.
    if (!done) queue.done(due, outcome);
  });
}

}  // namespace services::ecs
