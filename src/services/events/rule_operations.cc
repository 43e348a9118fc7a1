// SPDX-License-Identifier: Apache-2.0
// PutRule and the other operations on one rule.
#include "services/arn.h"
#include "services/events/errors.h"
#include "services/events/operations.h"
#include "services/events/pattern.h"
#include "services/events/rule.h"
#include "services/events/rule_tags.h"

namespace services::events {
using namespace shapes::events;
namespace {

bool is_enabled(const PutRuleRequest& request) {
  const std::string state = request.State.value_or("ENABLED");
  if (state == "ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS") throw unsupported("events of CloudTrail");
  return state == "ENABLED";
}

void check_pattern(const std::string& pattern) {
  const auto parsed = parse_pattern(pattern);
  if (parsed) return;
  throw wire::ApiError("InvalidEventPatternException", "Event pattern is not valid. Reason: " + parsed.error());
}

std::int64_t count_rules(Call& call) {
  return call.tx
      .query("SELECT count(*) FROM events_rules WHERE account = $1 AND region = $2", call.caller.account,
             call.caller.region)
      .integer();
}

// Replaces all of a known rule but its targets and its tags, as Amazon does.
PutRuleResponse put_rule(Call& call, const PutRuleRequest& request) {
  check_bus(call.caller, request.EventBusName);
  check_name("name", request.Name);
  check_text("Description", request.Description.value_or(""));
  check_text("RoleArn", request.RoleArn.value_or(""));
  const bool has_schedule = request.ScheduleExpression && !request.ScheduleExpression->empty();
  if (has_schedule) throw unsupported("rules with a ScheduleExpression");
  if (!request.EventPattern || request.EventPattern->empty()) {
    throw validation_error("Parameter(s) EventPattern or ScheduleExpression must be specified.");
  }
  check_pattern(*request.EventPattern);
  auto known = load_rule(call, request.Name);
  StoredRule rule = known ? *known : StoredRule();
  rule.account = call.caller.account;
  rule.region = call.caller.region;
  rule.name = request.Name;
  rule.pattern = *request.EventPattern;
  rule.enabled = is_enabled(request);
  rule.description = request.Description;
  rule.role_arn = request.RoleArn;
  if (known) {
    update_rule(call, rule);
  } else {
    if (count_rules(call) >= kMaxRules) throw limit_exceeded();
    rule.tags = add_tags({}, request.Tags.value_or(std::vector<Tag>()));
    insert_rule(call, rule);
  }
  return {.RuleArn = rule.arn()};
}

DescribeRuleResponse describe_rule(Call& call, const DescribeRuleRequest& request) {
  check_bus(call.caller, request.EventBusName);
  const StoredRule rule = find_rule(call, request.Name);
  DescribeRuleResponse response;
  response.Name = rule.name;
  response.Arn = rule.arn();
  response.EventPattern = rule.pattern;
  response.State = rule.enabled ? "ENABLED" : "DISABLED";
  response.Description = rule.description;
  response.RoleArn = rule.role_arn;
  response.EventBusName = "default";
  response.CreatedBy = rule.account;
  return response;
}

void set_enabled(Call& call, const std::string& name, bool enabled) {
  StoredRule rule = find_rule(call, name);
  rule.enabled = enabled;
  update_rule(call, rule);
}

void enable_rule(Call& call, const EnableRuleRequest& request) {
  check_bus(call.caller, request.EventBusName);
  set_enabled(call, request.Name, true);
}

void disable_rule(Call& call, const DisableRuleRequest& request) {
  check_bus(call.caller, request.EventBusName);
  set_enabled(call, request.Name, false);
}

// A rule that does not exist is deleted already.
void delete_rule(Call& call, const DeleteRuleRequest& request) {
  check_bus(call.caller, request.EventBusName);
  const auto rule = load_rule(call, request.Name);
  if (!rule) return;
  if (call.tx.query("SELECT count(*) FROM events_targets WHERE rule = $1", rule->number).integer() > 0) {
    throw validation_error("Rule can't be deleted since it has targets.");
  }
  call.tx.exec("DELETE FROM events_rules WHERE id = $1", rule->number);
}

}  // namespace

std::vector<Operation> rule_operations() {
  return {
      operation<&delete_rule>("DeleteRule", Access::Write),
      operation<&describe_rule>("DescribeRule", Access::Read),
      operation<&disable_rule>("DisableRule", Access::Write),
      operation<&enable_rule>("EnableRule", Access::Write),
      operation<&put_rule>("PutRule", Access::Write),
  };
}

}  // namespace services::events
