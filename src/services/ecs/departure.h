// SPDX-License-Identifier: Apache-2.0
// Machines that leave: deregistered by somebody, replaced, or lost.
#pragma once

#include <optional>

#include "services/ecs/instance.h"

namespace services::ecs {

// INACTIVE from now on: its tasks are STOPPED for this reason, its GPUs are nobody's, its agent is
// told at once if it is there, and else when it comes back.
void deregister(Call& call, StoredInstance& instance, const std::string& reason);

// How long a machine may be away before its tasks are given up. Longer than the hour that an agent
// is to survive without its server: nothing is gained by giving up what goes on over there.
inline constexpr base::Duration kDefaultLostAfter = std::chrono::minutes(65);

// One turn of the loop at kTaskSweepTopic: the tasks of lost machines are STOPPED, what stopped an
// hour ago is forgotten. Answers when the next is due.
std::optional<base::Time> sweep_tasks(Call& call, base::Duration lost_after);

// At start: nobody has a session. The time in which there was no server is not held against a
// machine: each has all of its time to come back.
void disconnect_all(store::Tx& tx, base::Time now);

}  // namespace services::ecs
