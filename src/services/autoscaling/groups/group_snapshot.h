// SPDX-License-Identifier: Apache-2.0
// A group and its instances as the planner sees them.
#pragma once

#include <optional>

#include "autoscaler/group_plan.h"
#include "services/autoscaling/groups/group.h"
#include "services/call.h"

namespace services::autoscaling {

// EC2 checks instances once a minute; what it finds changes with time alone. A group whose checks all passed is checked
// again later.
inline constexpr base::Duration kStatusCheckInterval = std::chrono::minutes(1);
inline constexpr base::Duration kPassedCheckInterval = std::chrono::minutes(5);

struct GroupSnapshot {
  autoscaler::GroupState state;
  std::optional<base::Time> check_at;  // when EC2's checks are due again
};

GroupSnapshot read_snapshot(Call& call, const Group& group);

}  // namespace services::autoscaling
