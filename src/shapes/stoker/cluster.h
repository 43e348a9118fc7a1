// SPDX-License-Identifier: Apache-2.0
// StokerListClusters, an operation of our own beside ECS's: the clusters of an account in all regions. Spoken by the
// `stoker` command only.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wire/traits.h"

namespace shapes::stoker {

struct StokerListClustersRequest {
  std::optional<std::string> nextToken;
};
BOOST_DESCRIBE_STRUCT(StokerListClustersRequest, (), (nextToken))

struct StokerCluster {
  std::string clusterArn;
  std::string name;
  std::string region;
  std::int32_t machines = 0;
  std::int32_t runningTasks = 0;
  std::int32_t pendingTasks = 0;
  std::int32_t services = 0;
};
BOOST_DESCRIBE_STRUCT(StokerCluster, (), (clusterArn, name, region, machines, runningTasks, pendingTasks, services))

struct StokerListClustersResponse {
  std::vector<StokerCluster> clusters;  // by region and name
  std::optional<std::string> nextToken;
};
BOOST_DESCRIBE_STRUCT(StokerListClustersResponse, (), (clusters, nextToken))

}  // namespace shapes::stoker
