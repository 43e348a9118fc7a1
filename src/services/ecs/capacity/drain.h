// SPDX-License-Identifier: Apache-2.0
// Managed draining: a group waits with the termination of an instance until its tasks have left. A drain is a row, so
// that it continues after a restart.
#pragma once

#include <optional>
#include <vector>

#include "base/time.h"
#include "services/ecs/capacity/scaling_group.h"
#include "store/store.h"

namespace services::ecs {

inline constexpr base::Duration kLongestDrain = std::chrono::hours(48);   // Amazon's
inline constexpr base::Duration kExtendEvery = std::chrono::minutes(30);  // half of the hook's heartbeat timeout

struct Drain {
  DrainingAction action;
  base::Time started_at, extended_at;
};

void insert_drain(store::Tx& tx, const Drain& drain);  // replaces an older one of the instance
void delete_drain(store::Tx& tx, const std::string& instance);
std::vector<Drain> list_drains(store::Tx& tx);

// What is to be done for a drain at this moment: no task is left, or its time is over.
enum class DrainStep { None, Extend, Complete };
DrainStep next_step(const Drain& drain, bool empty, base::Time now);
// When time alone leads to the next step.
base::Time next_step_at(const Drain& drain);

// On a snapshot: the drains with something to do.
bool has_drain_steps(Call& call, const std::vector<Drain>& drains);
// In a transaction.
void continue_drains(Call& call);

}  // namespace services::ecs
