// SPDX-License-Identifier: Apache-2.0
// What decides about a group's capacity calls these; the loop does the rest.
#pragma once

#include <cstdint>
#include <string>

#include "services/autoscaling/groups/group.h"
#include "services/call.h"

namespace services::autoscaling {

// Writes the desired capacity, which must be within min and max, and has the loop look at the group. `cause` is the
// first part of the sentence that the next activities carry, without its time: "a user request executed policy p",
// which becomes "At <now> a user request executed policy p changing the desired capacity from 7 to 8.".
// `invoking_alarms` is the JSON array InvokingAlarms of their details. Nothing happens where it is the present
// capacity.
void set_desired(Call& call, Group& group, std::int32_t desired, const std::string& cause,
                 const std::string& invoking_alarms = "");

// Terminates an instance, through its hooks, and launches another in its place. `cause` is a sentence without its time:
// "an instance was taken out of service in response to an instance refresh". Nothing happens where the instance is
// terminating already. Throws where it is not of the group.
void replace_instance(Call& call, Group& group, const std::string& instance_id, const std::string& cause);

// Whether a simple policy, or a request that honours the cooldown, has to wait: an activity is in progress, or the
// cooldown since the last one has not passed.
bool is_cooling_down(Call& call, const Group& group, base::Duration cooldown);

}  // namespace services::autoscaling
