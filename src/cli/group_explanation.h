// SPDX-License-Identifier: Apache-2.0
// Why a group has its size, what it waits for, and when its policies can act, as sentences.
#pragma once

#include <string>
#include <vector>

#include "base/time.h"
#include "shapes/application_autoscaling/activity.h"
#include "shapes/application_autoscaling/policy.h"
#include "shapes/application_autoscaling/scalable_target.h"
#include "shapes/autoscaling/activity.h"
#include "shapes/autoscaling/group.h"
#include "shapes/autoscaling/policy.h"
#include "shapes/stoker/group_waits.h"

namespace cli {

struct GroupFacts {
  shapes::autoscaling::AutoScalingGroup group;
  shapes::stoker::StokerListGroupWaitsResponse waits;
  std::vector<shapes::autoscaling::Activity> activities;  // in progress first, then the newest first
};

std::vector<std::string> group_sentences(const GroupFacts& facts, base::Time now);

// When the policy can act next.
std::vector<std::string> next_action(const shapes::autoscaling::ScalingPolicy& policy, const GroupFacts& facts,
                                     base::Time now);

struct TargetFacts {
  std::optional<shapes::application_autoscaling::ScalableTarget> target;
  std::vector<shapes::application_autoscaling::ScalingActivity> activities;  // the newest first
};
std::vector<std::string> next_action(const shapes::application_autoscaling::ScalingPolicy& policy,
                                     const TargetFacts& facts, base::Time now);

}  // namespace cli
