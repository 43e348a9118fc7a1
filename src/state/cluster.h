// SPDX-License-Identifier: Apache-2.0
// Clusters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "state/row_number.h"
#include "store/store.h"

namespace state {

// The tables of clusters, task definitions, machines, launches, tasks and services.
store::Migrations cluster_migrations();

struct Cluster {
  ClusterNumber number{};
  std::string account, region, name;
  bool active = true;  // false: deleted, and still described
};

struct ClusterKey {
  std::string_view account, region, name;
};
std::optional<Cluster> find_cluster(store::Tx& tx, const ClusterKey& key);
std::optional<Cluster> find_cluster(store::Tx& tx, ClusterNumber number);
// The names of active clusters after `key.name`, at most so many.
std::vector<std::string> list_clusters(store::Tx& tx, const ClusterKey& key, std::int64_t most);
// All active ones of an account, by region and name.
std::vector<Cluster> list_clusters(store::Tx& tx, std::string_view account);

// Configuration, settings and tags: a text that only its writer interprets. Most calls do not need it.
std::string cluster_body(store::Tx& tx, ClusterNumber number);
ClusterNumber insert_cluster(store::Tx& tx, const Cluster& cluster, const std::string& body, base::Time now);
void update_cluster(store::Tx& tx, const Cluster& cluster, const std::string& body);

// What a cluster contains at this moment.
struct ClusterContents {
  std::int32_t instances = 0;  // ACTIVE and DRAINING
  std::int32_t running_tasks = 0, pending_tasks = 0;
  std::int32_t tasks = 0;  // all that have not stopped, PROVISIONING and DEPROVISIONING too
  std::int32_t active_services = 0, draining_services = 0;
};
ClusterContents count_contents(store::Tx& tx, ClusterNumber number);

}  // namespace state
