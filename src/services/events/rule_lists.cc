// SPDX-License-Identifier: Apache-2.0
// ListRules and ListRuleNamesByTarget.
#include <set>

#include "services/events/errors.h"
#include "services/events/operations.h"
#include "services/events/rule.h"

namespace services::events {
using namespace shapes::events;
namespace {

Rule to_shape(const StoredRule& rule) {
  Rule out;
  out.Name = rule.name;
  out.Arn = rule.arn();
  out.EventPattern = rule.pattern;
  out.ScheduleExpression = rule.schedule;
  out.State = rule.enabled ? "ENABLED" : "DISABLED";
  out.Description = rule.description;
  out.RoleArn = rule.role_arn;
  out.EventBusName = rule.bus.name;
  return out;
}

ListRulesResponse list_rules(Call& call, const ListRulesRequest& request) {
  const BusName bus = find_bus(call, request.EventBusName).id;
  const Page page = read_page(request.Limit, request.NextToken, page_rules());
  const std::string prefix = request.NamePrefix.value_or("");
  check_text("NamePrefix", prefix);
  auto names = list_rule_names(call, bus, prefix, page.after);
  ListRulesResponse response;
  response.NextToken = cut_page(names, page);
  response.Rules.emplace();
  for (const std::string& name : names) response.Rules->push_back(to_shape(*load_rule(call, bus, name)));
  return response;
}

// All of them: a bus has at most kMaxRules.
std::set<std::string> list_targeting_rules(Call& call, const BusName& bus, const std::string& target) {
  std::set<std::string> names;
  const auto rules = call.tx
                         .query("SELECT DISTINCT r.id FROM events_targets t JOIN events_rules r ON r.id = t.rule"
                                " WHERE t.arn = $1 AND r.account = $2 AND r.region = $3 AND r.bus = $4",
                                target, bus.account, bus.region, bus.name)
                         .all([](const store::Row& row) { return row.integer(0); });
  for (const std::int64_t rule : rules) names.insert(load_rule(call, rule)->name);
  return names;
}

ListRuleNamesByTargetResponse list_rule_names_by_target(Call& call, const ListRuleNamesByTargetRequest& request) {
  const BusName bus = find_bus(call, request.EventBusName).id;
  const Page page = read_page(request.Limit, request.NextToken, page_rules());
  check_text("TargetArn", request.TargetArn);
  ListRuleNamesByTargetResponse response;
  const std::set<std::string> targeting = list_targeting_rules(call, bus, request.TargetArn);
  response.RuleNames.emplace(targeting.upper_bound(page.after), targeting.end());
  response.NextToken = cut_page(*response.RuleNames, page);
  return response;
}

// Whether a service has anybody to publish events for: one rule, or none.
ListRulesResponse list_one_enabled_rule(Call& call, const ListRulesRequest&) {
  ListRulesResponse response;
  response.Rules.emplace();
  if (has_enabled_rules(call)) response.Rules->emplace_back();
  return response;
}

}  // namespace

std::vector<Operation> rule_list_operations() {
  return {
      operation<&list_rule_names_by_target>("ListRuleNamesByTarget", Access::Read),
      operation<&list_rules>("ListRules", Access::Read),
  };
}

std::vector<Operation> internal_operations() {
  return {operation<&list_one_enabled_rule>("ListOneEnabledRule", Access::Read)};
}

}  // namespace services::events
