// SPDX-License-Identifier: Apache-2.0
// The value of Module::measure: reads clusters that have machines, and computes their metrics.
#pragma once

#include <vector>

#include "services/measurement.h"
#include "services/ecs/metrics/cluster_metrics.h"
#include "state/cluster.h"

namespace services::ecs {

Measured measure(Call& call, const Due& due);

// What is known of a cluster at this moment: from memory, and from the database which families its tasks are of.
SeenCluster see_cluster(Call& call, const state::Cluster& cluster);

}  // namespace services::ecs
