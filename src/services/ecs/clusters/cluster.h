// SPDX-License-Identifier: Apache-2.0
// A cluster: its row, how requests name it, what is in it, and how it is shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/call.h"
#include "shapes/ecs/cluster.h"

namespace services::ecs {

inline constexpr std::string_view kDefaultCluster = "default";

// What most calls need of it.
struct StoredCluster {
  std::int64_t id = 0;
  std::string account, region, name;
  bool active = true;  // false: deleted, and still described

  std::string arn() const;
};

struct WholeCluster : StoredCluster {
  shapes::ecs::Cluster body;  // configuration, settings, tags

  // Not an aggregate: of one, g++ 12 destroys the base twice where making the body throws.
  WholeCluster(StoredCluster cluster, shapes::ecs::Cluster contents)
      : StoredCluster(std::move(cluster)), body(std::move(contents)) {}
};

// What a cluster holds, counted where it is kept. Services have no table yet, so there are none.
struct ClusterContents {
  std::int32_t instances = 0;  // ACTIVE and DRAINING
  std::int32_t running_tasks = 0, pending_tasks = 0;
  std::int32_t tasks = 0;  // all that have not stopped, PROVISIONING and DEPROVISIONING too
  std::int32_t active_services = 0, draining_services = 0;
};
ClusterContents contents_of(store::Tx& tx, const StoredCluster& cluster);

// The name that a request means by a short name or an ARN, "default" where it has none;
// nullopt for the ARN of another account's or region's cluster, or of something else.
std::optional<std::string> cluster_name(const Caller& caller, const std::optional<std::string>& text);
// The same for a call's member `cluster`; throws InvalidParameterException for what no cluster can be called.
std::optional<std::string> asked_cluster_name(const Caller& caller, const std::optional<std::string>& text);

std::optional<WholeCluster> load_cluster(Call& call, const std::string& name);
// Throw ClusterNotFoundException where there is none, or where it was deleted.
StoredCluster find_cluster(Call& call, const std::optional<std::string>& text);
WholeCluster find_whole_cluster(Call& call, const std::optional<std::string>& text);

void insert_cluster(Call& call, const WholeCluster& cluster);
void update_cluster_row(store::Tx& tx, const WholeCluster& cluster);

// What DescribeClusters is asked to include.
struct ClusterFields {
  bool attachments = false, configurations = false, settings = false, statistics = false, tags = false;
};
shapes::ecs::Cluster shown(const WholeCluster& cluster, const ClusterContents& contents, const ClusterFields& fields);

}  // namespace services::ecs
