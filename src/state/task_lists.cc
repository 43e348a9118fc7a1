// SPDX-License-Identifier: Apache-2.0
// Lists and counts of tasks over whole clusters, and their access keys.
#include "state/service.h"
#include "state/task.h"

namespace state {
namespace {

std::string tasks_of(TaskFilter::Kind kind) {
  switch (kind) {
    case TaskFilter::Kind::Running:
      return "SELECT id AS number, secret, instance FROM ecs_tasks"
             " WHERE cluster = $1 AND id > $2 AND stopping_at IS NULL";
    case TaskFilter::Kind::Stopping:
      return "SELECT id AS number, secret, instance FROM ecs_tasks"
             " WHERE cluster = $1 AND id > $2 AND stopping_at IS NOT NULL";
    case TaskFilter::Kind::Stopped:
      break;
  }
  return "SELECT task AS number, secret, instance FROM ecs_stopped_tasks WHERE cluster = $1 AND task > $2";
}

}  // namespace

std::vector<TaskName> list_task_names(store::Tx& tx, const TaskFilter& filter) {
  // The tasks of a service are found by its launches, which are few.
  const std::string by_service = filter.service
                                     ? " AND l.service = $6 AND t.number >= l.id * 16 AND t.number < l.id * 16 + 16"
                                     : " AND (l.service = $6 OR $6 IS NULL)";
  return tx
      .query("SELECT t.number, t.secret FROM (" + tasks_of(filter.kind) +
                 ") AS t JOIN ecs_launches l ON l.id = t.number / 16"
                 " JOIN ecs_task_definitions d ON d.id = l.definition WHERE (t.instance = $3 OR $3 IS NULL)"
                 " AND (l.started_by = $4 OR $4 IS NULL) AND (d.family = $5 OR $5 IS NULL)" +
                 by_service + " AND (l.external = $8 OR $8 IS NULL) ORDER BY t.number LIMIT $7",
             filter.cluster, filter.after, filter.machine_number, filter.started_by, filter.family, filter.service,
             filter.most, filter.external)
      .all([](const store::Row& row) { return TaskName{row.integer(0), row.integer(1)}; });
}

MachineWork work_on(store::Tx& tx, std::int64_t machine_number) {
  static_assert(static_cast<int>(MachineWork::DaemonsOnly) == 1 && static_cast<int>(MachineWork::Tasks) == 2);
  return static_cast<MachineWork>(
      tx.query("SELECT CASE WHEN EXISTS (SELECT 1 FROM ecs_tasks t JOIN ecs_launches l ON l.id = t.id / 16"
               " LEFT JOIN ecs_services s ON s.id = l.service WHERE t.instance = $1 AND COALESCE(s.daemon, 0) = 0) THEN 2"
               " WHEN EXISTS (SELECT 1 FROM ecs_tasks WHERE instance = $1) THEN 1 ELSE 0 END",
               machine_number)
          .integer());
}

std::vector<std::pair<model::TaskStatus, std::int64_t>> count_tasks(store::Tx& tx) {
  return tx.query("SELECT known, count(*) FROM ecs_tasks GROUP BY known ORDER BY known").all([](const store::Row& row) {
    return std::pair(static_cast<model::TaskStatus>(row.integer(0)), row.integer(1));
  });
}

std::map<DeploymentNumber, TaskCounts> count_service_tasks(store::Tx& tx, ServiceNumber service) {
  std::map<DeploymentNumber, TaskCounts> counts;
  tx.query(
        "SELECT l.deployment, t.known, count(*) FROM ecs_launches l"
        " JOIN ecs_tasks t ON t.id >= l.id * 16 AND t.id < l.id * 16 + 16"
        " WHERE l.service = $1 AND t.stopping_at IS NULL GROUP BY l.deployment, t.known",
        service)
      .each([&](const store::Row& row) {
        TaskCounts& count = counts[DeploymentNumber(row.integer(0))];
        const bool running = row.integer(1) == to_code(model::TaskStatus::Running);
        (running ? count.running : count.pending) += static_cast<std::int32_t>(row.integer(2));
      });
  return counts;
}

std::set<LaunchNumber> delete_stopped(store::Tx& tx, const StoppedRange& range) {
  std::set<LaunchNumber> launches;
  tx.query(
        "DELETE FROM ecs_stopped_tasks WHERE id IN (SELECT id FROM (SELECT id, stopped_at"
        " FROM ecs_stopped_tasks ORDER BY id LIMIT $3) AS first_ones"
        " WHERE stopped_at <= $1 OR stopped_at > $2) RETURNING task",
        range.until, range.future, range.most)
      .each([&](const store::Row& row) { launches.insert(TaskName{row.integer(0)}.launch()); });
  return launches;
}

std::optional<base::Time> first_stopped(store::Tx& tx) {
  return tx.query("SELECT stopped_at FROM ecs_stopped_tasks ORDER BY id LIMIT 1").one([](const store::Row& row) {
    return row.time(0);
  });
}

void set_credentials(store::Tx& tx, const TaskState& task, base::Time until) {
  tx.exec(
      "UPDATE ecs_tasks SET credentials = $2, credentials_id = $3, credentials_until = COALESCE(credentials_until, $4)"
      " WHERE id = $1",
      task.name.number, task.credentials, task.credentials_id, until);
}

void acknowledge_credentials(store::Tx& tx, std::int64_t task_number, base::Time until) {
  tx.exec("UPDATE ecs_tasks SET credentials_until = $2 WHERE id = $1", task_number, until);
}

void mark_credentials_lost(store::Tx& tx, std::int64_t machine_number) {
  tx.exec("UPDATE ecs_tasks SET credentials_until = 0 WHERE instance = $1 AND credentials_until > 0", machine_number);
}

std::optional<TaskCredentials> find_credentials(store::Tx& tx, std::int64_t machine_number,
                                                const std::string& credentials_id) {
  return tx
      .query("SELECT id, credentials FROM ecs_tasks WHERE instance = $1 AND credentials_id = $2", machine_number,
             credentials_id)
      .one([](const store::Row& row) { return TaskCredentials{row.integer(0), row.str(1)}; });
}

std::vector<model::TaskId> list_ending_credentials(store::Tx& tx, std::int64_t machine_number, base::Time until) {
  return tx
      .query(
          "SELECT id, secret FROM ecs_tasks WHERE instance = $1 AND delivered = 1 AND credentials_until <= $2"
          " ORDER BY id",
          machine_number, until)
      .all([](const store::Row& row) { return model::TaskId(to_text({row.integer(0), row.integer(1)})); });
}

}  // namespace state
