// SPDX-License-Identifier: Apache-2.0
// Metrics of EC2 instances and their Auto Scaling groups, from what the agents on them report. Pure.
#pragma once

#include <vector>

#include "services/ecs/metrics/cluster_metrics.h"

namespace services::ecs {

inline constexpr char kEc2Space[] = "AWS/EC2";

// The CPU that tasks use, of each instance and with a sample for each instance of a group; the utilization of GPUs, with a
// sample for each GPU of a group.
std::vector<Measurement> measure_instances(const SeenCluster& cluster, base::Time now);

}  // namespace services::ecs
