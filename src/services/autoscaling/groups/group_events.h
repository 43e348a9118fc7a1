// SPDX-License-Identifier: Apache-2.0
// Who a group is to other services, and its events for EventBridge, published in the transaction of the change.
#pragma once

#include <string>
#include <string_view>

#include "services/autoscaling/groups/activity.h"
#include "services/autoscaling/groups/group.h"
#include "services/call.h"

namespace services::autoscaling {

// autoscaling.amazonaws.com, on behalf of the group.
Caller group_principal(const Call& call, const Group& group);

// Of source aws.autoscaling; its resources are the group and the instance, its detail is an object. Costs one lookup
// where no rule is enabled.
void publish_group_event(Call& call, const Group& group, std::string_view detail_type, const std::string& instance,
                         const std::string& detail_json);

// "EC2 Instance Launch Successful" and such, to EventBridge and to the observers: the end of a launch or a termination.
void announce_end(Call& call, const Group& group, const Activity& activity);

}  // namespace services::autoscaling
