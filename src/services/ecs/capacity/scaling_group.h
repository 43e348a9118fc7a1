// SPDX-License-Identifier: Apache-2.0
// What capacity providers do with their Auto Scaling groups, by Auto Scaling's public operations.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "services/ecs/capacity/provider.h"
#include "shapes/autoscaling/group.h"
#include "state/cluster.h"

namespace services::ecs {

inline constexpr std::string_view kDrainingHook = "ecs-managed-draining-termination-hook";  // Amazon's
inline constexpr std::string_view kReservationSpace = "AWS/ECS/ManagedScaling";
inline constexpr std::string_view kReservationMetric = "CapacityProviderReservation";

// A group of an account and region. Others act on its instances, too.
struct GroupName {
  std::string account, region, name;
};
inline GroupName group_of(const Provider& provider) { return {provider.account, provider.region, provider.group}; }

std::optional<shapes::autoscaling::AutoScalingGroup> find_group(Call& call, const GroupName& group);

// Target tracking on the provider's reservation in this cluster; replaces a policy of the same name.
void put_scaling_policy(Call& call, const state::Cluster& cluster, const Provider& provider, const std::string& policy);
void delete_scaling_policy(Call& call, const Provider& provider, const std::string& policy);

void put_draining_hook(Call& call, const Provider& provider);
void delete_draining_hook(Call& call, const Provider& provider);

// The tag that marks a group, and its instances, as managed by ECS.
void add_managed_tag(Call& call, const Provider& provider);
void delete_managed_tag(Call& call, const Provider& provider);

void set_protection(Call& call, const GroupName& group, const std::vector<std::string>& instances, bool is_protected);

// A lifecycle action of managed draining.
struct DrainingAction {
  GroupName group;
  std::string instance, hook, token;
};
void complete_action(Call& call, const DrainingAction& action);
void extend_action(Call& call, const DrainingAction& action);

}  // namespace services::ecs
