// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/tasks/task_row.h"

#include <algorithm>

#include "base/check.h"
#include "base/hash.h"
#include "services/ecs/arn.h"
#include "services/ecs/machines/fleets.h"
#include "services/shape_json.h"
#include "state/keys.h"

namespace services::ecs {
namespace {

using shapes::ecs::ListTagsForResourceResponse;

constexpr std::string_view kLaunchColumns =
    "SELECT id, cluster, definition, task_group, started_by, client_token, asked, body, created_at FROM ecs_launches";
// The same columns of both tables, so that one function reads them.
const std::string kLive =
    "SELECT t.id, t.secret, t.name, t.cluster, t.instance, t.version, t.delivered, t.report, t.tags, t.started_at,"
    " t.stopping_at, t.stop_code, t.stopped_reason, NULL, t.known, t.credentials, t.credentials_id";
const std::string kStopped =
    "SELECT t.task, t.secret, t.name, t.cluster, t.instance, t.version, t.delivered, t.report, t.tags, t.started_at,"
    " t.stopping_at, t.stop_code, t.stopped_reason, t.stopped_at, 7, NULL, NULL";
static_assert(to_code(model::TaskStatus::Stopped) == 7);
const std::string kLiveStates = kLive + " FROM ecs_tasks t";
const std::string kStoppedStates = kStopped + " FROM ecs_stopped_tasks t";
const std::string kLiveTasks =
    kLive +
    ", i.id, l.created_at, h.holds FROM ecs_tasks t JOIN ecs_instances i ON i.number = t.instance"
    " JOIN ecs_launches l ON l.id = t.id / 16 JOIN ecs_holds h ON h.launch = l.id";
const std::string kStoppedTasks =
    kStopped +
    ", i.id, l.created_at, h.holds FROM ecs_stopped_tasks t JOIN ecs_instances i ON i.number = t.instance"
    " JOIN ecs_launches l ON l.id = t.task / 16 JOIN ecs_holds h ON h.launch = l.id";
static_assert(kNumbersOfALaunch == 16);

// How a task is found by its id, made once: an end is found so, and there are many.
struct Finding {
  std::string live, stopped, old_live, old_stopped;

