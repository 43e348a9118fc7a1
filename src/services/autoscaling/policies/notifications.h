// SPDX-License-Identifier: Apache-2.0
// Notifications about launches and terminations of a group, sent to SQS queues: Stoker has no SNS.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "services/autoscaling/groups/activity.h"
#include "services/autoscaling/groups/group.h"
#include "services/call.h"
#include "services/operation.h"

namespace services::autoscaling {

// Sends `event` ("autoscaling:EC2_INSTANCE_LAUNCH") to the queues that are configured for it. A queue that rejects the
// message changes nothing: the activity has ended anyway.
void notify(Call& call, const Group& group, const Activity& activity, std::string_view event);

// The message, in Amazon's members.
std::string activity_message(const Group& group, const Activity& activity, std::string_view event, base::Time now);

void delete_notifications(store::Tx& tx, std::int64_t group);

std::vector<Operation> notification_operations();

}  // namespace services::autoscaling
