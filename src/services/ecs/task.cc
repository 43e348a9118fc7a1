// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/task.h"

#include "base/hash.h"
#include "base/random.h"
#include "services/ecs/arn.h"
#include "services/ecs/fleets.h"
#include "services/shape_json.h"
#include "state/keys.h"

namespace services::ecs {
namespace {

using shapes::ecs::ListTagsForResourceResponse;

constexpr std::string_view kLaunchColumns =
    "SELECT id, cluster, definition, task_group, started_by, client_token, asked, body, created_at FROM ecs_launches";
constexpr std::string_view kTaskColumns =
    "SELECT id, task, cluster, launch, instance, known, desired, version, delivered, holds, report, tags, credentials,"
    " created_at, started_at, stopping_at, stopped_at, stop_code, stopped_reason, credentials_id FROM ecs_tasks";

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

StoredTask read_task(const store::Row& row) {
  StoredTask task;
  task.row = row.integer(0);
  task.id = row.str(1);
  task.cluster = row.integer(2);
  task.launch = row.integer(3);
  task.instance = row.str(4);
  task.known = model::task_status(row.text(5)).value();
  task.desired = model::desired_status(row.text(6)).value();
  task.version = row.integer(7);
  task.delivered = row.boolean(8);
  task.holds = from_json<Holds>(row.text(9));
  if (!row.is_null(10)) task.report = from_json<Report>(row.text(10));
  if (!row.is_null(11)) task.tags = from_json<ListTagsForResourceResponse>(row.text(11)).tags;
  task.credentials = row.maybe_str(12);
  task.created_at = row.time(13);
  task.started_at = row.maybe_time(14);
  task.stopping_at = row.maybe_time(15);
  task.stopped_at = row.maybe_time(16);
  task.stop_code = row.maybe_str(17);
  task.stopped_reason = row.maybe_str(18);
  task.credentials_id = row.maybe_str(19);
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

// Random but for the first byte, which turns with the time: ids that are made one after another are
// near each other in their index, which is then written in a few places instead of everywhere.
std::string new_task_id(base::Time now) {
  return base::to_hex(static_cast<char>(base::to_millis(now) >> 6) + base::random_bytes(15));
}

std::string task_arn(const StoredCluster& cluster, const std::string& id) {
  return Arn{cluster.region, cluster.account, "task", cluster.name + "/" + id}.str();
}

std::optional<std::string> task_id(const StoredCluster& cluster, std::string_view text) {
  if (!text.starts_with("arn:")) return std::string(text);
  const auto arn = parse_arn(text);
  if (!arn || arn->type != "task" || arn->account != cluster.account || arn->region != cluster.region) {
    return std::nullopt;
  }
  const std::size_t slash = arn->name.find('/');
  if (slash == std::string::npos) return arn->name;
  if (arn->name.substr(0, slash) != cluster.name) return std::nullopt;
  return arn->name.substr(slash + 1);
}

std::string container_arn(const StoredCluster& cluster, const std::string& task, const std::string& container) {
  std::string uuid = base::to_hex(base::sha256(task + "/" + container)).substr(0, 32);
  for (std::size_t at : {8, 13, 18, 23}) uuid.insert(at, 1, '-');
  return Arn{cluster.region, cluster.account, "container", cluster.name + "/" + task + "/" + uuid}.str();
}

std::int64_t insert_launch(store::Tx& tx, const StoredLaunch& launch) {
  return tx
      .query(
          "INSERT INTO ecs_launches (cluster, definition, task_group, started_by, client_token, asked, body, created_at)"
          " VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id",
          launch.cluster, launch.definition, launch.group, launch.started_by, launch.client_token, launch.asked,
          to_json(launch.body), launch.created_at)
      .integer();
}

std::optional<StoredLaunch> load_launch(store::Tx& tx, std::int64_t id) {
  return tx.query(std::string(kLaunchColumns) + " WHERE id = $1", id).one(read_launch);
}

std::optional<StoredLaunch> load_launch(store::Tx& tx, std::int64_t cluster, const std::string& client_token) {
  return tx.query(std::string(kLaunchColumns) + " WHERE cluster = $1 AND client_token = $2", cluster, client_token)
      .one(read_launch);
}

void insert_task(store::Tx& tx, const StoredTask& task) {
  tx.exec(
      "INSERT INTO ecs_tasks (task, cluster, launch, instance, known, desired, version, delivered, holds, created_at)"
      " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
      task.id, task.cluster, task.launch, task.instance, model::text(task.known), model::text(task.desired),
      task.version, task.delivered, to_json(task.holds), task.created_at);
}

void update_task(store::Tx& tx, StoredTask& task) {
  ++task.version;
  std::optional<std::string> report, tags;
  if (task.report) report = to_json(*task.report);
  if (task.tags) tags = to_json(ListTagsForResourceResponse{*task.tags});
  tx.exec(
      "UPDATE ecs_tasks SET known = $2, desired = $3, version = $4, delivered = $5, report = $6, tags = $7,"
      " started_at = $8, stopping_at = $9, stopped_at = $10, stop_code = $11, stopped_reason = $12 WHERE id = $1",
      task.row, model::text(task.known), model::text(task.desired), task.version, task.delivered, report, tags,
      task.started_at, task.stopping_at, task.stopped_at, task.stop_code, task.stopped_reason);
}

std::optional<StoredTask> load_task(store::Tx& tx, const std::string& id) {
  return tx.query(std::string(kTaskColumns) + " WHERE task = $1", id).one(read_task);
}

std::optional<StoredTask> load_task(store::Tx& tx, const StoredCluster& cluster, std::string_view text) {
  const auto id = task_id(cluster, text);
  auto task = id ? load_task(tx, *id) : std::nullopt;
  if (task && task->cluster != cluster.id) return std::nullopt;
  return task;
}

std::vector<StoredTask> load_tasks_of_launch(store::Tx& tx, std::int64_t launch) {
  return tx.query(std::string(kTaskColumns) + " WHERE launch = $1 ORDER BY id", launch).all(read_task);
}

std::vector<StoredTask> load_tasks_on(store::Tx& tx, const std::string& instance) {
  return tx
      .query(std::string(kTaskColumns) + " WHERE instance = $1 AND stopped_at IS NULL ORDER BY id", instance)
      .all(read_task);
}

std::vector<StoredTask> load_tasks_to_tell(store::Tx& tx, const std::string& instance) {
  return tx
      .query(std::string(kTaskColumns) +
                 " WHERE instance = $1 AND stopped_at IS NULL AND (delivered = 0 OR desired = 'STOPPED') ORDER BY id",
             instance)
      .all(read_task);
}

std::vector<model::TaskHold> holds_on(store::Tx& tx, const std::string& instance) {
  return tx
      .query(
          "SELECT t.task, t.known, t.desired, t.holds, l.task_group, l.started_by FROM ecs_tasks t"
          " JOIN ecs_launches l ON l.id = t.launch WHERE t.instance = $1 AND t.stopped_at IS NULL ORDER BY t.id",
          instance)
      .all([](const store::Row& row) {
        model::TaskHold hold = to_model(row.str(0), from_json<Holds>(row.text(3)));
        hold.running = row.text(1) == model::text(model::TaskStatus::Running);
        hold.stopping = row.text(2) == model::text(model::DesiredStatus::Stopped);
        hold.group = row.str(4);
        hold.started_by = row.maybe_str(5).value_or("");
        return hold;
      });
}

void stop_now(Call& call, StoredTask& task, model::StopCode code, const std::string& reason) {
  task.known = model::TaskStatus::Stopped;
  task.desired = model::DesiredStatus::Stopped;
  if (!task.stopping_at) task.stopping_at = call.now;
  task.stopped_at = call.now;
  if (!task.stop_code) task.stop_code = model::text(code);
  if (!task.stopped_reason) task.stopped_reason = reason;
  update_task(call.tx, task);
  if (task.credentials) {
    for (const std::string& id : state::delete_key(call.tx, *task.credentials)) call.wake(state::key_topic(id));
  }
  release_in_fleet(call, task.cluster, task.id);
  call.wake(task_topic(task.id));
}

std::string instance_topic(const std::string& instance) { return "ecs/instance/" + instance; }
std::string task_topic(const std::string& task) { return "ecs/task/" + task; }

}  // namespace services::ecs