  Finding(const std::string& live_ones, const std::string& stopped_ones)
      : live(live_ones + " WHERE t.id = $1 AND t.secret = $2 AND t.name IS NULL"),
        stopped(stopped_ones + " WHERE t.task = $1 AND t.secret = $2 AND t.name IS NULL"),
        old_live(live_ones + " WHERE t.name = $1"),
        old_stopped(stopped_ones + " WHERE t.name = $1") {}
};
const Finding kFindState(kLiveStates, kStoppedStates);
const Finding kFindTask(kLiveTasks, kStoppedTasks);

StoredLaunch read_launch(const store::Row& row) {
  StoredLaunch launch;
  launch.id = row.integer(0);
  launch.cluster = row.integer(1);
  launch.definition = row.integer(2);
  launch.group = row.str(3);
  launch.started_by = row.maybe_str(4);
  launch.client_token = row.maybe_str(5);
  launch.asked = row.str(6);
  launch.body = from_json<Launch>(row.text(7));
  launch.created_at = row.time(8);
  return launch;
}

void read_into(TaskState& task, const store::Row& row) {
  task.name = {row.integer(0), row.integer(1)};
  task.old_id = row.maybe_str(2);
  task.id = task.old_id ? *task.old_id : to_text(task.name);
  task.cluster = row.integer(3);
  task.instance_number = row.integer(4);
  task.version = row.integer(5);
  task.delivered = row.boolean(6);
  if (!row.is_null(7)) task.report = from_json<Report>(row.text(7));
  if (!row.is_null(8)) task.tags = from_json<ListTagsForResourceResponse>(row.text(8)).tags;
  task.started_at = row.maybe_time(9);
  task.stopping_at = row.maybe_time(10);
  if (task.stopping_at) task.desired = model::DesiredStatus::Stopped;
  task.stop_code = row.maybe_str(11);
  task.stopped_reason = row.maybe_str(12);
  task.stopped_at = row.maybe_time(13);
  task.known = static_cast<model::TaskStatus>(row.integer(14));
  task.credentials = row.maybe_str(15);
  task.credentials_id = row.maybe_str(16);
}

TaskState read_state(const store::Row& row) {
  TaskState task;
  read_into(task, row);
  return task;
}

Holds holds_of(const TaskName& name, std::string_view json) {
  auto all = from_json<HoldsOfLaunch>(json);
  return std::move(all.tasks.at(static_cast<std::size_t>(name.number % kNumbersOfALaunch)));
}

StoredTask read_task(const store::Row& row) {
  StoredTask task;
  read_into(task, row);
  task.instance = row.str(17);
  task.created_at = row.time(18);
  task.holds = holds_of(task.name, row.text(19));
  return task;
}

// By what its id says of its row; one from before ids said that, by its id.
template <class Task>
std::optional<Task> find(store::Tx& tx, const Finding& texts, const std::string& id, Task (*read)(const store::Row&)) {
  std::optional<Task> task;
  if (const auto name = parse_task_name(id)) {
    task = tx.query(texts.live, name->number, name->secret).one(read);
    if (!task) task = tx.query(texts.stopped, name->number, name->secret).one(read);
  }
  if (!task) task = tx.query(texts.old_live, id).one(read);
  if (!task) task = tx.query(texts.old_stopped, id).one(read);
  return task;
}

std::set<std::uint16_t> to_ports(const std::optional<std::vector<std::int32_t>>& numbers) {
  std::set<std::uint16_t> ports;
  if (numbers) ports.insert(numbers->begin(), numbers->end());
  return ports;
}

model::TaskHold to_model(const std::string& task, const Holds& holds) {
  model::TaskHold hold{.task = model::TaskId(task), .cpu = holds.cpu, .memory_mib = holds.memory};
  hold.ports = {to_ports(holds.tcp), to_ports(holds.udp)};
  hold.dynamic_ports = holds.dynamic.value_or(0);
  for (const GpuHeld& gpu : holds.gpus.value_or(std::vector<GpuHeld>())) {
    hold.gpus.push_back({model::GpuId(gpu.gpu), gpu.container, gpu.shared_mib});
  }
  return hold;
}

std::optional<std::string> report_json(const TaskState& task) {
  return task.report ? std::optional(to_json(*task.report)) : std::nullopt;
}
std::optional<std::string> tags_json(const TaskState& task) {
  return task.tags ? std::optional(to_json(ListTagsForResourceResponse{*task.tags})) : std::nullopt;
}

void move_to_stopped(store::Tx& tx, TaskState& task) {
  ++task.version;
  tx.exec("DELETE FROM ecs_tasks WHERE id = $1", task.name.number);
  tx.exec(
      "INSERT INTO ecs_stopped_tasks (task, secret, name, cluster, instance, version, delivered, report, tags,"
      " started_at, stopping_at, stopped_at, stop_code, stopped_reason)"
      " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
      task.name.number, task.name.secret, task.old_id, task.cluster, task.instance_number, task.version,
      task.delivered, report_json(task), tags_json(task), task.started_at, task.stopping_at, task.stopped_at,
      task.stop_code, task.stopped_reason);
}

}  // namespace

Holds to_holds(const model::TaskHold& hold) {
  Holds holds{.cpu = hold.cpu, .memory = hold.memory_mib};
  if (!hold.ports.tcp.empty()) holds.tcp.emplace(hold.ports.tcp.begin(), hold.ports.tcp.end());
  if (!hold.ports.udp.empty()) holds.udp.emplace(hold.ports.udp.begin(), hold.ports.udp.end());
  if (hold.dynamic_ports > 0) holds.dynamic = hold.dynamic_ports;
  if (!hold.gpus.empty()) holds.gpus.emplace();
  for (const model::GpuHold& gpu : hold.gpus) {
    holds.gpus->push_back({gpu.gpu.str(), gpu.container, gpu.shared_memory_mib});
  }
  return holds;
}

std::string task_arn(const StoredCluster& cluster, const std::string& id) {
  return arn_text({cluster.region, cluster.account, "task", cluster.name + "/" + id});
}

std::optional<std::string> task_id(const StoredCluster& cluster, std::string_view text) {
  if (!text.starts_with("arn:")) return std::string(text);
  const auto arn = split_arn(text);
  if (!arn || arn->type != "task" || arn->account != cluster.account || arn->region != cluster.region) {
    return std::nullopt;
  }
  const std::size_t slash = arn->name.find('/');
  if (slash == std::string::npos) return std::string(arn->name);
  if (arn->name.substr(0, slash) != cluster.name) return std::nullopt;
  return std::string(arn->name.substr(slash + 1));
}

std::string container_arn(const StoredCluster& cluster, const std::string& task, const std::string& container) {
  const std::string digits = base::to_hex(std::string_view(base::sha256(task + "/" + container)).substr(0, 16));
  std::string uuid;
  uuid.reserve(digits.size() + 4);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) uuid += '-';
    uuid += digits[i];
  }
  return arn_text({cluster.region, cluster.account, "container", cluster.name + "/" + task + "/" + uuid});
}

