// SPDX-License-Identifier: Apache-2.0
// How many workers a backlog needs, as steps of a scaling policy, and which backlogs trigger that policy. Pure.
//
// An alarm runs its policy when it begins, and then once a minute while it lasts. So that a growing backlog is followed
// at once, there is an alarm for each doubling of the workers; all of them run one policy, which reads the backlog.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"

namespace services::pipelines {

struct ScalingStep {
  std::int64_t from = 0;  // the least backlog of the step; the last step has no upper bound
  int workers = 0;
};

struct ScalingTrigger {
  std::int64_t above = 0;  // the alarm begins with a larger backlog
  int workers = 0;         // that such a backlog needs at least
};

struct ScalingPlan {
  std::vector<ScalingStep> steps;        // empty where the number of workers is fixed
  std::vector<ScalingTrigger> triggers;
  int idle_period_s = 10, idle_periods = 1;  // of the alarm that ends the workers
};

struct ScalingSettings {
  int min = 0, max = 1, items_per_task = 1;
  base::Duration idle = {};
};

ScalingPlan plan_scaling(const ScalingSettings& settings);

// The workers that a backlog needs, within min and max.
int workers_for(const ScalingPlan& plan, std::int64_t backlog, int min);

}  // namespace services::pipelines
