// SPDX-License-Identifier: Apache-2.0
// Why a task of a service can't start now, beyond what Amazon reports: which machine, which GPU, which task holds it,
// and which setting would change that.
#pragma once

#include <string>

#include "services/ecs/reconciliation/service_placement.h"
#include "services/ecs/reconciliation/service_snapshot.h"

namespace services::ecs {

struct BlockedStart {
  bool progresses = false;  // tasks of the service stop and make room, or will when new ones are healthy
  std::string text = {};    // "" where Amazon's event says it all
};

// Of a trial with a refusal.
BlockedStart explain_blocked(Call& call, const ServiceSnapshot& snapshot, const Trial& trial);

}  // namespace services::ecs
