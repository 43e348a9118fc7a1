// SPDX-License-Identifier: Apache-2.0
// What is lost for now with a machine that has to go while it works.
#pragma once

#include <string>

#include "services/autoscaling/groups/group.h"
#include "services/call.h"

namespace services::autoscaling {

// For the activity that terminates the instance: that tasks run on it, and how many messages in flight they hold of which
// queues. Those come back when their visibility timeout ends.
std::string describe_work(Call& call, const Group& group, const std::string& instance);

}  // namespace services::autoscaling
