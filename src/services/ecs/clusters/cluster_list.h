// SPDX-License-Identifier: Apache-2.0
// StokerListClusters: the clusters of an account in all regions, for a client that does not know where its machines are.
#pragma once

#include "services/call.h"
#include "shapes/stoker/cluster.h"

namespace services::ecs {

shapes::stoker::StokerListClustersResponse stoker_list_clusters(Call& call,
                                                                const shapes::stoker::StokerListClustersRequest& request);

}  // namespace services::ecs
