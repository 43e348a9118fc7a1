// SPDX-License-Identifier: Apache-2.0
// A machine's key acts for one container instance, the one that it registered, and no other key acts for that one.
// Instances that an ordinary key registered are open to the ordinary keys of their account, as at Amazon.
#pragma once

#include <optional>
#include <string>

#include "services/ecs/machines/instance.h"
#include "shapes/ecs/cluster.h"

namespace services::ecs {

// Throws AccessDeniedException where the caller does not act for this machine: one whose key is `machine_key`.
void check_own_machine(const Caller& caller, const std::optional<std::string>& machine_key);
inline void check_own_machine(const Caller& caller, const state::Machine& machine) {
  check_own_machine(caller, machine.machine_key);
}

// Before a new instance is stored: makes it that of the caller, if that is a machine. An instance that the same key
// registered before is deregistered: its agent has lost its state. Throws AccessDeniedException where the key may not
// register this cluster or name, the id of an EC2 instance among them, and where its instance is connected.
void bind_machine(Call& call, const state::Cluster& cluster, StoredInstance& instance);

// Agents create the cluster `default`, as Amazon's agent does. Throws AccessDeniedException for anything else that a
// machine's key wants to create.
void check_machine_cluster(Call& call, const shapes::ecs::CreateClusterRequest& request, const std::string& name);
// After a cluster was created: the key of a machine is for that one from now on. Otherwise it could create one in each of
// any number of regions.
void bind_to_cluster(Call& call, const std::string& name);

}  // namespace services::ecs
