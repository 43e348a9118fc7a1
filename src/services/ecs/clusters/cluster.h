// SPDX-License-Identifier: Apache-2.0
// Clusters: how requests name them, and how they are shown.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "services/call.h"
#include "shapes/ecs/cluster.h"
#include "state/cluster.h"

namespace services::ecs {

inline constexpr std::string_view kDefaultCluster = "default";

// A cluster with its configuration, settings and tags, which most calls do not need.
struct WholeCluster : state::Cluster {
  shapes::ecs::Cluster body;

  // Not an aggregate: g++ 12 destroys the base of an aggregate twice where making the body throws.
  WholeCluster(state::Cluster cluster, shapes::ecs::Cluster contents)
      : state::Cluster(std::move(cluster)), body(std::move(contents)) {}
};

// The name that a request means by a short name or an ARN, "default" where it has none; nullopt for the
// ARN of another account's or region's cluster, or of something else.
std::optional<std::string> cluster_name(const Caller& caller, const std::optional<std::string>& text);
// The same for the member `cluster` of a request; throws InvalidParameterException for an invalid name.
std::optional<std::string> requested_cluster_name(const Caller& caller, const std::optional<std::string>& text);

std::optional<WholeCluster> load_cluster(Call& call, const std::string& name);
// Throw ClusterNotFoundException where it does not exist or was deleted.
state::Cluster find_cluster(Call& call, const std::optional<std::string>& text);
WholeCluster find_whole_cluster(Call& call, const std::optional<std::string>& text);

state::ClusterNumber insert_cluster(Call& call, const WholeCluster& cluster);
void update_cluster_row(store::Tx& tx, const WholeCluster& cluster);

// What DescribeClusters may include.
struct ClusterFields {
  bool attachments = false, configurations = false, settings = false, statistics = false, tags = false;
};
shapes::ecs::Cluster shown(store::Tx& tx, const WholeCluster& cluster, const state::ClusterContents& contents,
                           const ClusterFields& fields);

}  // namespace services::ecs
