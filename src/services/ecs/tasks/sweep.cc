// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/tasks/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "services/ecs/machines/instance.h"
#include "services/ecs/tasks/task_row.h"

namespace services::ecs {
namespace {

constexpr std::int64_t kAtOnce = 1000;
constexpr base::Duration kIdempotentFor = std::chrono::hours(24);  // Amazon's, of a client token
constexpr base::Duration kBetweenSlices = std::chrono::milliseconds(20);
constexpr base::Duration kLongest = std::chrono::minutes(5);

std::string lost_reason(const StoredInstance& instance, base::Duration lost_after) {
  return fmt::format("Host EC2 (instance {}) lost: its agent has not been heard of for {} seconds.", instance.machine,
                     std::chrono::duration_cast<std::chrono::seconds>(lost_after).count());
}

// The machines that have been away for too long and still have tasks.
void give_up_lost(Call& call, base::Duration lost_after) {
  auto ids = call.tx
                 .query(
                     "SELECT i.id FROM ecs_instances i WHERE i.connected = 0 AND i.connected_at <= $1"
                     " AND EXISTS (SELECT 1 FROM ecs_tasks t WHERE t.instance = i.number)"
                     " ORDER BY i.id LIMIT $2",
                     call.now - lost_after, kAtOnce)
                 .all([](const store::Row& row) { return row.str(0); });
  for (const std::string& id : ids) {
    const auto instance = load_instance(call.tx, id);
    for (StoredTask& task : load_tasks_on(call.tx, id)) {
      stop_now(call, task, model::StopCode::TerminationNotice, lost_reason(*instance, lost_after));
    }
  }
}

// Each launch is looked at when its last task goes or its token ends, and at no other time: there
// may be very many.
void forget_launches(Call& call, const std::vector<std::int64_t>& ids) {
  for (std::int64_t id : ids) {
    const std::int64_t gone = call.tx.exec(
        "DELETE FROM ecs_launches WHERE id = $1 AND client_token IS NULL"
        " AND NOT EXISTS (SELECT 1 FROM ecs_tasks WHERE id >= $2 AND id < $3)"
        " AND NOT EXISTS (SELECT 1 FROM ecs_stopped_tasks WHERE task >= $2 AND task < $3)",
        id, id * kNumbersOfALaunch, (id + 1) * kNumbersOfALaunch);
    if (gone > 0) call.tx.exec("DELETE FROM ecs_holds WHERE launch = $1", id);
  }
}

void forget_old(Call& call) {
  auto id = [](const store::Row& row) { return row.integer(0); };
  // Only the first are looked at: those behind them stopped later. Unless the clock has been set back since: what
  // stopped long after now would keep them from going.
  const auto tasks = call.tx
                         .query(
                             "DELETE FROM ecs_stopped_tasks WHERE id IN (SELECT id FROM (SELECT id, stopped_at"
                             " FROM ecs_stopped_tasks ORDER BY id LIMIT $3) AS first_ones"
                             " WHERE stopped_at <= $1 OR stopped_at > $2) RETURNING task",
                             call.now - kStoppedFor, call.now + kStoppedFor, kAtOnce)
                         .all(id);
  std::set<std::int64_t> launches;
  for (std::int64_t task : tasks) launches.insert(task / kNumbersOfALaunch);
  forget_launches(call, {launches.begin(), launches.end()});
  forget_launches(call, call.tx
                            .query(
                                "UPDATE ecs_launches SET client_token = NULL WHERE id IN (SELECT id FROM ecs_launches"
                                " WHERE client_token IS NOT NULL AND created_at <= $1 ORDER BY created_at LIMIT $2)"
                                " RETURNING id",
                                call.now - kIdempotentFor, kAtOnce)
                            .all(id));
  // Its tasks stopped before it did, at the latest with it: they go first.
  call.tx.exec(
      "DELETE FROM ecs_instances WHERE inactive_at IS NOT NULL AND inactive_at <= $1"
      " AND NOT EXISTS (SELECT 1 FROM (SELECT stopped_at FROM ecs_stopped_tasks ORDER BY id LIMIT 1) AS oldest"
      " WHERE oldest.stopped_at <= ecs_instances.inactive_at)",
      call.now - kInactiveFor);
}

std::optional<base::Time> earliest(store::Tx& tx, std::string_view sql) {
  auto found = tx.query(sql).one([](const store::Row& row) { return row.maybe_time(0); });
  return found ? *found : std::nullopt;
}

// When the first row is to be swept; in the past where one is due.
base::Time next_due(store::Tx& tx, base::Time now, base::Duration lost_after) {
  base::Time next = now + kLongest;
  const auto gone = earliest(tx,
                             "SELECT min(i.connected_at) FROM ecs_instances i WHERE i.connected = 0 AND EXISTS"
                             " (SELECT 1 FROM ecs_tasks t WHERE t.instance = i.number)");
  if (gone) next = std::min(next, *gone + lost_after);
  // A stop wakes nobody: it is not due before kLongest.
  static_assert(kStoppedFor > kLongest);
  const auto stopped = earliest(tx, "SELECT stopped_at FROM ecs_stopped_tasks ORDER BY id LIMIT 1");
  if (stopped) next = std::min(next, *stopped > now + kStoppedFor ? now : *stopped + kStoppedFor);
  const auto launched = earliest(tx, "SELECT min(created_at) FROM ecs_launches WHERE client_token IS NOT NULL");
  if (launched) next = std::min(next, *launched + kIdempotentFor);
  const auto left = earliest(tx, "SELECT min(inactive_at) FROM ecs_instances WHERE inactive_at IS NOT NULL");
  if (left) next = std::min(next, *left + kInactiveFor);
  return next;
}

}  // namespace

Loop sweep_loop(base::Duration lost_after) {
  return {"ecs sweep", std::string(kTaskSweepTopic), [lost_after](Call& call) {
            const base::Time due = next_due(call.tx, call.now, lost_after);
            if (due > call.now) return Decision{.next = due};
            // What is due is looked up again: it may have changed, and one slice may not be all of it.
            return Decision{.apply = [lost_after](Call& writing) { sweep_tasks(writing, lost_after); },
                            .next = call.now + kBetweenSlices};
          }};
}

std::optional<base::Time> sweep_tasks(Call& call, base::Duration lost_after) {
  give_up_lost(call, lost_after);
  forget_old(call);
  return std::max(next_due(call.tx, call.now, lost_after), call.now + kBetweenSlices);
}

}  // namespace services::ecs
