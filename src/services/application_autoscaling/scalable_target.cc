// SPDX-License-Identifier: Apache-2.0
#include "services/application_autoscaling/scalable_target.h"

#include <algorithm>
#include <boost/describe/class.hpp>

#include "services/application_autoscaling/errors.h"
#include "services/arn.h"
#include "services/invoke.h"
#include "services/shape_json.h"

namespace services::application_autoscaling {
namespace {

constexpr char kTables[] = R"sql(
CREATE TABLE scalable_targets (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  resource TEXT NOT NULL,
  name TEXT NOT NULL,
  min INTEGER NOT NULL,
  max INTEGER NOT NULL,
  suspended TEXT NOT NULL,
  tags TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  cooling_from INTEGER,
  cooling_to INTEGER,
  cooling_since INTEGER,
  cooling_ms INTEGER,
  cooling_activity INTEGER NOT NULL,
  UNIQUE (account, region, resource)
);
CREATE TABLE scalable_target_policies (
  id INTEGER PRIMARY KEY,
  target INTEGER NOT NULL,             -- a row of scalable_targets
  name TEXT NOT NULL,
  uuid TEXT NOT NULL UNIQUE,
  body TEXT NOT NULL,                  -- Amazon's ScalingPolicy
  created_at INTEGER NOT NULL,
  UNIQUE (target, name)
);
CREATE TABLE scalable_target_schedules (
  id INTEGER PRIMARY KEY,
  target INTEGER NOT NULL,             -- a row of scalable_targets
  name TEXT NOT NULL,
  body TEXT NOT NULL,                  -- Amazon's ScheduledAction
  due_at INTEGER,
  UNIQUE (target, name)
);
CREATE INDEX scalable_target_schedules_due ON scalable_target_schedules (due_at) WHERE due_at IS NOT NULL;
CREATE TABLE scalable_target_activities (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  resource TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  running INTEGER NOT NULL,            -- 1: waits for its tasks
  scaled INTEGER NOT NULL,             -- 0: explains why nothing was done
  desired INTEGER NOT NULL,            -- the desired count that it set
  body TEXT NOT NULL                   -- Amazon's ScalingActivity
);
CREATE INDEX scalable_target_activities_list ON scalable_target_activities (account, region, resource, id);
CREATE INDEX scalable_target_activities_running ON scalable_target_activities (id) WHERE running = 1;
)sql";

const std::string kTargetColumns =
    "id, account, region, resource, name, min, max, suspended, tags, created_at, cooling_from, cooling_to, "
    "cooling_since, cooling_ms, cooling_activity";

struct TargetTags {
  std::map<std::string, std::string> tags;
};
BOOST_DESCRIBE_STRUCT(TargetTags, (), (tags))

StoredTarget read_target(const store::Row& row) {
  StoredTarget target;
  target.number = row.integer(0);
  target.account = row.str(1);
  target.region = row.str(2);
  target.resource = row.str(3);
  target.name = row.str(4);
  target.bounds = {static_cast<int>(row.integer(5)), static_cast<int>(row.integer(6))};
  target.suspended = from_json<shapes::application_autoscaling::SuspendedState>(row.text(7));
  target.tags = from_json<TargetTags>(row.text(8)).tags;
  target.created_at = row.time(9);
  if (!row.is_null(10)) {
    target.cooling = autoscaler::Cooling{static_cast<int>(row.integer(10)), static_cast<int>(row.integer(11)),
                                         row.time(12), base::Duration(row.integer(13))};
  }
  target.cooling_activity = row.integer(14);
  return target;
}

bool is_resource_part(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

}  // namespace

store::Migrations migrations() { return {"application-autoscaling", {kTables}}; }

std::optional<ResourceName> parse_resource(const std::string& resource) {
  constexpr std::string_view kPrefix = "service/";
  if (!resource.starts_with(kPrefix)) return std::nullopt;
  const std::string rest = resource.substr(kPrefix.size());
  const std::size_t slash = rest.find('/');
  if (slash == rest.npos) return std::nullopt;
  ResourceName name{rest.substr(0, slash), rest.substr(slash + 1)};
  if (!is_resource_part(name.cluster) || !is_resource_part(name.service)) return std::nullopt;
  return name;
}

bool lists_services(const std::string& space, const std::optional<std::string>& dimension) {
  if (space == kNamespace && dimension.value_or(kDimension) == kDimension) return true;
  // Of another namespace of Amazon's there is nothing. "dynamodb:table:ReadCapacityUnits" belongs to "dynamodb".
  if (space != kNamespace && (!dimension || dimension->starts_with(space + ":"))) return false;
  throw validation_error("Unsupported service namespace, resource type or scalable dimension");
}

ResourceName check_resource(const std::string& space, const std::string& dimension, const std::string& resource) {
  auto name = parse_resource(resource);
  if (space != kNamespace || dimension != kDimension || !name) {
    throw validation_error("Unsupported service namespace, resource type or scalable dimension");
  }
  return std::move(*name);
}

std::string StoredTarget::arn() const {
  return Arn{"application-autoscaling", region, account, "scalable-target/" + name}.str();
}

std::optional<StoredTarget> find_target(store::Tx& tx, std::int64_t number) {
  static const std::string sql = "SELECT " + kTargetColumns + " FROM scalable_targets WHERE id = $1";
  return tx.query(sql, number).one(read_target);
}

std::optional<StoredTarget> find_target(Call& call, const std::string& resource) {
  static const std::string sql =
      "SELECT " + kTargetColumns + " FROM scalable_targets WHERE account = $1 AND region = $2 AND resource = $3";
  return call.tx.query(sql, call.caller.account, call.caller.region, resource).one(read_target);
}

std::optional<StoredTarget> find_target_by_arn(Call& call, const std::string& arn) {
  static const std::string sql =
      "SELECT " + kTargetColumns + " FROM scalable_targets WHERE account = $1 AND region = $2 AND name = $3";
  constexpr std::string_view kPrefix = "scalable-target/";
  const auto parsed = parse_arn(arn, "application-autoscaling");
  if (!parsed || !parsed->resource.starts_with(kPrefix)) return std::nullopt;
  const std::string_view name = parsed->resource.substr(kPrefix.size());
  if (!is_resource_part(name) || parsed->account != call.caller.account) return std::nullopt;
  return call.tx.query(sql, call.caller.account, parsed->region, name).one(read_target);
}

std::vector<StoredTarget> list_targets(Call& call, const std::vector<std::string>& resources, std::int64_t after,
                                       std::int64_t most) {
  static const std::string sql = "SELECT " + kTargetColumns +
                                 " FROM scalable_targets WHERE account = $1 AND region = $2 AND id > $3 ORDER BY id";
  std::vector<StoredTarget> targets;
  call.tx.query(sql, call.caller.account, call.caller.region, after).each([&](const store::Row& row) {
    if (static_cast<std::int64_t>(targets.size()) >= most) return;
    const bool wanted = resources.empty() || std::ranges::find(resources, row.text(3)) != resources.end();
    if (wanted) targets.push_back(read_target(row));
  });
  return targets;
}

std::int64_t count_targets(Call& call) {
  return call.tx
      .query("SELECT count(*) FROM scalable_targets WHERE account = $1 AND region = $2", call.caller.account,
             call.caller.region)
      .integer();
}

void insert_target(store::Tx& tx, StoredTarget& target) {
  target.number = tx.insert(
      "INSERT INTO scalable_targets (account, region, resource, name, min, max, suspended, tags, created_at, "
      "cooling_activity) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0)",
      target.account, target.region, target.resource, target.name, target.bounds.min, target.bounds.max,
      to_json(target.suspended), to_json(TargetTags{target.tags}), target.created_at);
}

void update_target(store::Tx& tx, const StoredTarget& target) {
  std::optional<int> from, to;
  std::optional<base::Time> since;
  std::optional<std::int64_t> length;
  if (target.cooling) {
    from = target.cooling->from;
    to = target.cooling->to;
    since = target.cooling->since;
    length = target.cooling->length.count();
  }
  tx.exec("UPDATE scalable_targets SET min = $2, max = $3, suspended = $4, tags = $5, cooling_from = $6, "
          "cooling_to = $7, cooling_since = $8, cooling_ms = $9, cooling_activity = $10 WHERE id = $1",
          target.number, target.bounds.min, target.bounds.max, to_json(target.suspended),
          to_json(TargetTags{target.tags}), from, to, since, length, target.cooling_activity);
}

void delete_target(store::Tx& tx, std::int64_t number) {
  tx.exec("DELETE FROM scalable_target_policies WHERE target = $1", number);
  tx.exec("DELETE FROM scalable_target_schedules WHERE target = $1", number);
  tx.exec("DELETE FROM scalable_targets WHERE id = $1", number);
}

Caller principal_for(const Call& call, const StoredTarget& target) {
  Caller principal = as_service(call, kPrincipal, target.arn(), target.account);
  principal.region = target.region;
  return principal;
}

}  // namespace services::application_autoscaling
