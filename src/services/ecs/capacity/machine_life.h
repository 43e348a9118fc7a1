// SPDX-License-Identifier: Apache-2.0
// Machines that are EC2 instances of Auto Scaling groups: what they are when they join, and how they leave.
#pragma once

#include "services/ecs/clusters/cluster.h"
#include "services/ecs/machines/instance.h"
#include "shapes/stoker/machine.h"

namespace services::ecs {

// Of an EC2 instance: sets its capacity provider, where its group is one of the cluster's, and notifies EC2.
void join_provider(Call& call, const state::Cluster& cluster, StoredInstance& instance);

// Internal operations. Both ignore instances that have not joined a cluster.
void machine_terminating(Call& call, const shapes::stoker::MachineTerminating& message);
void machine_terminated(Call& call, const shapes::stoker::MachineTerminated& message);

}  // namespace services::ecs
