// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/tasks/sweep.h"

#include <fmt/format.h>

#include <algorithm>

#include "services/ecs/machines/instance.h"
#include "services/ecs/tasks/report.h"
#include "services/ecs/tasks/stop.h"
#include "state/launch.h"
#include "state/machine.h"
#include "state/service.h"
#include "state/task.h"

namespace services::ecs {
namespace {

constexpr std::int64_t kAtOnce = 1000;
constexpr base::Duration kIdempotentFor = std::chrono::hours(24);  // Amazon's, of a client token
// Clients wait for INACTIVE and must be able to see it. Amazon does not document how long it is shown.
constexpr base::Duration kInactiveServicesFor = std::chrono::hours(1);
constexpr base::Duration kBetweenSlices = std::chrono::milliseconds(20);
constexpr base::Duration kLongest = std::chrono::minutes(5);

void stop_tasks_of_lost_machines(Call& call, base::Duration lost_after) {
  for (const state::Machine& machine : state::list_lost(call.tx, call.now - lost_after, kAtOnce)) {
    const std::string reason =
        fmt::format("Host EC2 (instance {}) lost: its agent has not been connected for {} seconds.", machine.name,
                    std::chrono::duration_cast<std::chrono::seconds>(lost_after).count());
    for (state::Task& task : state::list_tasks_on(call.tx, machine.id)) {
      stop_now(call, task, model::StopCode::TerminationNotice, reason);
    }
  }
}

void delete_old(Call& call) {
  const auto ended = state::delete_stopped(call.tx, {call.now - kStoppedFor, call.now + kStoppedFor, kAtOnce});
  state::delete_unused_launches(call.tx, ended);
  state::delete_unused_launches(call.tx, state::end_client_tokens(call.tx, call.now - kIdempotentFor, kAtOnce));
  state::delete_departed(call.tx, call.now - kInactiveFor);
  state::delete_old_services(call.tx, call.now - kInactiveServicesFor);
}

// When the next row is to be swept; not after `now` where one is due.
base::Time next_due(store::Tx& tx, base::Time now, base::Duration lost_after) {
  base::Time next = now + kLongest;
  if (const auto since = state::first_disconnected(tx)) next = std::min(next, *since + lost_after);
  // The end of a task or a service wakes nobody, because it is not due within kLongest.
  static_assert(kStoppedFor > kLongest && kInactiveServicesFor > kLongest);
  if (const auto stopped = state::first_stopped(tx)) {
    const bool clock_was_set_back = *stopped > now + kStoppedFor;
    next = std::min(next, clock_was_set_back ? now : *stopped + kStoppedFor);
  }
  if (const auto launched = state::first_client_token(tx)) next = std::min(next, *launched + kIdempotentFor);
  if (const auto left = state::first_departed(tx)) next = std::min(next, *left + kInactiveFor);
  if (const auto inactive = state::first_inactive_service(tx)) next = std::min(next, *inactive + kInactiveServicesFor);
  return next;
}

}  // namespace

Loop sweep_loop(base::Duration lost_after) {
  Loop loop{"ecs sweep", std::string(state::kTaskSweepTopic), {}};
  loop.look = [lost_after](Call& call) {
    Decision decision;
    decision.next = next_due(call.tx, call.now, lost_after);
    if (*decision.next > call.now) return decision;
    // What is due is read again then: it may have changed. One slice may not be all of it.
    decision.apply = [lost_after](Call& writing) { sweep_tasks(writing, lost_after); };
    decision.next = call.now + kBetweenSlices;
    return decision;
  };
  return loop;
}

void sweep_tasks(Call& call, base::Duration lost_after) {
  stop_tasks_of_lost_machines(call, lost_after);
  delete_old(call);
}

}  // namespace services::ecs
