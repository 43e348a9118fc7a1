// SPDX-License-Identifier: Apache-2.0
#include "services/logs/resource_policies.h"

#include "services/logs/errors.h"
#include "services/logs/operations.h"
#include "services/policy.h"
#include "shapes/logs/resource_policy.h"

namespace services::logs {
using namespace shapes::logs;
namespace {

// Amazon's, of an account in a region.
constexpr std::int64_t kMaxPolicies = 10;
constexpr std::size_t kMaxDocumentBytes = 5120;

wire::ApiError policy_not_found(const std::string& name) {
  return wire::ApiError("ResourceNotFoundException", "Policy with name [" + name + "] does not exist.");
}

template <class Request>
void reject_scope(const Request& request) {
  if (request.resourceArn) throw unsupported("resourceArn: a policy is one of the account");
  if (request.expectedRevisionId) throw unsupported("expectedRevisionId");
}

const std::string& required_name(const std::optional<std::string>& name) {
  if (!name || name->empty() || name->find('\0') != name->npos) throw invalid_parameter("policyName is required.");
  return *name;
}

void check_document(const std::optional<std::string>& text) {
  if (!text) throw invalid_parameter("policyDocument is required.");
  if (text->size() > kMaxDocumentBytes) throw resource_limit_exceeded();
  const auto document = policy::parse(*text);
  if (!document || !document->has_statements) throw invalid_parameter("The policy document is invalid.");
}

ResourcePolicy shown(const std::string& name, const std::string& document, std::int64_t updated_ms) {
  ResourcePolicy policy;
  policy.policyName = name;
  policy.policyDocument = document;
  policy.lastUpdatedTime = updated_ms;
  policy.policyScope = "ACCOUNT";
  return policy;
}

PutResourcePolicyResponse put_resource_policy(Call& call, const PutResourcePolicyRequest& request) {
  reject_scope(request);
  const std::string& name = required_name(request.policyName);
  check_document(request.policyDocument);
  call.tx.exec(
      "INSERT INTO logs_resource_policies (account, region, name, document, updated_at) VALUES ($1, $2, $3, $4, $5)"
      " ON CONFLICT (account, region, name) DO UPDATE SET document = excluded.document, updated_at = excluded.updated_at",
      call.caller.account, call.caller.region, name, *request.policyDocument, call.now);
  const auto count = call.tx
                         .query("SELECT count(*) FROM logs_resource_policies WHERE account = $1 AND region = $2",
                                call.caller.account, call.caller.region)
                         .integer();
  if (count > kMaxPolicies) throw resource_limit_exceeded();
  PutResourcePolicyResponse response;
  response.resourcePolicy = shown(name, *request.policyDocument, base::to_millis(call.now));
  return response;
}

DescribeResourcePoliciesResponse describe_resource_policies(Call& call, const DescribeResourcePoliciesRequest& request) {
  if (request.resourceArn) throw unsupported("resourceArn: a policy is one of the account");
  if (request.nextToken && request.nextToken->find('\0') != std::string::npos) throw invalid_token();
  DescribeResourcePoliciesResponse response;
  auto& list = response.resourcePolicies.emplace();
  if (request.policyScope == "RESOURCE") return response;
  const std::size_t most = static_cast<std::size_t>(request.limit.value_or(static_cast<std::int32_t>(kMaxPolicies)));
  call.tx
      .query("SELECT name, document, updated_at FROM logs_resource_policies WHERE account = $1 AND region = $2"
             " AND name > $3 ORDER BY name LIMIT $4",
             call.caller.account, call.caller.region, request.nextToken.value_or(""), most + 1)
      .each([&](const store::Row& row) { list.push_back(shown(row.str(0), row.str(1), row.integer(2))); });
  if (list.size() <= most) return response;
  list.resize(most);
  response.nextToken = list.back().policyName;
  return response;
}

void delete_resource_policy(Call& call, const DeleteResourcePolicyRequest& request) {
  reject_scope(request);
  const std::string& name = required_name(request.policyName);
  const auto deleted = call.tx.exec("DELETE FROM logs_resource_policies WHERE account = $1 AND region = $2 AND name = $3",
                                    call.caller.account, call.caller.region, name);
  if (deleted == 0) throw policy_not_found(name);
}

}  // namespace

void check_service(Call& call, const Group& group, std::string_view stream, std::string_view action) {
  if (call.caller.service.empty()) return;
  const policy::Request request{.principal_account = {},
                                .principal_service = call.caller.service,
                                .principal_canonical = {},
                                .action = std::string(action),
                                .resource = group.stream_arn(std::string(stream)),
                                .context = policy::context_of(call.caller, call.now)};
  bool allowed = false, denied = false;
  call.tx
      .query("SELECT document FROM logs_resource_policies WHERE account = $1 AND region = $2 ORDER BY name",
             group.account, group.region)
      .each([&](const store::Row& row) {
        const policy::Verdict verdict = policy::evaluate(row.text(0), request);
        allowed = allowed || verdict == policy::Verdict::Allowed;
        denied = denied || verdict == policy::Verdict::Denied;
      });
  if (allowed && !denied) return;
  throw wire::ApiError("AccessDeniedException", call.caller.service + " is not authorized to perform: " +
                                                    std::string(action) + " on resource: " + group.arn() +
                                                    " because no resource policy allows it");
}

std::vector<Operation> resource_policy_operations() {
  return {
      operation<&put_resource_policy>("PutResourcePolicy", Access::Write),
      operation<&describe_resource_policies>("DescribeResourcePolicies", Access::Read),
      operation<&delete_resource_policy>("DeleteResourcePolicy", Access::Write),
  };
}

}  // namespace services::logs
