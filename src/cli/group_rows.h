// SPDX-License-Identifier: Apache-2.0
// Auto Scaling groups as text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "shapes/autoscaling/activity.h"
#include "shapes/autoscaling/group.h"

namespace cli {

struct GroupCounts {
  int in_service = 0, pending = 0, terminating = 0;
};
GroupCounts count_instances(const shapes::autoscaling::AutoScalingGroup& group);

// "launch 5 min", "failed 2 min"; "-" without one.
std::string brief_activity(const std::optional<shapes::autoscaling::Activity>& activity, base::Time now);
std::vector<std::string> group_row(const shapes::autoscaling::AutoScalingGroup& group,
                                   const std::optional<shapes::autoscaling::Activity>& last, base::Time now);

// "launch template gpu ($Default)"
std::string launch_source(const shapes::autoscaling::AutoScalingGroup& group);
// "gpu: 2 desired (0 to 4); 1 in service, 1 pending"
std::string group_sizes(const shapes::autoscaling::AutoScalingGroup& group);

}  // namespace cli
