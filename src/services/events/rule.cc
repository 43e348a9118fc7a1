// SPDX-License-Identifier: Apache-2.0
#include "services/events/rule.h"

#include "services/arn.h"
#include "services/events/errors.h"
#include "services/events/rule_tags.h"
#include "services/shape_json.h"

namespace services::events {
namespace {

constexpr char kTables[] = R"sql(
CREATE TABLE events_rules (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  name TEXT NOT NULL,
  pattern TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  description TEXT,
  role_arn TEXT,
  tags TEXT NOT NULL,
  UNIQUE (account, region, name)
);
CREATE INDEX events_rules_enabled ON events_rules (account, region, name) WHERE enabled = 1;

CREATE TABLE events_targets (
  rule INTEGER NOT NULL,               -- a row of events_rules
  id TEXT NOT NULL,
  arn TEXT NOT NULL,
  body TEXT NOT NULL,                  -- all of the target, in Amazon's shape
  PRIMARY KEY (rule, id)
);
CREATE INDEX events_targets_arn ON events_targets (arn, rule);
)sql";

// The column `name` holds what follows "rule/" in the ARN: NAME, or BUS/NAME on a bus of one's own. The pattern is "" for a
// rule without one.
constexpr char kBuses[] = R"sql(
CREATE TABLE events_buses (
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  policy TEXT,
  tags TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  modified_at INTEGER NOT NULL,
  PRIMARY KEY (account, region, name)
);
ALTER TABLE events_rules ADD COLUMN bus TEXT NOT NULL DEFAULT 'default';
ALTER TABLE events_rules ADD COLUMN schedule TEXT;
ALTER TABLE events_rules ADD COLUMN due_at INTEGER;
DROP INDEX events_rules_enabled;
CREATE INDEX events_rules_enabled ON events_rules (account, region, bus, name) WHERE enabled = 1;
CREATE INDEX events_rules_due ON events_rules (due_at) WHERE due_at IS NOT NULL;
)sql";

const std::string kRuleColumns =
    "id, account, region, bus, name, pattern, enabled, description, role_arn, tags, schedule, due_at";

std::string path_of(const std::string& bus, const std::string& name) {
  return bus == kDefaultBus ? name : bus + "/" + name;
}

std::string name_of(const std::string& bus, const std::string& path) {
  return bus == kDefaultBus ? path : path.substr(bus.size() + 1);
}

StoredRule read_rule(const store::Row& row) {
  StoredRule rule;
  rule.number = row.integer(0);
  rule.bus = {row.str(1), row.str(2), row.str(3)};
  rule.name = name_of(rule.bus.name, row.str(4));
  if (std::string pattern = row.str(5); !pattern.empty()) rule.pattern = std::move(pattern);
  rule.enabled = row.boolean(6);
  rule.description = row.maybe_str(7);
  rule.role_arn = row.maybe_str(8);
  rule.tags = from_json<TagList>(row.text(9)).tags;
  rule.schedule = row.maybe_str(10);
  rule.due_at = row.maybe_time(11);
  return rule;
}

}  // namespace

std::string StoredRule::arn() const {
  return Arn{"events", bus.region, bus.account, "rule/" + path_of(bus.name, name)}.str();
}

store::Migrations migrations() { return {"events", {kTables, kBuses}}; }

std::optional<StoredRule> load_rule(Call& call, const BusName& bus, const std::string& name) {
  static const std::string sql =
      "SELECT " + kRuleColumns + " FROM events_rules WHERE account = $1 AND region = $2 AND name = $3 AND bus = $4";
  if (name.find('\0') != name.npos) return std::nullopt;
  return call.tx.query(sql, bus.account, bus.region, path_of(bus.name, name), bus.name).one(read_rule);
}

std::optional<StoredRule> load_rule(Call& call, std::int64_t number) {
  static const std::string sql = "SELECT " + kRuleColumns + " FROM events_rules WHERE id = $1";
  return call.tx.query(sql, number).one(read_rule);
}

StoredRule find_rule(Call& call, const std::optional<std::string>& bus, const std::string& name) {
  const BusName found = find_bus(call, bus).id;
  auto rule = load_rule(call, found, name);
  if (!rule) throw rule_not_found(name, found.name);
  return std::move(*rule);
}

StoredRule find_rule_by_arn(Call& call, const std::string& text) {
  const auto arn = parse_arn(text, "events");
  if (!arn || !arn->resource.starts_with("rule/")) {
    throw validation_error("Parameter " + text + " is not valid. Reason: Provided Arn is not in correct format.");
  }
  BusName bus{std::string(arn->account), std::string(arn->region)};
  std::string name(arn->resource.substr(5));
  if (const std::size_t slash = name.rfind('/'); slash != name.npos) {
    bus.name = name.substr(0, slash);
    name.erase(0, slash + 1);
  }
  const bool own = bus.account == call.caller.account && bus.region == call.caller.region;
  auto rule = own ? load_rule(call, bus, name) : std::nullopt;
  if (!rule) throw rule_not_found(name, bus.name);
  return std::move(*rule);
}

std::vector<std::string> list_rule_names(Call& call, const BusName& bus, const std::string& prefix,
                                         const std::string& after) {
  auto names = call.tx
                   .query("SELECT name FROM events_rules WHERE account = $1 AND region = $2 AND bus = $3 AND name > $4"
                          " ORDER BY name",
                          bus.account, bus.region, bus.name, path_of(bus.name, after))
                   .all([&](const store::Row& row) { return name_of(bus.name, row.str(0)); });
  std::erase_if(names, [&](const std::string& name) { return !name.starts_with(prefix); });
  return names;
}

std::vector<StoredRule> list_enabled_rules(Call& call, const BusName& bus) {
  static const std::string sql = "SELECT " + kRuleColumns +
                                 " FROM events_rules WHERE account = $1 AND region = $2 AND bus = $3 AND enabled = 1"
                                 " AND pattern <> '' ORDER BY name";
  return call.tx.query(sql, bus.account, bus.region, bus.name).all(read_rule);
}

bool has_enabled_rules(Call& call) {
  return call.tx.query("SELECT 1 FROM events_rules WHERE enabled = 1 LIMIT 1").integer() != 0;
}

void insert_rule(Call& call, const StoredRule& rule) {
  call.tx.exec(
      "INSERT INTO events_rules (account, region, bus, name, pattern, enabled, description, role_arn, tags, schedule,"
      " due_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
      rule.bus.account, rule.bus.region, rule.bus.name, path_of(rule.bus.name, rule.name), rule.pattern.value_or(""),
      rule.enabled, rule.description, rule.role_arn, to_json(TagList{rule.tags}), rule.schedule, rule.due_at);
}

void update_rule(Call& call, const StoredRule& rule) {
  call.tx.exec(
      "UPDATE events_rules SET pattern = $2, enabled = $3, description = $4, role_arn = $5, tags = $6, schedule = $7,"
      " due_at = $8 WHERE id = $1",
      rule.number, rule.pattern.value_or(""), rule.enabled, rule.description, rule.role_arn,
      to_json(TagList{rule.tags}), rule.schedule, rule.due_at);
}

}  // namespace services::events
