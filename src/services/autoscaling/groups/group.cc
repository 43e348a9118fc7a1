// SPDX-License-Identifier: Apache-2.0
#include "services/autoscaling/groups/group.h"

#include <algorithm>

#include "base/check.h"
#include "services/arn.h"
#include "services/autoscaling/errors.h"
#include "services/shape_json.h"

namespace services::autoscaling {
namespace {

constexpr char kGroupTables[] = R"sql(
CREATE TABLE autoscaling_groups (
  number INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  name TEXT NOT NULL,
  uuid TEXT NOT NULL,
  version INTEGER NOT NULL,
  min_size INTEGER NOT NULL,
  max_size INTEGER NOT NULL,
  desired INTEGER NOT NULL,
  status INTEGER NOT NULL,
  settings TEXT NOT NULL,
  cause TEXT NOT NULL,                 -- of the activities that the loop starts next
  invoking_alarms TEXT NOT NULL,
  replacements INTEGER NOT NULL,
  protection_reported INTEGER NOT NULL,
  failed_launches INTEGER NOT NULL,
  retry_at INTEGER,
  cooldown_from INTEGER,
  due_at INTEGER,                      -- when the loop looks at it
  measured INTEGER NOT NULL,           -- it has enabled metrics
  created_at INTEGER NOT NULL,
  UNIQUE (account, region, name)
);
CREATE INDEX autoscaling_groups_due ON autoscaling_groups (due_at, number) WHERE due_at IS NOT NULL;
CREATE INDEX autoscaling_groups_measured ON autoscaling_groups (number) WHERE measured = 1;

CREATE TABLE autoscaling_instances (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,             -- of the EC2 instance
  grp INTEGER NOT NULL,                -- a row of autoscaling_groups
  zone TEXT NOT NULL,
  type TEXT NOT NULL,
  image TEXT NOT NULL,
  lifecycle INTEGER NOT NULL,
  healthy INTEGER NOT NULL,
  protected INTEGER NOT NULL,
  launch_configuration TEXT,
  launch_template TEXT,
  activity TEXT NOT NULL,
  skips_hooks INTEGER NOT NULL,
  stop_requested INTEGER NOT NULL,
  unhealthy_reason TEXT NOT NULL,
  replace_cause TEXT NOT NULL,
  machine_reason TEXT NOT NULL,
  launched_at INTEGER NOT NULL,
  in_service_at INTEGER,
  unhealthy_at INTEGER
);
CREATE INDEX autoscaling_instances_group ON autoscaling_instances (grp, number);

CREATE TABLE autoscaling_activities (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  grp INTEGER NOT NULL,                -- the group may have been deleted
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  group_name TEXT NOT NULL,
  group_arn TEXT NOT NULL,
  kind INTEGER NOT NULL,
  instance TEXT NOT NULL,
  description TEXT NOT NULL,
  cause TEXT NOT NULL,
  status TEXT NOT NULL,
  status_message TEXT NOT NULL,
  progress INTEGER NOT NULL,
  details TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER
);
CREATE INDEX autoscaling_activities_group ON autoscaling_activities (grp, number);
CREATE INDEX autoscaling_activities_account ON autoscaling_activities (account, region, number);
CREATE INDEX autoscaling_activities_running ON autoscaling_activities (grp, instance) WHERE ended_at IS NULL;
CREATE INDEX autoscaling_activities_ended ON autoscaling_activities (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE autoscaling_hooks (
  grp INTEGER NOT NULL,
  name TEXT NOT NULL,
  transition TEXT NOT NULL,            -- autoscaling:EC2_INSTANCE_LAUNCHING
  body TEXT NOT NULL,                  -- Amazon's shape
  PRIMARY KEY (grp, name)
);

CREATE TABLE autoscaling_hook_actions (
  token TEXT PRIMARY KEY,
  grp INTEGER NOT NULL,
  instance TEXT NOT NULL,
  hook TEXT NOT NULL,
  result TEXT NOT NULL,                -- '': it waits
  default_result TEXT NOT NULL,
  heartbeat_s INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL             -- no heartbeat extends it beyond
);
CREATE INDEX autoscaling_hook_actions_instance ON autoscaling_hook_actions (grp, instance, hook);

CREATE TABLE autoscaling_launch_configurations (
  number INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  name TEXT NOT NULL,
  body TEXT NOT NULL,                  -- Amazon's shape
  UNIQUE (account, region, name)
);
)sql";

// Units of capacity of an instance, and whether it was launched to balance zones.
constexpr char kInstanceWeights[] = R"sql(
ALTER TABLE autoscaling_instances ADD COLUMN weight INTEGER NOT NULL DEFAULT 1;
ALTER TABLE autoscaling_instances ADD COLUMN balancing INTEGER NOT NULL DEFAULT 0;
)sql";

const std::string kGroupColumns =
    "number, account, region, name, uuid, version, min_size, max_size, desired, status, settings, cause, "
    "invoking_alarms, replacements, protection_reported, failed_launches, retry_at, cooldown_from, due_at, created_at";
const std::string kSelectGroup = "SELECT " + kGroupColumns + " FROM autoscaling_groups";

Group read_group(const store::Row& row) {
  Group group;
  group.number = row.integer(0);
  group.account = row.str(1);
  group.region = row.str(2);
  group.name = row.str(3);
  group.uuid = row.str(4);
  group.version = row.integer(5);
  group.min = static_cast<std::int32_t>(row.integer(6));
  group.max = static_cast<std::int32_t>(row.integer(7));
  group.desired = static_cast<std::int32_t>(row.integer(8));
  group.status = static_cast<GroupStatus>(row.integer(9));
  group.settings = from_json<GroupSettings>(row.text(10));
  group.cause = row.str(11);
  group.invoking_alarms = row.str(12);
  group.replacements = static_cast<std::int32_t>(row.integer(13));
  group.protection_reported = row.boolean(14);
  group.failed_launches = static_cast<std::int32_t>(row.integer(15));
  group.retry_at = row.maybe_time(16);
  group.cooldown_from = row.maybe_time(17);
  group.due_at = row.maybe_time(18);
  group.created_at = row.time(19);
  return group;
}

}  // namespace

