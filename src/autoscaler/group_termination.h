// SPDX-License-Identifier: Apache-2.0
// Which instances a group terminates on scale-in.
#pragma once

#include <cstddef>
#include <vector>

#include "autoscaler/group_plan.h"

namespace autoscaler {

// Up to `count` of `members`, all of which count as capacity. Each is chosen in turn: from the zones with the most
// instances, first those that are not in service yet, then by the group's termination policies, then those without
// tasks, then by id. Protected instances are never chosen.
std::vector<const GroupMember*> choose_terminations(const GroupState& group, std::vector<const GroupMember*> members,
                                                    std::size_t count, base::Time now);

}  // namespace autoscaler
