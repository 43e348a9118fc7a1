// SPDX-License-Identifier: Apache-2.0
// Where a plan for a service grows: its bounds, its tasks with what counts of each, and the actions so far. The parts
// of the reconciler run one after the other on one board, and each sees what those before it have planned.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <tuple>
#include <vector>

#include "scheduler/reconcile.h"

namespace scheduler {

struct BoardTask {
  const ServiceTask* task = nullptr;
  bool primary = false;       // of the PRIMARY deployment
  bool trusted = false;       // of an older deployment that was completed, while the PRIMARY one is not
  bool healthy = false;       // RUNNING, and no health check or target says otherwise
  bool unhealthy = false;     // its health check or its targets failed after the grace period
  bool is_protected = false;  // from being stopped for a scale-in or a deployment
  bool leaving = false;       // its machine is DRAINING
  bool aside = false;         // a daemon's, on a machine that is neither suitable nor excluded
  bool going = false;         // its desired status is STOPPED, or the plan stops it

  bool running() const { return task->running; }
  // One of the desired tasks, or about to be.
  bool good() const { return primary && !unhealthy && !leaving && !aside; }
  // Keeps up the older deployment, once it is healthy.
  bool coming() const { return trusted && !healthy && !unhealthy && !leaving; }
  bool may_stop() const { return !is_protected || unhealthy; }
  base::Time started_at() const { return task->started_at.value_or(task->created_at); }
};

struct ServiceBoard {
  const ServiceView& view;
  base::Time now;
  const ServiceDeployment& primary;
  std::int32_t desired = 0, lower = 0, upper = 0;
  bool failed = false;                // the PRIMARY deployment, before or with this plan
  std::vector<BoardTask> tasks = {};  // by id
  ServicePlan plan = {};

  // Tasks that stay.
  template <class Predicate>
  std::int32_t count(Predicate matches) const {
    return static_cast<std::int32_t>(
        std::ranges::count_if(tasks, [&](const BoardTask& one) { return !one.going && std::invoke(matches, one); }));
  }
  std::int32_t total() const {
    return count([](const BoardTask&) { return true; });
  }
  std::int32_t healthy() const { return count(&BoardTask::healthy); }
  // Tasks whose desired status is STOPPED, by this plan or before it.
  std::int32_t going() const { return static_cast<std::int32_t>(tasks.size()) - total(); }
  const ServiceDeployment* find(std::int64_t deployment) const;
  bool idle() const { return plan.starts.empty() && plan.stops.empty(); }
};

// Smaller ranks are stopped first.
using StopRank = std::tuple<int, std::int64_t, bool>;

struct StopCandidate {
  BoardTask* task = nullptr;
  StopRank rank = {};
};

ServiceBoard lay_out(const ServiceView& view, base::Time now);

// The plan changes by itself then.
void look_again(ServiceBoard& board, base::Time at);
void stop_task(ServiceBoard& board, BoardTask& task, StopCause cause);
StopCause cause_to_stop(const BoardTask& task);
// By rank; of equal ones first in the zone with the most tasks of the service, then on the machine with the most, then
// the youngest.
void stop_by_rank(ServiceBoard& board, std::vector<StopCandidate> candidates, std::int32_t count);
// Protected tasks prevent `count` stops that the plan needs. The plan changes when a protection ends.
void report_protected(ServiceBoard& board, std::int32_t count);
// Whether tasks of it may be started now. If only its back-off forbids that, the plan changes when it ends.
bool may_launch(ServiceBoard& board, const ServiceDeployment& deployment);

// The parts, in the order in which they run.
void set_aside_daemon_tasks(ServiceBoard& board);
void judge_failures(ServiceBoard& board);
void plan_replicas(ServiceBoard& board);
void plan_daemon(ServiceBoard& board);
// Whether there is one task too many because of a rebalancing, which takes care of it.
bool finish_rebalancing(ServiceBoard& board);
void begin_rebalancing(ServiceBoard& board);
void judge_success(ServiceBoard& board);

}  // namespace scheduler
