// SPDX-License-Identifier: Apache-2.0
// Machines that leave: deregistered by somebody, replaced, or lost.
#pragma once

#include <optional>

#include "services/ecs/machines/instance.h"

namespace services::ecs {

// INACTIVE from now on: its tasks are STOPPED for this reason, its GPUs are nobody's, its agent is
// told at once if it is there, and else when it comes back.
void deregister(Call& call, StoredInstance& instance, const std::string& reason);

// At start: nobody has a session. The time in which there was no server is not held against a
// machine: each has all of its time to come back.
void disconnect_all(store::Tx& tx, base::Time now);

}  // namespace services::ecs
