// SPDX-License-Identifier: Apache-2.0
// AddPermission and RemovePermission: statements of the queue's policy by their label.
#include <boost/json.hpp>

#include "services/arn.h"
#include "services/policy.h"
#include "services/sqs/batch.h"
#include "services/sqs/errors.h"
#include "services/sqs/operations.h"
#include "services/sqs/queue.h"
#include "shapes/sqs/permission.h"

namespace services::sqs {
using namespace shapes::sqs;
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxActions = 7;
constexpr std::string_view kSharedActions[] = {
    "*", "ChangeMessageVisibility", "DeleteMessage", "GetQueueAttributes", "GetQueueUrl",
    "ListDeadLetterSourceQueues", "PurgeQueue", "ReceiveMessage", "SendMessage",
};

json::object policy_of(const Queue& queue) {
  if (queue.policy) return json::parse(*queue.policy).as_object();
  return {{"Version", "2008-10-17"}, {"Id", queue.arn() + "/SQSDefaultPolicy"}, {"Statement", json::array()}};
}

json::array statements_of(const json::object& policy) {
  const json::value& statements = policy.at("Statement");
  return statements.is_array() ? statements.get_array() : json::array{statements};
}

bool has_label(const json::value& statement, std::string_view label) {
  const json::value* sid = statement.is_object() ? statement.get_object().if_contains("Sid") : nullptr;
  return sid && sid->is_string() && std::string_view(sid->get_string().data(), sid->get_string().size()) == label;
}

void save_policy(Call& call, const Queue& queue, json::object policy, json::array statements) {
  const bool empty = statements.empty();
  policy["Statement"] = std::move(statements);
  std::optional<std::string> text;
  if (!empty) text = json::serialize(policy);
  call.tx.exec("UPDATE sqs_queues SET policy = $2, modified_at = $3 WHERE id = $1", queue.id, text, call.now);
}

// As Amazon writes it: a list only for several.
json::value one_or_list(json::array values) {
  if (values.size() == 1) return values.front();
  return values;
}

void check_actions(const std::vector<std::string>& actions) {
  if (actions.empty()) throw missing_parameter("Actions");
  if (actions.size() > kMaxActions) {
    throw wire::ApiError("OverLimit", std::to_string(actions.size()) +
                                          " Actions were found, maximum allowed is " + std::to_string(kMaxActions) + ".");
  }
  for (const std::string& action : actions) {
    if (std::find(std::begin(kSharedActions), std::end(kSharedActions), action) == std::end(kSharedActions)) {
      throw invalid_value("SQS:" + action, "ActionName", "Only the queue owner is allowed to invoke this action.");
    }
  }
}

void check_accounts(const std::vector<std::string>& accounts) {
  if (accounts.empty()) throw invalid_value("[]", "PrincipalId", "Unable to verify.");
  for (const std::string& account : accounts) {
    if (!is_account_id(account)) throw invalid_value("[" + account + "]", "PrincipalId", "Unable to verify.");
  }
}

void add_permission(Call& call, const AddPermissionRequest& request) {
  Queue queue = find_own_queue(call, request.QueueUrl);
  if (request.Label.empty()) throw missing_parameter("Label");
  if (!valid_entry_id(request.Label)) {
    throw invalid_value(request.Label, "Label",
                        "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length.");
  }
  check_actions(request.Actions);
  check_accounts(request.AWSAccountIds);
  json::object policy = policy_of(queue);
  json::array statements = statements_of(policy);
  for (const json::value& statement : statements) {
    if (has_label(statement, request.Label)) throw invalid_value(request.Label, "Label", "Already exists.");
  }
  json::array principals, actions;
  for (const std::string& account : request.AWSAccountIds) principals.push_back(json::value("arn:aws:iam::" + account + ":root"));
  for (const std::string& action : request.Actions) actions.push_back(json::value("SQS:" + action));
  statements.push_back(json::object{{"Sid", request.Label},
                                    {"Effect", "Allow"},
                                    {"Principal", json::object{{"AWS", one_or_list(std::move(principals))}}},
                                    {"Action", one_or_list(std::move(actions))},
                                    {"Resource", queue.arn()}});
  if (statements.size() > policy::kMaxStatements) {
    throw wire::ApiError("OverLimit", "A queue's policy can hold at most 20 statements.");
  }
  save_policy(call, queue, std::move(policy), std::move(statements));
}

void remove_permission(Call& call, const RemovePermissionRequest& request) {
  Queue queue = find_own_queue(call, request.QueueUrl);
  json::object policy = policy_of(queue);
  json::array statements = statements_of(policy), kept;
  for (const json::value& statement : statements) {
    if (!has_label(statement, request.Label)) kept.push_back(statement);
  }
  if (kept.size() == statements.size()) {
    throw invalid_value(request.Label, "Label",
                        queue.policy ? "can't find label on existing policy." : "can't find label.");
  }
  save_policy(call, queue, std::move(policy), std::move(kept));
}

}  // namespace

std::vector<Operation> permission_operations() {
  return {
      operation<&add_permission>("AddPermission", Access::Write),
      operation<&remove_permission>("RemovePermission", Access::Write),
  };
}

}  // namespace services::sqs
