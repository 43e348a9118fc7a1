// SPDX-License-Identifier: Apache-2.0
// Operations on clusters.
#pragma once

#include "services/call.h"
#include "shapes/ecs/cluster.h"

namespace services::ecs {

using namespace shapes::ecs;

CreateClusterResponse create_cluster(Call& call, const CreateClusterRequest& request);
DescribeClustersResponse describe_clusters(Call& call, const DescribeClustersRequest& request);
ListClustersResponse list_clusters(Call& call, const ListClustersRequest& request);
DeleteClusterResponse delete_cluster(Call& call, const DeleteClusterRequest& request);
UpdateClusterResponse update_cluster(Call& call, const UpdateClusterRequest& request);
UpdateClusterSettingsResponse update_cluster_settings(Call& call, const UpdateClusterSettingsRequest& request);
PutClusterCapacityProvidersResponse put_cluster_capacity_providers(Call& call,
                                                                   const PutClusterCapacityProvidersRequest& request);

}  // namespace services::ecs
