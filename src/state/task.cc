// SPDX-License-Identifier: Apache-2.0
#include "state/task.h"

#include <algorithm>

#include "base/check.h"
#include "state/hold_text.h"
#include "state/service.h"

namespace state {
namespace {

// The columns that both tables have.
const std::string kTaskColumns =
    "secret, cluster, instance, version, delivered, report, tags, started_at, stopping_at, stop_code, stopped_reason,"
    " provider";

// "a, b" -> "t.a, t.b"
std::string of_t(const std::string& columns) {
  std::string out = "t.";
  for (char c : columns) {
    out += c;
    if (c == ' ') out += "t.";
  }
  return out;
}

// Rows of both tables are read by one function.
const std::string kLive =
    "SELECT t.id, " + of_t(kTaskColumns) + ", NULL, t.known, t.credentials, t.credentials_id, t.protected_until";
const std::string kStopped = "SELECT t.task, " + of_t(kTaskColumns) + ", t.stopped_at, 7, NULL, NULL, NULL";
static_assert(to_code(model::TaskStatus::Stopped) == 7);
const std::string kLiveStates = kLive + " FROM ecs_tasks t";
const std::string kStoppedStates = kStopped + " FROM ecs_stopped_tasks t";
// A task that waits for capacity has no instance.
const std::string kLiveTasks = kLive +
                               ", i.id, l.created_at, h.holds, l.deployment FROM ecs_tasks t"
                               " LEFT JOIN ecs_instances i ON i.number = t.instance"
                               " JOIN ecs_launches l ON l.id = t.id / 16 JOIN ecs_holds h ON h.launch = l.id";
const std::string kStoppedTasks = kStopped +
                                  ", i.id, l.created_at, h.holds FROM ecs_stopped_tasks t"
                                  " LEFT JOIN ecs_instances i ON i.number = t.instance"
                                  " JOIN ecs_launches l ON l.id = t.task / 16 JOIN ecs_holds h ON h.launch = l.id";
static_assert(kNumbersOfALaunch == 16);

void read_into(TaskState& task, const store::Row& row) {
  task.name = {row.integer(0), row.integer(1)};
  task.id = model::TaskId(to_text(task.name));
  task.cluster = ClusterNumber(row.integer(2));
  task.machine_number = row.integer(3);
  task.version = row.integer(4);
  task.delivered = row.boolean(5);
  task.report_json = row.maybe_str(6);
  task.tags_json = row.maybe_str(7);
  task.started_at = row.maybe_time(8);
  task.stopping_at = row.maybe_time(9);
  if (task.stopping_at) task.desired = model::DesiredStatus::Stopped;
  task.stop_code = row.maybe_str(10);
  task.stopped_reason = row.maybe_str(11);
  task.provider = row.maybe_str(12);
  task.stopped_at = row.maybe_time(13);
  task.known = static_cast<model::TaskStatus>(row.integer(14));
  task.credentials = row.maybe_str(15);
  task.credentials_id = row.maybe_str(16);
  task.protected_until = row.maybe_time(17);
}

TaskState read_state(const store::Row& row) {
  TaskState task;
  read_into(task, row);
  return task;
}

void read_whole_into(Task& task, const store::Row& row) {
  read_into(task, row);
  task.machine = model::InstanceId(row.maybe_str(18).value_or(""));
  task.created_at = row.time(19);
  task.hold = parse_hold(row.text(20), task.name.place());
  task.hold.task = task.id;
}

Task read_task(const store::Row& row) {
  Task task;
  read_whole_into(task, row);
  return task;
}

// The statements are made once: every end of a task is found by one of them.
struct Lookup {
  std::string live, stopped;

