// SPDX-License-Identifier: Apache-2.0
// PutRule and the other operations on one rule.
#include "services/events/errors.h"
#include "services/events/operations.h"
#include "services/events/pattern.h"
#include "services/events/rule.h"
#include "services/events/rule_tags.h"
#include "services/events/schedule.h"

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

std::int64_t count_rules(Call& call, const BusName& bus) {
  return call.tx
      .query("SELECT count(*) FROM events_rules WHERE account = $1 AND region = $2 AND bus = $3", bus.account,
             bus.region, bus.name)
      .integer();
}

// What triggers the rule: a pattern, a schedule, or both.
void check_trigger(const PutRuleRequest& request, const BusName& bus) {
  // Seen at Amazon: also for an empty one.
  if (request.ScheduleExpression && bus.name != kDefaultBus) {
    throw validation_error("ScheduleExpression is supported only on the default event bus.");
  }
  const bool has_pattern = request.EventPattern && !request.EventPattern->empty();
  const bool has_schedule = request.ScheduleExpression && !request.ScheduleExpression->empty();
  if (!has_pattern && !has_schedule) {
    throw validation_error("Parameter(s) EventPattern or ScheduleExpression must be specified.");
  }
  if (has_schedule && !parse_rule_schedule(*request.ScheduleExpression)) {
    throw validation_error("Parameter ScheduleExpression is not valid.");
  }
  if (has_pattern) check_pattern(*request.EventPattern);
}

std::optional<std::string> unless_empty(const std::optional<std::string>& text) {
  return text && !text->empty() ? text : std::nullopt;
}

// Replaces all of a known rule but its targets and its tags, as Amazon does.
PutRuleResponse put_rule(Call& call, const PutRuleRequest& request) {
  const BusName bus = find_bus(call, request.EventBusName).id;
  check_name("name", request.Name);
  check_text("Description", request.Description.value_or(""));
  check_text("RoleArn", request.RoleArn.value_or(""));
  check_trigger(request, bus);
  auto known = load_rule(call, bus, request.Name);
  StoredRule rule = known ? *known : StoredRule();
  rule.bus = bus;
  rule.name = request.Name;
  rule.pattern = unless_empty(request.EventPattern);
  rule.schedule = unless_empty(request.ScheduleExpression);
  rule.enabled = is_enabled(request);
  rule.description = request.Description;
  rule.role_arn = request.RoleArn;
  start_schedule(call, rule);
  if (known) {
    update_rule(call, rule);
  } else {
    if (count_rules(call, bus) >= kMaxRules) throw limit_exceeded();
    rule.tags = add_tags({}, request.Tags.value_or(std::vector<Tag>()));
    insert_rule(call, rule);
  }
  return {.RuleArn = rule.arn()};
}

DescribeRuleResponse describe_rule(Call& call, const DescribeRuleRequest& request) {
  const StoredRule rule = find_rule(call, request.EventBusName, request.Name);
  DescribeRuleResponse response;
  response.Name = rule.name;
  response.Arn = rule.arn();
  response.EventPattern = rule.pattern;
  response.ScheduleExpression = rule.schedule;
  response.State = rule.enabled ? "ENABLED" : "DISABLED";
  response.Description = rule.description;
  response.RoleArn = rule.role_arn;
  response.EventBusName = rule.bus.name;
  response.CreatedBy = rule.bus.account;
  return response;
}

void set_enabled(Call& call, StoredRule rule, bool enabled) {
  if (rule.enabled == enabled) return;
  rule.enabled = enabled;
  start_schedule(call, rule);
  update_rule(call, rule);
}

void enable_rule(Call& call, const EnableRuleRequest& request) {
  set_enabled(call, find_rule(call, request.EventBusName, request.Name), true);
}

void disable_rule(Call& call, const DisableRuleRequest& request) {
  set_enabled(call, find_rule(call, request.EventBusName, request.Name), false);
}

// A rule that does not exist is deleted already.
void delete_rule(Call& call, const DeleteRuleRequest& request) {
  const auto rule = load_rule(call, find_bus(call, request.EventBusName).id, request.Name);
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
