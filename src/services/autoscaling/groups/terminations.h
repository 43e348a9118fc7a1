// SPDX-License-Identifier: Apache-2.0
// The beginning of a termination.
#pragma once

#include <string>

#include "services/autoscaling/groups/activity.h"
#include "services/autoscaling/groups/group.h"
#include "services/autoscaling/groups/group_instances.h"
#include "services/call.h"

namespace services::autoscaling {

struct TerminationNote {
  std::string cause;    // sentences
  std::string message;  // the activity's status message; "": none
};

// The instance becomes Terminating, and its activity begins; an activity of its launch ends as cancelled. The caller
// saves the group; the loop continues.
Activity begin_termination(Call& call, const Group& group, GroupInstance& instance, const TerminationNote& note);

// The details of an activity: subnet and zone, and the alarms that caused it.
struct InstancePlace {
  std::string zone;
  std::string subnet;  // "": the group's subnet in that zone, if it has one
};
std::string activity_details(const Group& group, const InstancePlace& place, bool with_alarms);

}  // namespace services::autoscaling
