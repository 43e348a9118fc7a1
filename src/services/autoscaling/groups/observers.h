// SPDX-License-Identifier: Apache-2.0
// Parts of Auto Scaling that follow what happens to groups. In Locals: the module adds their functions before the
// server listens. Each runs in the transaction of the change.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "services/autoscaling/groups/activity.h"
#include "services/autoscaling/groups/group.h"

namespace services::autoscaling {

struct GroupObservers {
  // The end of a launch or a termination: "autoscaling:EC2_INSTANCE_LAUNCH", "..._LAUNCH_ERROR", "..._TERMINATE",
  // "..._TERMINATE_ERROR".
  std::vector<std::function<void(Call&, const Group&, const Activity&, std::string_view event)>> notifications;
  // The group's row is about to be deleted: what belongs to it has to go.
  std::vector<std::function<void(Call&, const Group&)>> deletions;
};

}  // namespace services::autoscaling
