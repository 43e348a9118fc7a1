// SPDX-License-Identifier: Apache-2.0
// The loop looks at services of which something changed, or whose time has come, and at no others: it reads a service,
// reconciles it, tries to place what should start, and applies what is left of that, in one transaction for all.
#include "services/ecs/reconciliation/service_loop.h"

#include <algorithm>

#include "base/log.h"
#include "services/ecs/reconciliation/deployment_alarms.h"
#include "services/ecs/reconciliation/image_digests.h"
#include "services/ecs/reconciliation/service_change.h"
#include "services/ecs/reconciliation/service_placement.h"
#include "wire/error.h"

namespace services::ecs {
namespace {

// Per turn: the writer must not be occupied for long.
constexpr std::size_t kMaxServicesAtOnce = 20;
// A service whose look or whose change fails is looked at again after this.
constexpr base::Duration kAfterFailure = std::chrono::minutes(1);

void include_time(std::optional<base::Time>& next, const std::optional<base::Time>& time) {
  if (time && (!next || *time < *next)) next = time;
}

// A task that stops makes room sooner than a new machine does.
bool may_wait_for_capacity(const ServiceSnapshot& snapshot, const scheduler::ServicePlan& plan) {
  if (snapshot.body.capacityProviderStrategy.empty() || !plan.stops.empty()) return false;
  return std::ranges::none_of(snapshot.view.tasks, &scheduler::ServiceTask::stopping);
}

void reconcile_service(Call& call, ServiceSnapshot& snapshot, ServiceChange& change) {
  scheduler::ServicePlan plan = scheduler::reconcile(snapshot.view, call.now);
  Trial trial = try_starts(call, snapshot, plan.starts, false);
  if (trial.blocked > 0 && stops_may_help(call, snapshot, trial)) {
    snapshot.view.blocked = trial.blocked;
    plan = scheduler::reconcile(snapshot.view, call.now);
    trial.starts = try_starts(call, snapshot, plan.starts, false).starts;
  }
  if (trial.blocked > 0 && may_wait_for_capacity(snapshot, plan)) {
    trial = try_starts(call, snapshot, plan.starts, true);
  }
  plan.starts = trial.starts;
  if (plan.stops.size() > kMaxStopsAtOnce) {
    plan.stops.erase(plan.stops.begin() + kMaxStopsAtOnce, plan.stops.end());
    plan.starts.clear();  // they may need the room of all stops
  }
  change.outcome.waits_for_room = trial.blocked > 0;
  for (const scheduler::DaemonMachine& machine : snapshot.view.machines) {
    if (machine.leaving) change.outcome.waits_for_room = true;
  }
  change.plan = std::move(plan);
  change.conditions = to_announce(conditions_of(call, snapshot, change.plan, trial), change.announced, call.now);
}

void decide_steady(const ServiceSnapshot& snapshot, ServiceChange& change, base::Time now) {
  const state::Service& service = snapshot.service;
  // Completion comes first, as at Amazon.
  const bool in_progress =
      snapshot.primary().rollout == state::Rollout::InProgress && change.plan.verdict != scheduler::Verdict::Completed;
  change.steady = change.plan.steady && !in_progress;
  if (!change.steady) return;
  const bool repeats = service.steady_at && *service.steady_at + kRepeatEventsAfter <= now;
  change.announces_steady = !service.steady || repeats;
  if (service.steady_at) include_time(change.outcome.next, *service.steady_at + kRepeatEventsAfter);
}

bool must_write(const ServiceRows& rows, const ServiceChange& change) {
  const scheduler::ServicePlan& plan = change.plan;
  return change.drains || change.begins || change.stop_requested || !plan.starts.empty() || !plan.stops.empty() ||
         plan.desired.value_or(rows.service.desired) != rows.service.desired || !plan.retired.empty() ||
         plan.verdict != scheduler::Verdict::None || (plan.healthy_again && rows.primary().failed_tasks > 0) ||
         change.steady != rows.service.steady || change.announces_steady || !change.conditions.empty() ||
         !change.images.empty();
}

void decide(Call& call, ServiceRows rows, ServiceChange& change) {
  change.versions = rows.versions();
  change.outcome.cluster = rows.service.cluster;
  if (rows.service.status == state::ServiceStatus::Draining) {
    change.drains = change.writes = true;
    return;
  }
  ServiceSnapshot snapshot = take_snapshot(call, std::move(rows));
  const std::string status = snapshot.change ? snapshot.change->status : "";
  change.begins = status == kPending;
  change.stop_requested = status == kStopRequested || status == kRollbackRequested;
  change.alarms = snapshot.alarms;
  const auto announced = call.local<ServiceQueue>().announced(snapshot.service.number);
  change.announced = announced ? *announced : read_announced(call.tx, snapshot.service.number, call.now);
  if (!change.stop_requested) {
    reconcile_service(call, snapshot, change);
    decide_steady(snapshot, change, call.now);
  }
  change.images = resolve_images(snapshot);
  change.outcome.watches_machines = snapshot.view.rules.daemon || snapshot.view.rules.rebalance_zones;
  include_time(change.outcome.next, change.plan.next);
  if (snapshot.watches_alarms) include_time(change.outcome.next, call.now + kAlarmsEvery);
  include_time(change.outcome.next, next_announcement(change.announced));
  change.writes = must_write(snapshot, change);
}

ServiceChange look_at_service(Call& call, const ServiceQueue::Due& due, ServiceRows rows) {
  const std::string arn = rows.arn();
  ServiceChange change{.due = due, .arn = arn, .daemon = rows.service.daemon};
  const state::ClusterNumber cluster = rows.service.cluster;
  try {
    decide(call, std::move(rows), change);
  } catch (const store::Error&) {
    throw;  // no fault of the service
  } catch (const std::exception& error) {
    // One broken service must not stop the others.
    base::log_error("service not reconciled", {{"service", arn}, {"error", error.what()}});
    change = {.due = due, .outcome = {.cluster = cluster, .next = call.now + kAfterFailure}};
  }
  return change;
}

// A change that fails ends the transaction of all. Its service is left out of the turns that follow, so that the others
// are applied in the next one.
void apply_changes(Call& call, const std::vector<ServiceChange>& changes) {
  for (const ServiceChange& change : changes) {
    try {
      apply_change(call, change);
    } catch (const store::Error&) {
      throw;
    } catch (const std::exception& error) {
      base::log_error("service not changed", {{"service", change.arn}, {"error", error.what()}});
      call.local<ServiceQueue>().back_off(change.due.service, call.now + kAfterFailure);
      call.wake_if_failed(std::string(state::kServicesTopic));
      throw;
    }
  }
}

Decision look_at_services(Call& call) {
  ServiceQueue& queue = call.local<ServiceQueue>();
  std::vector<ServiceChange> changes;
  for (const ServiceQueue::Due& due : queue.due(call.now, kMaxServicesAtOnce)) {
    auto rows = read_service(call.tx, due.service);
    if (!rows) {
      queue.remove(due.service);
      continue;
    }
    ServiceChange change = look_at_service(call, due, std::move(*rows));
    if (change.writes) {
      changes.push_back(std::move(change));
    } else {
      queue.set_announced(due.service, change.announced);
      queue.done(due, change.outcome);
    }
  }
  Decision decision{.apply = {}, .next = queue.next(call.now)};
  // A machine that joins may not have room for all that wait. As at Amazon, a daemon's task is the first to start there.
  std::ranges::stable_partition(changes, &ServiceChange::daemon);
  if (!changes.empty()) {
    decision.apply = [changes = std::move(changes)](Call& write) { apply_changes(write, changes); };
  }
  return decision;
}

}  // namespace

Loop service_loop() {
  return {.name = "ecs services", .topic = std::string(state::kServicesTopic), .look = &look_at_services};
}

void recover_services(Call& call) {
  ServiceQueue& queue = call.local<ServiceQueue>();
  for (state::ServiceNumber service : state::list_living_services(call.tx)) queue.mark(service);
}

}  // namespace services::ecs