  Lookup(const std::string& live_rows, const std::string& stopped_rows)
      : live(live_rows + " WHERE t.id = $1 AND t.secret = $2"),
        stopped(stopped_rows + " WHERE t.task = $1 AND t.secret = $2") {}
};
const Lookup kStateLookup(kLiveStates, kStoppedStates);
const Lookup kTaskLookup(kLiveTasks, kStoppedTasks);

template <class Found>
std::optional<Found> find(store::Tx& tx, const Lookup& lookup, const model::TaskId& id,
                          Found (*read)(const store::Row&)) {
  const auto name = parse_task_name(id.str());
  if (!name) return std::nullopt;
  auto task = tx.query(lookup.live, name->number, name->secret).one(read);
  if (!task) task = tx.query(lookup.stopped, name->number, name->secret).one(read);
  return task;
}

}  // namespace

std::string task_topic(const model::TaskId& task) { return "ecs/task/" + task.str(); }

void insert_tasks(store::Tx& tx, const std::vector<Task>& tasks) {
  if (tasks.empty()) return;
  std::int64_t number = task_numbers(tasks[0].launch()).first;
  std::string holds;
  for (const Task& task : tasks) {
    CHECK(task.name.number == number++) << "a task that is not at its place in its launch";
    tx.exec(
        "INSERT INTO ecs_tasks (id, secret, cluster, instance, known, version, delivered, provider)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        task.name.number, task.name.secret, task.cluster, task.machine_number, to_code(task.known), task.version,
        task.delivered, task.provider);
    append_hold(holds, task.hold);
  }
  tx.exec("INSERT INTO ecs_holds (launch, holds) VALUES ($1, $2)", tasks[0].launch(), holds);
}

void update_task(store::Tx& tx, TaskState& task) {
  ++task.version;
  if (task.stopped_at) {
    tx.exec("UPDATE ecs_stopped_tasks SET version = $2, tags = $3 WHERE task = $1", task.name.number, task.version,
            task.tags_json);
    return;
  }
  CHECK(task.stopping_at.has_value() == (task.desired == model::DesiredStatus::Stopped))
      << "a task that is to stop has a time since when, and no other has";
  tx.exec(
      "UPDATE ecs_tasks SET known = $2, version = $3, delivered = $4, report = $5, tags = $6, started_at = $7,"
      " stopping_at = $8, stop_code = $9, stopped_reason = $10 WHERE id = $1",
      task.name.number, to_code(task.known), task.version, task.delivered, task.report_json, task.tags_json,
      task.started_at, task.stopping_at, task.stop_code, task.stopped_reason);
}

void move_to_stopped(store::Tx& tx, TaskState& task) {
  static const std::string insert = "INSERT INTO ecs_stopped_tasks (task, " + kTaskColumns +
                                    ", stopped_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";
  ++task.version;
  tx.exec("DELETE FROM ecs_tasks WHERE id = $1", task.name.number);
  tx.exec(insert, task.name.number, task.name.secret, task.cluster, task.machine_number, task.version, task.delivered,
          task.report_json, task.tags_json, task.started_at, task.stopping_at, task.stop_code, task.stopped_reason,
          task.provider, task.stopped_at);
}

void set_delivered(store::Tx& tx, const TaskName& name) {
  tx.exec("UPDATE ecs_tasks SET delivered = 1 WHERE id = $1", name.number);
}

void set_protection(store::Tx& tx, const TaskName& name, std::optional<base::Time> until) {
  tx.exec("UPDATE ecs_tasks SET protected_until = $2 WHERE id = $1", name.number, until);
}

std::optional<Task> find_task(store::Tx& tx, const model::TaskId& id) { return find(tx, kTaskLookup, id, read_task); }

std::optional<TaskState> find_task_state(store::Tx& tx, const model::TaskId& id) {
  return find(tx, kStateLookup, id, read_state);
}

std::vector<Task> list_tasks_of_launch(store::Tx& tx, LaunchNumber launch) {
  const TaskNumbers range = task_numbers(launch);
  auto tasks = tx.query(kLiveTasks + " WHERE t.id >= $1 AND t.id < $2", range.first, range.end).all(read_task);
  auto stopped = tx.query(kStoppedTasks + " WHERE t.task >= $1 AND t.task < $2", range.first, range.end).all(read_task);
  std::ranges::move(stopped, std::back_inserter(tasks));
  std::ranges::sort(tasks, {}, [](const Task& task) { return task.name.number; });
  return tasks;
}

std::vector<Task> list_tasks_on(store::Tx& tx, const model::InstanceId& machine) {
  return tx.query(kLiveTasks + " WHERE i.id = $1 ORDER BY t.id", machine.str()).all(read_task);
}

std::vector<Task> list_undelivered(store::Tx& tx, const model::InstanceId& machine) {
  return tx
      .query(kLiveTasks + " WHERE i.id = $1 AND (t.delivered = 0 OR t.stopping_at IS NOT NULL) ORDER BY t.id",
             machine.str())
      .all(read_task);
}

std::vector<Task> list_waiting(store::Tx& tx, ClusterNumber cluster) {
  return tx.query(kLiveTasks + " WHERE t.cluster = $1 AND t.known = 0 ORDER BY t.id", cluster).all(read_task);
}

// Those of capacity providers.
std::int64_t count_waiting(store::Tx& tx, ClusterNumber cluster) {
  return tx.query("SELECT count(*) FROM ecs_tasks WHERE cluster = $1 AND known = 0 AND provider <> ''", cluster).integer();
}

void place_waiting(store::Tx& tx, Task& task) {
  task.known = model::TaskStatus::Pending;
  ++task.version;
  tx.exec("UPDATE ecs_tasks SET instance = $2, known = $3, version = $4 WHERE id = $1", task.name.number,
          task.machine_number, to_code(task.known), task.version);
  const auto holds = tx.query("SELECT holds FROM ecs_holds WHERE launch = $1", task.launch())
                         .one([](const store::Row& row) { return row.str(0); });
  CHECK(holds) << "a task without its hold: " << task.id.str();
  tx.exec("UPDATE ecs_holds SET holds = $2 WHERE launch = $1", task.launch(),
          replace_hold(*holds, task.name.place(), task.hold));
}

bool has_tasks_of_provider(store::Tx& tx, ClusterNumber cluster, const std::string& provider) {
  return tx.query("SELECT count(*) FROM ecs_tasks WHERE cluster = $1 AND provider = $2", cluster, provider).integer() > 0;
}

std::vector<ServiceTask> list_service_tasks(store::Tx& tx, ServiceNumber service) {
  // The range, beside the join of kLiveTasks, lets the tasks of a launch be found by their numbers.
  static const std::string sql =
      kLiveTasks + " WHERE l.service = $1 AND t.id >= l.id * 16 AND t.id < l.id * 16 + 16 ORDER BY t.id";
  return tx.query(sql, service).all([](const store::Row& row) {
    ServiceTask task;
    read_whole_into(task, row);
    task.deployment = DeploymentNumber(row.integer(21));
    return task;
  });
}

std::optional<Task> find_last_stopped(store::Tx& tx, DeploymentNumber deployment) {
  return tx
      .query(kStoppedTasks + " WHERE l.deployment = $1 AND t.stop_code <> 'ServiceSchedulerInitiated'"
                             " ORDER BY t.id DESC LIMIT 1",
             deployment)
      .one(read_task);
}

std::vector<model::TaskHold> list_holds(store::Tx& tx, const model::InstanceId& machine) {
  return tx
      .query(
          "SELECT t.id, t.secret, t.known, t.stopping_at, h.holds, l.task_group, l.started_by FROM ecs_tasks t"
          " JOIN ecs_instances i ON i.number = t.instance JOIN ecs_launches l ON l.id = t.id / 16"
          " JOIN ecs_holds h ON h.launch = l.id WHERE i.id = $1 ORDER BY t.id",
          machine.str())
      .all([](const store::Row& row) {
        const TaskName name{row.integer(0), row.integer(1)};
        model::TaskHold hold = parse_hold(row.text(4), name.place());
        hold.task = model::TaskId(to_text(name));
        hold.running = row.integer(2) == to_code(model::TaskStatus::Running);
        hold.stopping = !row.is_null(3);
        hold.group = row.str(5);
        hold.started_by = row.maybe_str(6).value_or("");
        return hold;
      });
}

}  // namespace state
