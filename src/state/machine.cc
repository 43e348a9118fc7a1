// SPDX-License-Identifier: Apache-2.0
#include "state/machine.h"

namespace state {
namespace {

const std::string kMachineColumns =
    "id, cluster, machine, status, connected, connected_at, version, client_token, body, gpus, registered_at,"
    " machine_key";
const std::string kSelectMachine = "SELECT " + kMachineColumns + ", inactive_at, number, troubles FROM ecs_instances";

Machine read_machine(const store::Row& row) {
  Machine machine;
  machine.id = model::InstanceId(row.str(0));
  machine.cluster = ClusterNumber(row.integer(1));
  machine.name = row.str(2);
  machine.status = model::instance_status(row.text(3)).value();
  machine.connected = row.boolean(4);
  machine.connected_at = row.time(5);
  machine.version = row.integer(6);
  machine.client_token = row.maybe_str(7);
  machine.body_json = row.str(8);
  machine.gpus_json = row.str(9);
  machine.registered_at = row.time(10);
  machine.machine_key = row.maybe_str(11);
  machine.inactive_at = row.maybe_time(12);
  machine.number = row.integer(13);
  machine.troubles_json = row.maybe_str(14);
  return machine;
}

}  // namespace

std::string instance_topic(const model::InstanceId& machine) { return "ecs/instance/" + machine.str(); }

std::optional<Machine> find_machine(store::Tx& tx, const model::InstanceId& id) {
  static const std::string sql = kSelectMachine + " WHERE id = $1";
  return tx.query(sql, id.str()).one(read_machine);
}

std::optional<Machine> find_machine_by_token(store::Tx& tx, ClusterNumber cluster, const std::string& client_token) {
  return tx
      .query(kSelectMachine + " WHERE cluster = $1 AND client_token = $2 AND status <> 'INACTIVE'", cluster,
             client_token)
      .one(read_machine);
}

std::optional<Machine> find_machine_by_key(store::Tx& tx, const std::string& machine_key) {
  return tx.query(kSelectMachine + " WHERE machine_key = $1 AND status <> 'INACTIVE'", machine_key).one(read_machine);
}

bool has_registered(store::Tx& tx, const std::string& machine_key) {
  return tx.query("SELECT 1 FROM ecs_instances WHERE machine_key = $1 LIMIT 1", machine_key).integer() == 1;
}

std::optional<std::string> find_machine_key(store::Tx& tx, std::int64_t machine_number) {
  auto found = tx.query("SELECT machine_key FROM ecs_instances WHERE number = $1", machine_number)
                   .one([](const store::Row& row) { return row.maybe_str(0); });
  return found ? *found : std::nullopt;
}

std::vector<Machine> list_machines(store::Tx& tx, ClusterNumber cluster) {
  return tx.query(kSelectMachine + " WHERE cluster = $1 AND status <> 'INACTIVE' ORDER BY id", cluster)
      .all(read_machine);
}

std::vector<Machine> list_machines(store::Tx& tx, ClusterNumber cluster, const std::string& after, std::int64_t most) {
  return tx
      .query(kSelectMachine + " WHERE cluster = $1 AND id > $2 AND status <> 'INACTIVE' ORDER BY id LIMIT $3", cluster,
             after, most)
      .all(read_machine);
}

std::vector<Machine> list_disconnected(store::Tx& tx, ClusterNumber cluster, const std::string& name) {
  return tx
      .query(kSelectMachine + " WHERE cluster = $1 AND machine = $2 AND status <> 'INACTIVE' AND connected = 0"
                              " ORDER BY number",
             cluster, name)
      .all(read_machine);
}

std::vector<Machine> list_machines_named(store::Tx& tx, const std::string& account, const std::string& region,
                                         const std::string& name) {
  return tx
      .query(kSelectMachine + " WHERE machine = $3 AND status <> 'INACTIVE' AND cluster IN"
                              " (SELECT id FROM ecs_clusters WHERE account = $1 AND region = $2) ORDER BY number",
             account, region, name)
      .all(read_machine);
}

std::vector<Machine> list_departed(store::Tx& tx, ClusterNumber cluster, std::int64_t most) {
  return tx
      .query(kSelectMachine + " WHERE cluster = $1 AND status = 'INACTIVE' AND NOT EXISTS"
                              " (SELECT 1 FROM ecs_instances o WHERE o.cluster = $1"
                              " AND o.machine = ecs_instances.machine AND o.status <> 'INACTIVE') ORDER BY id LIMIT $2",
             cluster, most)
      .all(read_machine);
}

std::vector<Machine> list_lost(store::Tx& tx, base::Time since, std::int64_t most) {
  return tx
      .query(kSelectMachine + " WHERE connected = 0 AND connected_at <= $1 AND EXISTS"
                              " (SELECT 1 FROM ecs_tasks t WHERE t.instance = ecs_instances.number)"
                              " ORDER BY id LIMIT $2",
             since, most)
      .all(read_machine);
}

std::vector<ClusterNumber> list_clusters_with_machines(store::Tx& tx) {
  return tx.query("SELECT DISTINCT cluster FROM ecs_instances ORDER BY cluster").all([](const store::Row& row) {
    return ClusterNumber(row.integer(0));
  });
}

void insert_machine(store::Tx& tx, Machine& machine) {
  static const std::string sql = "INSERT INTO ecs_instances (" + kMachineColumns +
                                 ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING number";
  machine.number = tx.query(sql, machine.id.str(), machine.cluster, machine.name, model::text(machine.status),
                            machine.connected, machine.connected_at, machine.version, machine.client_token,
                            machine.body_json, machine.gpus_json, machine.registered_at, machine.machine_key)
                       .integer();
}

void update_machine(store::Tx& tx, Machine& machine) {
  ++machine.version;
  tx.exec(
      "UPDATE ecs_instances SET machine = $2, status = $3, connected = $4, connected_at = $5, version = $6, body = $7,"
      " gpus = $8, inactive_at = $9, troubles = $10 WHERE id = $1",
      machine.id.str(), machine.name, model::text(machine.status), machine.connected, machine.connected_at,
      machine.version, machine.body_json, machine.gpus_json, machine.inactive_at, machine.troubles_json);
}

void disconnect_all_machines(store::Tx& tx, base::Time now) {
  tx.exec("UPDATE ecs_instances SET connected = 0, connected_at = $1 WHERE status <> 'INACTIVE'", now);
}

void delete_departed(store::Tx& tx, base::Time since) {
  // The tasks of a machine stop before it leaves, at the latest with it, and are deleted in the order of their ends.
  tx.exec(
      "DELETE FROM ecs_instances WHERE inactive_at IS NOT NULL AND inactive_at <= $1"
      " AND NOT EXISTS (SELECT 1 FROM (SELECT stopped_at FROM ecs_stopped_tasks ORDER BY id LIMIT 1) AS oldest"
      " WHERE oldest.stopped_at <= ecs_instances.inactive_at)",
      since);
}

namespace {

std::optional<base::Time> first_time(store::Tx& tx, std::string_view sql) {
  auto found = tx.query(sql).one([](const store::Row& row) { return row.maybe_time(0); });
  return found ? *found : std::nullopt;
}

}  // namespace

std::optional<base::Time> first_disconnected(store::Tx& tx) {
  return first_time(tx,
                    "SELECT min(i.connected_at) FROM ecs_instances i WHERE i.connected = 0 AND EXISTS"
                    " (SELECT 1 FROM ecs_tasks t WHERE t.instance = i.number)");
}

std::optional<base::Time> first_departed(store::Tx& tx) {
  return first_time(tx, "SELECT min(inactive_at) FROM ecs_instances WHERE inactive_at IS NOT NULL");
}

std::int64_t next_manifest(store::Tx& tx, const model::InstanceId& machine, base::Time now) {
  return tx
      .query("UPDATE ecs_instances SET manifest = CASE WHEN manifest >= $2 THEN manifest + 1 ELSE $2 END WHERE id = $1"
             " RETURNING manifest",
             machine.str(), base::to_millis(now))
      .integer();
}

std::optional<model::InstanceId> gpu_owner(store::Tx& tx, const std::string& account, const std::string& gpu) {
  return tx.query("SELECT instance FROM ecs_account_gpus WHERE account = $1 AND id = $2", account, gpu)
      .one([](const store::Row& row) { return model::InstanceId(row.str(0)); });
}

void insert_gpu(store::Tx& tx, const std::string& account, const std::string& gpu, const model::InstanceId& machine) {
  tx.exec("INSERT INTO ecs_account_gpus (account, id, instance) VALUES ($1, $2, $3)", account, gpu, machine.str());
}

void delete_gpus(store::Tx& tx, const model::InstanceId& machine) {
  tx.exec("DELETE FROM ecs_account_gpus WHERE instance = $1", machine.str());
}

}  // namespace state
