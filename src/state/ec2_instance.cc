// SPDX-License-Identifier: Apache-2.0
#include "state/ec2_instance.h"

#include "base/check.h"

namespace state {
namespace {

constexpr char kEc2Instances[] = R"sql(
CREATE TABLE ec2_instances (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  zone TEXT NOT NULL,
  type TEXT NOT NULL,
  asg TEXT NOT NULL,                   -- the Auto Scaling group; '': none
  state INTEGER NOT NULL,              -- EC2's codes
  version INTEGER NOT NULL,
  agent TEXT NOT NULL,                 -- settings of its agent
  machine TEXT NOT NULL,               -- a process, a job: only its provider interprets it
  body TEXT NOT NULL,
  joined_at INTEGER,
  launched_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL
);
CREATE INDEX ec2_instances_account ON ec2_instances (account, region, id);
CREATE INDEX ec2_instances_group ON ec2_instances (account, region, asg, number) WHERE asg <> '';
CREATE INDEX ec2_instances_live ON ec2_instances (number) WHERE state <> 48 AND state <> 80;
CREATE INDEX ec2_instances_terminated ON ec2_instances (changed_at) WHERE state = 48;
)sql";

const std::string kColumns =
    "number, id, account, region, zone, type, asg, state, version, agent, machine, body, joined_at, launched_at, "
    "changed_at";
const std::string kSelect = "SELECT " + kColumns + " FROM ec2_instances";

Ec2Instance read_instance(const store::Row& row) {
  Ec2Instance instance;
  instance.number = row.integer(0);
  instance.id = row.str(1);
  instance.account = row.str(2);
  instance.region = row.str(3);
  instance.zone = row.str(4);
  instance.type = row.str(5);
  instance.group = row.str(6);
  instance.state = static_cast<Ec2State>(row.integer(7));
  instance.version = row.integer(8);
  instance.agent_json = row.str(9);
  instance.machine_json = row.str(10);
  instance.body_json = row.str(11);
  instance.joined_at = row.maybe_time(12);
  instance.launched_at = row.time(13);
  instance.changed_at = row.time(14);
  return instance;
}

}  // namespace

std::string_view text(Ec2State state) {
  switch (state) {
    case Ec2State::Pending: return "pending";
    case Ec2State::Running: return "running";
    case Ec2State::ShuttingDown: return "shutting-down";
    case Ec2State::Terminated: return "terminated";
    case Ec2State::Stopping: return "stopping";
    case Ec2State::Stopped: break;
  }
  return "stopped";
}

store::Migrations ec2_instance_migrations() { return {"ec2_instances", {kEc2Instances}}; }

std::optional<Ec2Instance> find_ec2_instance(store::Tx& tx, const std::string& id) {
  static const std::string sql = kSelect + " WHERE id = $1";
  return tx.query(sql, id).one(read_instance);
}

std::vector<Ec2Instance> list_ec2_instances(store::Tx& tx, const Ec2InstanceFilter& filter) {
  static const std::string sql = kSelect + " WHERE account = $1 AND region = $2 AND id > $3 ORDER BY id LIMIT $4";
  return tx.query(sql, filter.account, filter.region, filter.after, filter.most).all(read_instance);
}

std::vector<Ec2Instance> list_ec2_instances_of(store::Tx& tx, const std::string& account, const std::string& region,
                                               const std::string& group) {
  static const std::string sql =
      kSelect + " WHERE account = $1 AND region = $2 AND asg = $3 AND asg <> '' AND state <> 48 ORDER BY number";
  return tx.query(sql, account, region, group).all(read_instance);
}

std::vector<Ec2Instance> list_ec2_machines(store::Tx& tx) {
  static const std::string sql = kSelect + " WHERE state <> 48 AND state <> 80 ORDER BY number";
  return tx.query(sql).all(read_instance);
}

std::map<std::string, std::string> ec2_groups(store::Tx& tx, const std::string& account, const std::string& region) {
  std::map<std::string, std::string> groups;
  tx.query("SELECT id, asg FROM ec2_instances WHERE account = $1 AND region = $2 AND state <> 48", account, region)
      .each([&](const store::Row& row) { groups.emplace(row.str(0), row.str(1)); });
  return groups;
}

void insert_ec2_instance(store::Tx& tx, Ec2Instance& instance) {
  instance.number =
      tx.query("INSERT INTO ec2_instances (id, account, region, zone, type, asg, state, version, agent, machine, body, "
               "joined_at, launched_at, changed_at) "
               "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) RETURNING number",
               instance.id, instance.account, instance.region, instance.zone, instance.type, instance.group,
               static_cast<std::int64_t>(instance.state), instance.version, instance.agent_json, instance.machine_json,
               instance.body_json, instance.joined_at, instance.launched_at, instance.changed_at)
          .integer();
}

void update_ec2_instance(store::Tx& tx, Ec2Instance& instance) {
  ++instance.version;
  const auto changed =
      tx.exec("UPDATE ec2_instances SET zone = $2, type = $3, asg = $4, state = $5, version = $6, agent = $7, "
              "machine = $8, body = $9, joined_at = $10, launched_at = $11, changed_at = $12 WHERE number = $1",
              instance.number, instance.zone, instance.type, instance.group, static_cast<std::int64_t>(instance.state),
              instance.version, instance.agent_json, instance.machine_json, instance.body_json, instance.joined_at,
              instance.launched_at, instance.changed_at);
  CHECK(changed == 1) << "an update of an EC2 instance that does not exist";
}

std::optional<base::Time> first_terminated_ec2_instance(store::Tx& tx) {
  return tx.query("SELECT changed_at FROM ec2_instances WHERE state = 48 ORDER BY changed_at LIMIT 1")
      .one([](const store::Row& row) { return row.time(0); });
}

std::optional<base::Time> delete_terminated_ec2_instances(store::Tx& tx, base::Time since) {
  tx.exec("DELETE FROM ec2_instances WHERE state = 48 AND changed_at <= $1", since);
  return first_terminated_ec2_instance(tx);
}

}  // namespace state
