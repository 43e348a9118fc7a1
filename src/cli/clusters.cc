// SPDX-License-Identifier: Apache-2.0
// stoker cluster create|list|delete
#include <ostream>

#include "cli/cluster_client.h"
#include "cli/json.h"
#include "cli/table.h"
#include "shapes/ecs/cluster.h"

namespace cli {

using namespace shapes::ecs;

int cluster_create(const Options& options, const std::string& name, std::ostream& out) {
  ClusterClient client(options);
  const auto created = client.call<CreateClusterResponse>("CreateCluster", CreateClusterRequest{.clusterName = name});
  if (options.json) {
    print_json(out, created);
  } else {
    out << "created cluster " << name << " in " << options.region << "; a machine joins it with the token of\n"
        << "`stoker token --cluster " << name << (options.region == "us-east-1" ? "" : " --region " + options.region) << "`\n";
  }
  return 0;
}

int cluster_delete(const Options& options, const std::string& name, std::ostream& out) {
  Options of_cluster = options;
  of_cluster.cluster = name;
  ClusterClient client(of_cluster);
  const auto deleted = client.call<DeleteClusterResponse>("DeleteCluster", DeleteClusterRequest{name});
  if (options.json) {
    print_json(out, deleted);
  } else {
    out << "deleted cluster " << name << " in " << options.region << '\n';
  }
  return 0;
}

int cluster_list(const Options& options, std::ostream& out) {
  ClusterClient client(options);
  const shapes::stoker::StokerListClustersResponse printed{client.clusters(), std::nullopt};
  if (options.json) {
    print_json(out, printed);
    return 0;
  }
  if (printed.clusters.empty()) {
    out << "no clusters: the first machine that joins creates one (see `stoker token`)\n";
    return 0;
  }
  Rows rows{{"CLUSTER", "REGION", "MACHINES", "RUNNING", "PENDING", "SERVICES"}};
  for (const auto& one : printed.clusters) {
    rows.push_back({one.name, one.region, std::to_string(one.machines), std::to_string(one.runningTasks),
                    std::to_string(one.pendingTasks), std::to_string(one.services)});
  }
  print_table(out, rows);
  return 0;
}

}  // namespace cli
