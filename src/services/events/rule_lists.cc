// SPDX-License-Identifier: Apache-2.0
// ListRules and ListRuleNamesByTarget.
#include "services/events/errors.h"
#include "services/events/operations.h"
#include "services/events/rule.h"
#include "services/page.h"

namespace services::events {
using namespace shapes::events;
namespace {

Page page_of(const std::optional<std::int32_t>& limit, const std::optional<std::string>& token) {
  const PageRules rules{.most = kMaxPage,
                        .invalid_size = [](std::int32_t) { return validation_error("Parameter Limit is not valid."); },
                        .invalid_token = [](const std::string&) { return invalid_token(); }};
  return read_page(limit, token, rules);
}

Rule to_shape(const StoredRule& rule) {
  Rule out;
  out.Name = rule.name;
  out.Arn = rule.arn();
  out.EventPattern = rule.pattern;
  out.State = rule.enabled ? "ENABLED" : "DISABLED";
  out.Description = rule.description;
  out.RoleArn = rule.role_arn;
  out.EventBusName = "default";
  return out;
}

ListRulesResponse list_rules(Call& call, const ListRulesRequest& request) {
  check_bus(call.caller, request.EventBusName);
  const Page page = page_of(request.Limit, request.NextToken);
  const std::string prefix = request.NamePrefix.value_or("");
  check_text("NamePrefix", prefix);
  auto names = call.tx
                   .query("SELECT name FROM events_rules WHERE account = $1 AND region = $2 AND name > $3"
                          " AND substr(name, 1, $4) = $5 ORDER BY name LIMIT $6",
                          call.caller.account, call.caller.region, page.after, prefix.size(), prefix, page.size + 1)
                   .all([](const store::Row& row) { return row.str(0); });
  ListRulesResponse response;
  response.NextToken = cut_page(names, page);
  response.Rules.emplace();
  for (const std::string& name : names) response.Rules->push_back(to_shape(find_rule(call, name)));
  return response;
}

ListRuleNamesByTargetResponse list_rule_names_by_target(Call& call, const ListRuleNamesByTargetRequest& request) {
  check_bus(call.caller, request.EventBusName);
  const Page page = page_of(request.Limit, request.NextToken);
  check_text("TargetArn", request.TargetArn);
  ListRuleNamesByTargetResponse response;
  response.RuleNames = call.tx
                           .query("SELECT DISTINCT r.name FROM events_targets t JOIN events_rules r ON r.id = t.rule"
                                  " WHERE t.arn = $1 AND r.account = $2 AND r.region = $3 AND r.name > $4"
                                  " ORDER BY r.name LIMIT $5",
                                  request.TargetArn, call.caller.account, call.caller.region, page.after, page.size + 1)
                           .all([](const store::Row& row) { return row.str(0); });
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
