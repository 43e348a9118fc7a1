// SPDX-License-Identifier: Apache-2.0
#include "services/events/rule.h"

#include <boost/describe/class.hpp>

#include "services/arn.h"
#include "services/events/errors.h"
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

const std::string kRuleColumns = "id, account, region, name, pattern, enabled, description, role_arn, tags";

struct TagList {
  std::vector<shapes::events::Tag> tags;
};
BOOST_DESCRIBE_STRUCT(TagList, (), (tags))

StoredRule read_rule(const store::Row& row) {
  StoredRule rule;
  rule.number = row.integer(0);
  rule.account = row.str(1);
  rule.region = row.str(2);
  rule.name = row.str(3);
  rule.pattern = row.str(4);
  rule.enabled = row.boolean(5);
  rule.description = row.maybe_str(6);
  rule.role_arn = row.maybe_str(7);
  rule.tags = from_json<TagList>(row.text(8)).tags;
  return rule;
}

}  // namespace

std::string StoredRule::arn() const { return Arn{"events", region, account, "rule/" + name}.str(); }

store::Migrations migrations() { return {"events", {kTables}}; }

void check_bus(const Caller& caller, const std::optional<std::string>& bus) {
  if (!bus || *bus == "default") return;
  if (*bus == Arn{"events", caller.region, caller.account, "event-bus/default"}.str()) return;
  throw wire::ApiError("ResourceNotFoundException",
                       "Event bus " + *bus + " does not exist. Stoker supports the event bus default only.");
}

std::optional<StoredRule> load_rule(Call& call, const std::string& name) {
  static const std::string sql =
      "SELECT " + kRuleColumns + " FROM events_rules WHERE account = $1 AND region = $2 AND name = $3";
  if (name.find('\0') != name.npos) return std::nullopt;
  return call.tx.query(sql, call.caller.account, call.caller.region, name).one(read_rule);
}

StoredRule find_rule(Call& call, const std::string& name) {
  auto rule = load_rule(call, name);
  if (!rule) throw rule_not_found(name);
  return std::move(*rule);
}

StoredRule find_rule_by_arn(Call& call, const std::string& text) {
  const auto arn = parse_arn(text, "events");
  if (!arn || !arn->resource.starts_with("rule/")) {
    throw validation_error("Parameter " + text + " is not valid. Reason: Provided Arn is not in correct format.");
  }
  std::string name(arn->resource.substr(5));
  if (name.starts_with("default/")) name.erase(0, 8);
  if (arn->account != call.caller.account || arn->region != call.caller.region) throw rule_not_found(name);
  return find_rule(call, name);
}

std::vector<StoredRule> list_enabled_rules(Call& call) {
  static const std::string sql = "SELECT " + kRuleColumns +
                                 " FROM events_rules WHERE account = $1 AND region = $2 AND enabled = 1"
                                 " ORDER BY name";
  return call.tx.query(sql, call.caller.account, call.caller.region).all(read_rule);
}

bool has_enabled_rules(Call& call) {
  return call.tx.query("SELECT 1 FROM events_rules WHERE enabled = 1 LIMIT 1").integer() != 0;
}

void insert_rule(Call& call, const StoredRule& rule) {
  call.tx.exec(
      "INSERT INTO events_rules (account, region, name, pattern, enabled, description, role_arn, tags)"
      " VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
      rule.account, rule.region, rule.name, rule.pattern, rule.enabled, rule.description, rule.role_arn,
      to_json(TagList{rule.tags}));
}

void update_rule(Call& call, const StoredRule& rule) {
  call.tx.exec(
      "UPDATE events_rules SET pattern = $2, enabled = $3, description = $4, role_arn = $5, tags = $6 WHERE id = $1",
      rule.number, rule.pattern, rule.enabled, rule.description, rule.role_arn, to_json(TagList{rule.tags}));
}

}  // namespace services::events
