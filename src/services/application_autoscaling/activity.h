// SPDX-License-Identifier: Apache-2.0
// Scaling activities: what was changed and why, and why nothing was.
#pragma once

#include <cstdint>
#include <string>

#include "services/application_autoscaling/scalable_target.h"
#include "services/call.h"
#include "shapes/application_autoscaling/activity.h"

namespace services::application_autoscaling {

// Changes the service's desired count and records that. The activity lasts until the tasks run. Its row number, or 0
// where ECS rejected the change: then the activity has failed.
std::int64_t scale_service(Call& call, const StoredTarget& target, int desired, const std::string& cause);

// Moves the desired count into the target's bounds.
void enforce_bounds(Call& call, const StoredTarget& target);

// Records that an alarm changed nothing; once for equal reasons in a row.
void record_not_scaled(Call& call, const StoredTarget& target, const std::string& cause,
                       const shapes::application_autoscaling::NotScaledReason& reason);

// Records what a scheduled action did to the bounds.
struct BoundsChange {
  std::string action;  // its name
  std::optional<int> min = {}, max = {};
  bool valid = true;
};
void record_bounds(Call& call, const StoredTarget& target, const BoundsChange& change);

}  // namespace services::application_autoscaling
