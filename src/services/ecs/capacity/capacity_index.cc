// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/capacity/capacity_index.h"

#include "state/machine.h"

namespace services::ecs {

void watch_capacity(Call& call, state::ClusterNumber cluster) {
  CapacityIndex& index = call.local<CapacityIndex>();
  call.tx.on_end([&index, cluster](bool committed) {
    if (!committed) return;
    index.add(cluster);
    index.touch();
  });
  call.wake(std::string(kCapacityTopic));
  call.wake(kPublishTopic);
}

void mark_capacity(Call& call, state::ClusterNumber cluster) {
  CapacityIndex& index = call.local<CapacityIndex>();
  if (!index.has(cluster)) return;
  call.tx.on_end([&index](bool committed) {
    if (committed) index.touch();
  });
  call.wake(std::string(kCapacityTopic));
  call.wake(kPublishTopic);
}

void load_capacity(Call& call) {
  CapacityIndex& index = call.local<CapacityIndex>();
  const auto add = [&](const store::Row& row) { index.add(state::ClusterNumber(row.integer(0))); };
  call.tx.query("SELECT DISTINCT cluster FROM ecs_cluster_providers").each(add);
  call.tx.query("SELECT DISTINCT cluster FROM ecs_tasks WHERE known = 0").each(add);
  call.tx
      .query(
          "SELECT DISTINCT i.cluster FROM ecs_drains d JOIN ecs_instances i ON i.machine = d.instance"
          " WHERE i.status <> 'INACTIVE'")
      .each(add);
}

}  // namespace services::ecs
