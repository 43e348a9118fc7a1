// SPDX-License-Identifier: Apache-2.0
// Tags of groups.
#pragma once

#include <vector>

#include "services/autoscaling/groups/group.h"

namespace services::autoscaling {

// Adds them, or changes those that the group has. Throws ValidationError.
void add_tags(GroupSettings& settings, const std::vector<shapes::autoscaling::Tag>& tags);
shapes::autoscaling::TagDescription show_tag(const Group& group, const GroupTag& tag);

// The filters tag-key, tag-value and tag:<key>, and auto-scaling-group; all must match. Throws ValidationError for
// others.
// Throws for filters that DescribeAutoScalingGroups does not have.
void check_group_filters(const std::vector<shapes::autoscaling::Filter>& filters);
bool matches_tag_filters(const Group& group, const std::vector<shapes::autoscaling::Filter>& filters);

}  // namespace services::autoscaling
