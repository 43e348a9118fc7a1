// SPDX-License-Identifier: Apache-2.0
// From the members of CreateAutoScalingGroup and UpdateAutoScalingGroup to a group's settings.
#pragma once

#include <string>
#include <vector>

#include "services/autoscaling/groups/group.h"
#include "services/call.h"

namespace services::autoscaling {

// Sets what the request has of settings; sizes, tags and hooks are the caller's. Throws ValidationError, by name for
// members that Stoker does not support.
void set_settings(Call& call, Group& group, const shapes::autoscaling::CreateAutoScalingGroupType& request);
void set_settings(Call& call, Group& group, const shapes::autoscaling::UpdateAutoScalingGroupType& request);

// Amazon's, in its order.
std::vector<std::string> termination_policy_types();

}  // namespace services::autoscaling