std::int64_t insert_launch(store::Tx& tx, const StoredLaunch& launch) {
  return tx.insert(
      "INSERT INTO ecs_launches (cluster, definition, task_group, started_by, client_token, asked, body, created_at)"
      " VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
      launch.cluster, launch.definition, launch.group, launch.started_by, launch.client_token, launch.asked,
      to_json(launch.body), launch.created_at);
}

std::optional<StoredLaunch> load_launch(store::Tx& tx, std::int64_t id) {
  return tx.query(std::string(kLaunchColumns) + " WHERE id = $1", id).one(read_launch);
}

std::optional<StoredLaunch> load_launch(store::Tx& tx, std::int64_t cluster, const std::string& client_token) {
  return tx.query(std::string(kLaunchColumns) + " WHERE cluster = $1 AND client_token = $2", cluster, client_token)
      .one(read_launch);
}

void insert_tasks(store::Tx& tx, const std::vector<StoredTask>& tasks) {
  if (tasks.empty()) return;
  std::int64_t number = tasks[0].launch() * kNumbersOfALaunch;
  std::string holds;  // a HoldsOfLaunch, without copying them into one
  for (const StoredTask& task : tasks) {
    CHECK(task.name.number == number++) << "a task that is not in its place";
    tx.exec(
        "INSERT INTO ecs_tasks (id, secret, cluster, instance, known, version, delivered)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7)",
        task.name.number, task.name.secret, task.cluster, task.instance_number, to_code(task.known), task.version,
        task.delivered);
    holds += (holds.empty() ? R"({"tasks":[)" : ",") + to_json(task.holds);
  }
  tx.exec("INSERT INTO ecs_holds (launch, holds) VALUES ($1, $2)", tasks[0].launch(), holds + "]}");
}

void update_task(store::Tx& tx, TaskState& task) {
  ++task.version;
  const auto report = report_json(task);
  const auto tags = tags_json(task);
  if (task.stopped_at) {
    tx.exec("UPDATE ecs_stopped_tasks SET version = $2, tags = $3 WHERE task = $1", task.name.number, task.version,
            tags);
    return;
  }
  CHECK(task.stopping_at.has_value() == (task.desired == model::DesiredStatus::Stopped)) << "since when does it stop?";
  tx.exec(
      "UPDATE ecs_tasks SET known = $2, version = $3, delivered = $4, report = $5, tags = $6, started_at = $7,"
      " stopping_at = $8, stop_code = $9, stopped_reason = $10 WHERE id = $1",
      task.name.number, to_code(task.known), task.version, task.delivered, report, tags, task.started_at,
      task.stopping_at, task.stop_code, task.stopped_reason);
}

std::optional<StoredTask> load_task(store::Tx& tx, const std::string& id) {
  return find(tx, kFindTask, id, read_task);
}