std::string Group::arn() const {
  return Arn{"autoscaling", region, account, "autoScalingGroup:" + uuid + ":autoScalingGroupName/" + name}.str();
}

bool Group::is_suspended(std::string_view process) const {
  return std::any_of(settings.suspended.begin(), settings.suspended.end(),
                     [&](const auto& one) { return one.ProcessName == process; });
}

base::Duration Group::warmup() const { return std::chrono::seconds(settings.warmup_s.value_or(settings.cooldown_s)); }

std::vector<std::string> group_migration_steps() { return {kGroupTables}; }
std::vector<std::string> instance_weight_steps() { return {kInstanceWeights}; }

std::optional<Group> load_group(store::Tx& tx, const std::string& account, const std::string& region,
                                const std::string& name) {
  static const std::string sql = kSelectGroup + " WHERE account = $1 AND region = $2 AND name = $3";
  if (name.find('\0') != name.npos) return std::nullopt;
  return tx.query(sql, account, region, name).one(read_group);
}

std::optional<Group> load_group(store::Tx& tx, std::int64_t number) {
  static const std::string sql = kSelectGroup + " WHERE number = $1";
  return tx.query(sql, number).one(read_group);
}

Group find_group(Call& call, const std::string& name) {
  auto group = load_group(call.tx, call.caller.account, call.caller.region, name);
  if (!group) throw group_not_found(name);
  return std::move(*group);
}

Group find_active_group(Call& call, const std::string& name) {
  Group group = find_group(call, name);
  if (group.status == GroupStatus::Active) return group;
  throw validation_error("The AutoScaling group may not be modified while it is pending delete");
}

std::vector<Group> list_groups(store::Tx& tx, const std::string& account, const std::string& region,
                               const std::string& after, std::int64_t most) {
  static const std::string sql =
      kSelectGroup + " WHERE account = $1 AND region = $2 AND name > $3 ORDER BY name LIMIT $4";
  return tx.query(sql, account, region, after, most).all(read_group);
}

std::vector<Group> list_due_groups(store::Tx& tx, base::Time now, std::int64_t most) {
  static const std::string sql =
      kSelectGroup + " WHERE due_at IS NOT NULL AND due_at <= $1 ORDER BY due_at, number LIMIT $2";
  return tx.query(sql, now, most).all(read_group);
}

std::vector<Group> list_measured_groups(store::Tx& tx) {
  static const std::string sql = kSelectGroup + " WHERE measured = 1 ORDER BY number";
  return tx.query(sql).all(read_group);
}

std::optional<base::Time> next_due_group(store::Tx& tx) {
  return tx.query("SELECT due_at FROM autoscaling_groups WHERE due_at IS NOT NULL ORDER BY due_at, number LIMIT 1")
      .one([](const store::Row& row) { return row.time(0); });
}

void insert_group(store::Tx& tx, Group& group) {
  group.number =
      tx.query(
            "INSERT INTO autoscaling_groups (account, region, name, uuid, version, min_size, max_size, desired, "
            "status, settings, cause, invoking_alarms, replacements, protection_reported, failed_launches, retry_at, "
            "cooldown_from, due_at, created_at, measured) "
            "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20) "
            "RETURNING number",
            group.account, group.region, group.name, group.uuid, group.version, group.min, group.max, group.desired,
            static_cast<std::int64_t>(group.status), to_json(group.settings), group.cause, group.invoking_alarms,
            group.replacements, group.protection_reported, group.failed_launches, group.retry_at, group.cooldown_from,
            group.due_at, group.created_at, !group.settings.metrics.empty())
          .integer();
}

void save_group(store::Tx& tx, Group& group) {
  const auto version =
      tx.query(
            "UPDATE autoscaling_groups SET version = version + 1, min_size = $2, max_size = $3, desired = $4, "
            "status = $5, settings = $6, cause = $7, invoking_alarms = $8, replacements = $9, "
            "protection_reported = $10, failed_launches = $11, retry_at = $12, cooldown_from = $13, due_at = $14, "
            "measured = $15 WHERE number = $1 RETURNING version",
            group.number, group.min, group.max, group.desired, static_cast<std::int64_t>(group.status),
            to_json(group.settings), group.cause, group.invoking_alarms, group.replacements, group.protection_reported,
            group.failed_launches, group.retry_at, group.cooldown_from, group.due_at, !group.settings.metrics.empty())
          .one([](const store::Row& row) { return row.integer(0); });
  CHECK(version) << "an update of an Auto Scaling group that does not exist";
  group.version = *version;
}

void save_and_wake(Call& call, Group& group) {
  group.due_at = call.now;
  save_group(call.tx, group);
  call.wake(std::string(kGroupsTopic));
}

void touch_group(Call& call, std::int64_t number) {
  call.tx.exec("UPDATE autoscaling_groups SET version = version + 1, due_at = $2 WHERE number = $1", number, call.now);
  call.wake(std::string(kGroupsTopic));
}

std::int64_t group_version(store::Tx& tx, std::int64_t number) {
  return tx.query("SELECT version FROM autoscaling_groups WHERE number = $1", number).integer();
}

void delete_group_row(store::Tx& tx, const Group& group) {
  tx.exec("DELETE FROM autoscaling_groups WHERE number = $1", group.number);
}

}  // namespace services::autoscaling
