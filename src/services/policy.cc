// SPDX-License-Identifier: Apache-2.0
#include "services/policy.h"

#include <algorithm>

#include "base/bytes.h"
#include "services/policy_condition.h"
#include "wire/timestamp.h"

namespace services::policy {
namespace {

bool is_principal(const Principals& principals, const Request& request) {
  if (principals.everybody) return true;
  auto has = [](const std::vector<std::string>& list, const std::string& text) {
    return !text.empty() && std::find(list.begin(), list.end(), text) != list.end();
  };
  const std::string& account = request.principal_account;
  if (has(principals.accounts, account)) return true;
  if (!account.empty() && has(principals.accounts, "arn:aws:iam::" + account + ":root")) return true;
  if (has(principals.canonical_users, request.principal_canonical)) return true;
  if (has(principals.services, request.principal_service)) return true;
  return !request.principal_service.empty() && has(principals.services, "*");
}

bool statement_fits(const Statement& statement, const Request& request, bool deny) {
  auto fits = [](const Patterns& patterns, auto&& test) {
    if (!patterns.given) return false;
    return std::any_of(patterns.values.begin(), patterns.values.end(), test) != patterns.negated;
  };
  const Principals& principals = statement.principals;
  if (!principals.given || is_principal(principals, request) == principals.negated) return false;
  const std::string action = base::to_lower(request.action);
  if (!fits(statement.actions, [&](const std::string& text) { return matches(base::to_lower(text), action); })) {
    return false;
  }
  if (!fits(statement.resources, [&](const std::string& text) { return matches(text, request.resource); })) {
    return false;
  }
  return std::all_of(statement.conditions.begin(), statement.conditions.end(),
                     [&](const Condition& condition) { return holds(condition, request.context, deny); });
}

}  // namespace

Verdict evaluate(const Document& policy, const Request& request) {
  Verdict verdict = Verdict::NoMatch;
  for (const Statement& statement : policy.statements) {
    const bool deny = statement.effect == "Deny";
    if (!deny && statement.effect != "Allow") continue;
    if (!statement_fits(statement, request, deny)) continue;
    if (deny) return Verdict::Denied;
    verdict = Verdict::Allowed;
  }
  return verdict;
}

Verdict evaluate(std::string_view policy, const Request& request) {
  const std::optional<Document> document = parse(policy);
  return document ? evaluate(*document, request) : Verdict::NoMatch;
}

Context context_of(const Caller& caller, base::Time now) {
  Context context = {{"aws:CurrentTime", wire::to_iso8601(now)},
                     {"aws:EpochTime", std::to_string(base::to_seconds(now))},
                     {"aws:PrincipalIsAWSService", "false"},
                     {"aws:ViaAWSService", "false"},
                     {"aws:SecureTransport", caller.secure() ? "true" : "false"}};
  if (!caller.address.empty()) context["aws:SourceIp"] = caller.address;
  context.insert(caller.conditions.begin(), caller.conditions.end());
  if (!caller.service.empty()) {
    context["aws:PrincipalIsAWSService"] = "true";
    context["aws:PrincipalServiceName"] = caller.service;
    context["aws:SourceArn"] = caller.source_arn;
    context["aws:SourceAccount"] = caller.account;
    context["aws:SecureTransport"] = "true";  // no network lies between our services
    return context;
  }
  if (caller.anonymous()) {
    context["aws:PrincipalType"] = "Anonymous";
    return context;
  }
  context["aws:PrincipalType"] = "Account";
  context["aws:PrincipalAccount"] = caller.account;
  context["aws:PrincipalArn"] = caller.arn();
  context["aws:userid"] = caller.account;
  return context;
}

std::string problem(std::string_view policy) {
  if (policy.size() > kMaxBytes) return "it is longer than 8192 bytes";
  const std::optional<Document> document = parse(policy);
  if (!document) return "it is not a JSON object";
  if (!document->has_statements) return "its Statement is missing or not an object";
  if (document->statements.size() > kMaxStatements) return "it has more than 20 statements";
  for (const Statement& statement : document->statements) {
    if (statement.effect != "Allow" && statement.effect != "Deny") return "a statement's Effect must be Allow or Deny";
    if (!statement.again.empty()) return "a statement has " + statement.again.front() + " beside its opposite";
    if (!statement.principals.given) return "a statement has no Principal";
    if (!statement.actions.given) return "a statement has no Action";
    if (!statement.resources.given) return "a statement has no Resource";
  }
  return "";
}

bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = pattern.npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t]) && pattern[p] != '*') {
      ++p, ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (star != pattern.npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace services::policy
