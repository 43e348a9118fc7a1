// SPDX-License-Identifier: Apache-2.0
#include "state/external_contents.h"

#include "state/task.h"

namespace state {

ExternalTasks count_external_tasks(store::Tx& tx, ClusterNumber cluster) {
  ExternalTasks tasks;
  tx.query(
        "SELECT t.known, count(*) FROM ecs_tasks t JOIN ecs_launches l ON l.id = t.id / 16"
        " WHERE t.cluster = $1 AND l.external = 1 GROUP BY t.known",
        cluster)
      .each([&](const store::Row& row) {
        const auto count = static_cast<std::int32_t>(row.integer(1));
        if (row.integer(0) == to_code(model::TaskStatus::Running)) tasks.running = count;
        const bool pending = row.integer(0) == to_code(model::TaskStatus::Pending) ||
                             row.integer(0) == to_code(model::TaskStatus::Provisioning);
        if (pending) tasks.pending += count;
      });
  return tasks;
}

std::vector<std::string> list_service_bodies(store::Tx& tx, ClusterNumber cluster, ServiceStatus status) {
  return tx
      .query("SELECT body FROM ecs_services WHERE cluster = $1 AND status = $2 AND inactive_at IS NULL ORDER BY id",
             cluster, text(status))
      .all([](const store::Row& row) { return row.str(0); });
}

}  // namespace state