std::optional<StoredTask> load_task(store::Tx& tx, const StoredCluster& cluster, std::string_view text) {
  const auto id = task_id(cluster, text);
  auto task = id ? load_task(tx, *id) : std::nullopt;
  if (task && task->cluster != cluster.id) return std::nullopt;
  return task;
}

std::optional<TaskState> load_task_state(store::Tx& tx, const StoredCluster& cluster, std::string_view text) {
  const auto id = task_id(cluster, text);
  auto task = id ? find(tx, kFindState, *id, read_state) : std::nullopt;
  if (task && task->cluster != cluster.id) return std::nullopt;
  return task;
}

std::vector<StoredTask> load_tasks_of_launch(store::Tx& tx, std::int64_t launch) {
  const std::int64_t first = launch * kNumbersOfALaunch, end = first + kNumbersOfALaunch;
  auto tasks = tx.query(kLiveTasks + " WHERE t.id >= $1 AND t.id < $2", first, end).all(read_task);
  for (StoredTask& task : tx.query(kStoppedTasks + " WHERE t.task >= $1 AND t.task < $2", first, end).all(read_task)) {
    tasks.push_back(std::move(task));
  }
  std::ranges::sort(tasks, {}, [](const StoredTask& task) { return task.name.number; });
  return tasks;
}

std::vector<StoredTask> load_tasks_on(store::Tx& tx, const std::string& instance) {
  return tx.query(kLiveTasks + " WHERE i.id = $1 ORDER BY t.id", instance).all(read_task);
}

std::vector<StoredTask> load_tasks_to_tell(store::Tx& tx, const std::string& instance) {
  return tx
      .query(kLiveTasks + " WHERE i.id = $1 AND (t.delivered = 0 OR t.stopping_at IS NOT NULL) ORDER BY t.id", instance)
      .all(read_task);
}

std::vector<std::string> tasks_to_renew(store::Tx& tx, std::int64_t instance_number, base::Time when) {
  return tx
      .query(kLiveStates + " WHERE t.instance = $1 AND t.delivered = 1 AND t.credentials_until <= $2 ORDER BY t.id",
             instance_number, when)
      .all([](const store::Row& row) { return read_state(row).id; });
}

std::vector<model::TaskHold> holds_on(store::Tx& tx, const std::string& instance) {
  return tx
      .query(
          "SELECT t.id, t.secret, t.name, t.known, t.stopping_at, h.holds, l.task_group, l.started_by FROM ecs_tasks t"
          " JOIN ecs_instances i ON i.number = t.instance JOIN ecs_launches l ON l.id = t.id / 16"
          " JOIN ecs_holds h ON h.launch = l.id WHERE i.id = $1 ORDER BY t.id",
          instance)
      .all([](const store::Row& row) {
        const TaskName name{row.integer(0), row.integer(1)};
        model::TaskHold hold = to_model(row.is_null(2) ? to_text(name) : row.str(2), holds_of(name, row.text(5)));
        hold.running = row.integer(3) == to_code(model::TaskStatus::Running);
        hold.stopping = !row.is_null(4);
        hold.group = row.str(6);
        hold.started_by = row.maybe_str(7).value_or("");
        return hold;
      });
}

void stop_now(Call& call, TaskState& task, model::StopCode code, const std::string& reason) {
  task.known = model::TaskStatus::Stopped;
  task.desired = model::DesiredStatus::Stopped;
  if (!task.stopping_at) task.stopping_at = call.now;
  task.stopped_at = call.now;
  if (!task.stop_code) task.stop_code = model::text(code);
  if (!task.stopped_reason) task.stopped_reason = reason;
  move_to_stopped(call.tx, task);
  if (task.credentials) {
    for (const std::string& id : state::delete_key(call.tx, *task.credentials)) call.wake(state::key_topic(id));
  }
  release_in_fleet(call, task.cluster, task.id);
  call.wake(task_topic(task.id));
}

std::string instance_topic(const std::string& instance) { return "ecs/instance/" + instance; }
std::string task_topic(const std::string& task) { return "ecs/task/" + task; }

}  // namespace services::ecs
