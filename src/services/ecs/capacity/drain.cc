// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/capacity/drain.h"

#include <algorithm>

#include "base/log.h"
#include "state/machine.h"
#include "state/task.h"
#include "wire/error.h"

namespace services::ecs {
namespace {

// A machine that has not joined, or has left, is empty.
bool is_empty(Call& call, const Drain& drain) {
  const GroupName& group = drain.action.group;
  const auto machines = state::list_machines_named(call.tx, group.account, group.region, drain.action.instance);
  return std::ranges::all_of(
      machines, [&](const state::Machine& machine) { return state::list_tasks_on(call.tx, machine.id).empty(); });
}

// The group may have given up: its hook timed out, or it was deleted.
template <class Change>
void try_to_notify(const Drain& drain, const Change& change) {
  try {
    change();
  } catch (const wire::ApiError& error) {
    base::log_warn("drain not reported", {{"instance", drain.action.instance}, {"error", error.message()}});
  }
}

}  // namespace

void insert_drain(store::Tx& tx, const Drain& drain) {
  const DrainingAction& action = drain.action;
  delete_drain(tx, action.instance);
  tx.exec(
      "INSERT INTO ecs_drains (instance, account, region, group_name, hook, token, started_at, extended_at)"
      " VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
      action.instance, action.group.account, action.group.region, action.group.name, action.hook, action.token,
      drain.started_at, drain.extended_at);
}

void delete_drain(store::Tx& tx, const std::string& instance) {
  tx.exec("DELETE FROM ecs_drains WHERE instance = $1", instance);
}

std::vector<Drain> list_drains(store::Tx& tx) {
  return tx
      .query(
          "SELECT instance, account, region, group_name, hook, token, started_at, extended_at FROM ecs_drains"
          " ORDER BY instance")
      .all([](const store::Row& row) {
        return Drain{.action = {{row.str(1), row.str(2), row.str(3)}, row.str(0), row.str(4), row.str(5)},
                     .started_at = row.time(6),
                     .extended_at = row.time(7)};
      });
}

DrainStep next_step(const Drain& drain, bool empty, base::Time now) {
  if (empty || now >= drain.started_at + kLongestDrain) return DrainStep::Complete;
  return now >= drain.extended_at + kExtendEvery ? DrainStep::Extend : DrainStep::None;
}

base::Time next_step_at(const Drain& drain) {
  return std::min(drain.started_at + kLongestDrain, drain.extended_at + kExtendEvery);
}

bool has_drain_steps(Call& call, const std::vector<Drain>& drains) {
  return std::ranges::any_of(
      drains, [&](const Drain& drain) { return next_step(drain, is_empty(call, drain), call.now) != DrainStep::None; });
}

void continue_drains(Call& call) {
  for (const Drain& drain : list_drains(call.tx)) {
    switch (next_step(drain, is_empty(call, drain), call.now)) {
      case DrainStep::None: break;
      case DrainStep::Extend:
        try_to_notify(drain, [&] { extend_action(call, drain.action); });
        call.tx.exec("UPDATE ecs_drains SET extended_at = $2 WHERE instance = $1", drain.action.instance, call.now);
        break;
      case DrainStep::Complete:
        // First: Auto Scaling may report the end of the instance at once.
        delete_drain(call.tx, drain.action.instance);
        try_to_notify(drain, [&] { complete_action(call, drain.action); });
        break;
    }
  }
}

}  // namespace services::ecs
