// SPDX-License-Identifier: Apache-2.0
// Machines that leave: deregistered or replaced.
#pragma once

#include <optional>

#include "services/ecs/machines/instance.h"

namespace services::ecs {

// INACTIVE from now on: its tasks are STOPPED for this reason, its GPUs are free to register, and its agent is
// notified now or when it connects again.
void deregister(Call& call, StoredInstance& instance, const std::string& reason);

// At start, when no agent has a session. The time without a server does not count: every machine has all of its
// time to come back.
void disconnect_all(store::Tx& tx, base::Time now);

}  // namespace services::ecs
