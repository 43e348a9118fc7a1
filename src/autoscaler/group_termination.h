// SPDX-License-Identifier: Apache-2.0
// Which instances a group terminates on scale-in.
#pragma once

#include <cstdint>
#include <vector>

#include "autoscaler/group_plan.h"

namespace autoscaler {

// From scale-in.
bool is_protected(const GroupMember& member);

// Of `members`, all of which count as capacity, as many as have `surplus` units together, or just less: for a plan, and
// one more if there are more than a plan takes. Each is chosen in turn: from the zones with the most instances, first
// those that are not in service yet, then by the group's termination policies, then those without tasks, then by id.
// Protected instances are never chosen.
std::vector<const GroupMember*> choose_terminations(const GroupState& group,
                                                    const std::vector<const GroupMember*>& members,
                                                    std::int32_t surplus, base::Time now);

}  // namespace autoscaler
