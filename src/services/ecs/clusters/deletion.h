// SPDX-License-Identifier: Apache-2.0
// When a cluster may not be deleted.
#pragma once

#include "services/ecs/clusters/cluster.h"

namespace services::ecs {

// Throws ClusterContainsContainerInstancesException, ClusterContainsServicesException or
// ClusterContainsTasksException.
void check_deletable(const state::ClusterContents& contents);

}  // namespace services::ecs
