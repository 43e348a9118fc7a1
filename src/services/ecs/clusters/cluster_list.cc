// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/clusters/cluster_list.h"

#include <map>

#include "services/ecs/arn.h"
#include "services/ecs/operations.h"
#include "services/ecs/page.h"
#include "state/cluster.h"

namespace services::ecs {

using namespace shapes::stoker;

StokerListClustersResponse stoker_list_clusters(Call& call, const StokerListClustersRequest& request) {
  const Page page = page_of(std::nullopt, request.nextToken);
  std::map<std::string, state::Cluster> clusters;  // by region and name
  std::vector<std::string> keys;
  for (state::Cluster& cluster : state::list_clusters(call.tx, call.caller.account)) {
    const std::string key = cluster.region + "/" + cluster.name;
    if (key > page.after) clusters.emplace(key, std::move(cluster));
  }
  for (const auto& [key, cluster] : clusters) keys.push_back(key);
  StokerListClustersResponse response;
  response.nextToken = cut_page(keys, page);
  for (const std::string& key : keys) {
    const state::Cluster& cluster = clusters.at(key);
    const state::ClusterContents contents = state::count_contents(call.tx, cluster.number);
    response.clusters.push_back({cluster_arn(cluster), cluster.name, cluster.region, contents.instances,
                                 contents.running_tasks, contents.pending_tasks, contents.active_services});
  }
  return response;
}

std::vector<Operation> cluster_list_operations() {
  return {operation<&stoker_list_clusters>("StokerListClusters", Access::Read)};
}

}  // namespace services::ecs
