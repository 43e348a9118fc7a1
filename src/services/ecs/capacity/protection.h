// SPDX-License-Identifier: Apache-2.0
// Managed termination protection: instances with tasks are protected from scale-in, those with daemons only are not.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "services/call.h"
#include "services/ecs/capacity/scaling_group.h"
#include "state/cluster.h"

namespace services::ecs {

struct ProtectionChange {
  GroupName group;
  std::string instance;
  bool is_protected = false;
};
std::vector<ProtectionChange> find_protection_changes(Call& call, const state::Cluster& cluster);
void apply_protection_changes(Call& call, const std::vector<ProtectionChange>& changes);
// The instance is gone.
void forget_protection(store::Tx& tx, const std::string& instance);

// "service:logs": the groups of tasks of daemons.
std::set<std::string> groups_of_daemons(Call& call, state::ClusterNumber cluster);

}  // namespace services::ecs
