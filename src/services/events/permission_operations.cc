// SPDX-License-Identifier: Apache-2.0
// PutPermission and RemovePermission: the policy of a bus, by which other accounts may send events to it.
#include <boost/json.hpp>

#include "services/arn.h"
#include "services/events/errors.h"
#include "services/events/event_bus.h"
#include "services/events/operations.h"
#include "services/policy.h"

namespace services::events {
using namespace shapes::events;
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxPolicyBytes = 10240;  // Amazon's

json::object policy_of(const StoredBus& bus) {
  if (bus.policy) return json::parse(*bus.policy).as_object();
  return {{"Version", "2012-10-17"}, {"Statement", json::array()}};
}

json::array statements_of(const json::object& policy) {
  const json::value& statements = policy.at("Statement");
  return statements.is_array() ? statements.get_array() : json::array{statements};
}

bool has_id(const json::value& statement, std::string_view id) {
  const json::value* sid = statement.is_object() ? statement.get_object().if_contains("Sid") : nullptr;
  return sid && sid->is_string() && std::string_view(sid->get_string().data(), sid->get_string().size()) == id;
}

void save_policy(Call& call, StoredBus bus, std::optional<std::string> policy) {
  if (policy && policy->size() > kMaxPolicyBytes) {
    throw wire::ApiError("PolicyLengthExceededException", "The event bus policy is too long.");
  }
  bus.policy = std::move(policy);
  bus.modified_at = call.now;
  save_bus(call, std::move(bus));
}

void check_policy(const std::string& text) {
  const auto document = policy::parse(text);
  if (!document || !document->has_statements) throw validation_error("Parameter Policy is not valid.");
  for (const policy::Statement& statement : document->statements) {
    const bool known = (statement.effect == "Allow" || statement.effect == "Deny") && statement.actions.given &&
                       statement.principals.given && statement.unknown.empty() && statement.again.empty();
    if (!known) throw validation_error("Parameter Policy is not valid.");
  }
}

void check_statement(const PutPermissionRequest& request) {
  if (!request.Action || !request.Principal || !request.StatementId) {
    throw validation_error("Parameter(s) Action, Principal and StatementId must be specified.");
  }
  check_name("statementId", *request.StatementId);
  if (*request.Action != "events:PutEvents") {
    throw validation_error("Provided value in parameter 'action' is not supported.");
  }
  if (*request.Principal == "*" || is_account_id(*request.Principal)) return;
  throw validation_error("Provided value in parameter 'principal' is not supported.");
}

json::value principal_of(const std::string& principal) {
  if (principal == "*") return "*";
  return json::object{{"AWS", "arn:aws:iam::" + principal + ":root"}};
}

// A statement with a known id is replaced.
void put_permission(Call& call, const PutPermissionRequest& request) {
  StoredBus bus = find_bus(call, request.EventBusName);
  if (request.Policy) {
    if (request.Action || request.Principal || request.StatementId || request.Condition) {
      throw validation_error("Parameter Policy can't be combined with Action, Principal, StatementId and Condition.");
    }
    check_policy(*request.Policy);
    return save_policy(call, std::move(bus), request.Policy);
  }
  check_statement(request);
  json::object statement{{"Sid", *request.StatementId},
                         {"Effect", "Allow"},
                         {"Principal", principal_of(*request.Principal)},
                         {"Action", *request.Action},
                         {"Resource", bus.id.arn()}};
  if (request.Condition) {
    statement["Condition"] =
        json::object{{request.Condition->Type, json::object{{request.Condition->Key, request.Condition->Value}}}};
  }
  json::object policy = policy_of(bus);
  json::array kept;
  for (json::value& one : statements_of(policy)) {
    if (!has_id(one, *request.StatementId)) kept.push_back(std::move(one));
  }
  kept.push_back(std::move(statement));
  policy["Statement"] = std::move(kept);
  save_policy(call, std::move(bus), json::serialize(policy));
}

void remove_permission(Call& call, const RemovePermissionRequest& request) {
  StoredBus bus = find_bus(call, request.EventBusName);
  if (request.RemoveAllPermissions.value_or(false)) return save_policy(call, std::move(bus), std::nullopt);
  if (!request.StatementId) throw validation_error("Parameter StatementId is required.");
  if (!bus.policy) throw wire::ApiError("ResourceNotFoundException", "EventBus does not have a policy.");
  json::object policy = policy_of(bus);
  const json::array statements = statements_of(policy);
  json::array kept;
  for (const json::value& one : statements) {
    if (!has_id(one, *request.StatementId)) kept.push_back(one);
  }
  if (kept.size() == statements.size()) {
    throw wire::ApiError("ResourceNotFoundException", "Statement with the provided id does not exist.");
  }
  std::optional<std::string> left;
  policy["Statement"] = kept;
  if (!kept.empty()) left = json::serialize(policy);
  save_policy(call, std::move(bus), std::move(left));
}

}  // namespace

std::vector<Operation> permission_operations() {
  return {
      operation<&put_permission>("PutPermission", Access::Write),
      operation<&remove_permission>("RemovePermission", Access::Write),
  };
}

}  // namespace services::events
