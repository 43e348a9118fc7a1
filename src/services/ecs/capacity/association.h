// SPDX-License-Identifier: Apache-2.0
// Which capacity providers a cluster uses, and what was created in their Auto Scaling groups for that.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "services/ecs/capacity/provider.h"
#include "services/ecs/clusters/cluster.h"
#include "shapes/ecs/cluster.h"

namespace services::ecs {

struct Association {
  state::ClusterNumber cluster{};
  std::string provider;
  std::int64_t position = 0;  // in the cluster's list
  // The scaling policy, and the ids of both attachments, where managed scaling and draining are on.
  std::optional<std::string> policy = {}, policy_id = {}, hook_id = {};
};

// In the order of the cluster's list.
std::vector<Association> list_associations(store::Tx& tx, state::ClusterNumber cluster);
// The clusters that use a provider.
std::vector<state::Cluster> list_clusters_of(store::Tx& tx, const Provider& provider);

// The cluster's list from now on, with policies, tags and hooks. Throws InvalidParameterException for an unknown one,
// and ResourceInUseException where one that is used would be removed.
void set_providers(Call& call, const state::Cluster& cluster, const std::vector<std::string>& names);
// The provider has another configuration: what was created for it follows.
void adapt_associations(Call& call, const Provider& provider);

// Adds the list, and the attachments where the fields have them.
void show_providers(store::Tx& tx, const state::Cluster& cluster, bool attachments, shapes::ecs::Cluster& out);

}  // namespace services::ecs
