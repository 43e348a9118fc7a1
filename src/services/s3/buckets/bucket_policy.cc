// SPDX-License-Identifier: Apache-2.0
#include "services/s3/buckets/bucket_policy.h"

#include <algorithm>
#include <iterator>

#include "base/bytes.h"
#include "services/policy_condition.h"
#include "services/s3/buckets/policy_actions.h"
#include "services/s3/buckets/public_policy.h"
#include "services/s3/errors.h"

namespace services::s3 {
namespace {

constexpr std::size_t kMaxPolicyBytes = 20 * 1024;
constexpr std::string_view kArnPrefix = "arn:aws:s3:::";
constexpr std::string_view kAccountArn = "arn:aws:iam::", kRoot = ":root";

wire::ApiError malformed(std::string message) { return wire::ApiError("MalformedPolicy", std::move(message)); }

bool is_account(std::string_view text) {
  return text.size() == 12 && text.find_first_not_of("0123456789") == text.npos;
}

// Condition keys in lower case. Some never have a value here (there are no VPCs, organizations or user names), as at
// Amazon for requests from outside.
constexpr std::string_view kKeys[] = {
    "aws:currenttime", "aws:epochtime", "aws:principalaccount", "aws:principalarn", "aws:principalisawsservice",
    "aws:principalorgid", "aws:principalorgpaths", "aws:principalservicename", "aws:principaltype",
    "aws:referer", "aws:requestedregion", "aws:resourceaccount", "aws:securetransport", "aws:sourceaccount",
    "aws:sourcearn", "aws:sourceip", "aws:sourceorgid", "aws:sourcevpc", "aws:sourcevpce", "aws:useragent",
    "aws:userid", "aws:username", "aws:viaawsservice", "aws:vpcsourceip", "s3:delimiter", "s3:max-keys", "s3:prefix",
    "s3:resourceaccount", "s3:versionid", "s3:x-amz-acl", "s3:x-amz-copy-source", "s3:x-amz-metadata-directive",
    "s3:x-amz-server-side-encryption", "s3:x-amz-storage-class"};
// Prefixes of condition keys that name a tag.
constexpr std::string_view kTagKeys[] = {"s3:existingobjecttag/", "s3:requestobjecttag/"};

// Condition keys that only listings have.
constexpr std::string_view kListKeys[] = {"s3:delimiter", "s3:max-keys", "s3:prefix"};
constexpr std::string_view kListActions[] = {"s3:ListBucket", "s3:ListBucketVersions"};

template <class List, class Fn>
bool any(const List& list, Fn&& fn) {
  return std::any_of(std::begin(list), std::end(list), fn);
}

// Whether the pattern matches an action of the list.
template <class List>
bool matches_any_action(std::string_view pattern, const List& actions) {
  return any(actions, [&](std::string_view action) {
    return policy::matches(base::to_lower(pattern), base::to_lower(action));
  });
}

void check_principals(const policy::Principals& principals) {
  if (!principals.given) throw malformed("Missing required field Principal");
  const bool known = !any(principals.accounts, [](std::string_view text) {
    if (text.starts_with(kAccountArn) && text.ends_with(kRoot)) {
      text = text.substr(kAccountArn.size(), text.size() - kAccountArn.size() - kRoot.size());
    }
    return !is_account(text);
  });
  const bool services = !any(principals.services, [](std::string_view text) { return !text.ends_with(".amazonaws.com"); });
  if (!known || !services || !principals.other_kinds.empty()) throw malformed("Invalid principal in policy");
  if (!principals.everybody && principals.accounts.empty() && principals.canonical_users.empty() &&
      principals.services.empty()) {
    throw malformed("Invalid principal in policy");
  }
}

void check_actions(const policy::Patterns& actions) {
  if (!actions.given) throw malformed("Missing required field Action");
  const bool wrong = any(actions.values, [](const std::string& action) {
    return !matches_any_action(action, kBucketActions) && !matches_any_action(action, kObjectActions);
  });
  if (wrong || actions.values.empty()) throw malformed("Policy has invalid action");
}

void check_resources(const policy::Patterns& resources, const std::string& bucket) {
  if (!resources.given) throw malformed("Missing required field Resource");
  const bool wrong = any(resources.values, [&](std::string_view resource) {
    if (!resource.starts_with(kArnPrefix)) return true;
    resource.remove_prefix(kArnPrefix.size());
    return !policy::matches(resource.substr(0, resource.find('/')), bucket);
  });
  if (wrong || resources.values.empty()) throw malformed("Policy has invalid resource");
  if (any(resources.values, [](const std::string& text) { return text.find("${") != text.npos; })) {
    throw not_implemented("A policy variable (${...}) in a bucket policy");
  }
}

// Each action must apply to one of the resources: a bucket, or objects in it.
void check_actions_fit(const policy::Statement& statement, const std::string& bucket) {
  if (statement.actions.negated || statement.resources.negated) return;
  const std::string arn = std::string(kArnPrefix) + bucket;
  const bool buckets = any(statement.resources.values,
                           [&](const std::string& resource) { return policy::matches(resource, arn); });
  const bool objects = any(statement.resources.values, [](std::string_view resource) {
    return resource.find('/') != resource.npos || resource.ends_with('*');
  });
  for (const std::string& action : statement.actions.values) {
    const bool fits = (buckets && matches_any_action(action, kBucketActions)) || (objects && matches_any_action(action, kObjectActions));
    if (!fits) throw malformed("Action does not apply to any resource(s) in statement");
  }
}

void check_condition(const policy::Condition& condition, const policy::Statement& statement) {
  const std::string key = base::to_lower(condition.key);
  if (std::string wrong = policy::problem(condition); !wrong.empty()) {
    if (policy::bare_operator(condition.name) == "BinaryEquals") throw not_implemented("The condition BinaryEquals");
    throw malformed("Invalid Condition: " + wrong);
  }
  const bool tag = any(kTagKeys, [&](std::string_view prefix) { return key.starts_with(prefix) && key != prefix; });
  if (!tag && !any(kKeys, [&](std::string_view known) { return key == known; })) {
    if (!key.starts_with("aws:") && !key.starts_with("s3:")) throw malformed("Policy has an invalid condition key");
    throw not_implemented("The condition key " + condition.key);
  }
  if (any(condition.values, [](const std::string& text) { return text.find("${") != text.npos; })) {
    throw not_implemented("A policy variable (${...}) in a bucket policy");
  }
  if (statement.actions.negated || !any(kListKeys, [&](std::string_view listing) { return key == listing; })) return;
  for (const std::string& action : statement.actions.values) {
    if (!matches_any_action(action, kListActions)) {
      throw malformed("Conditions do not apply to combination of actions and resources in statement");
    }
  }
}

void check_statement(const policy::Statement& statement, const std::string& bucket) {
  if (!statement.unknown.empty()) throw malformed("Unknown field " + statement.unknown.front());
  if (!statement.again.empty()) {
    throw malformed("Statement/policy already has instance of " + statement.again.front());
  }
  if (statement.effect.empty()) throw malformed("Missing required field Effect");
  if (statement.effect != "Allow" && statement.effect != "Deny") {
    throw malformed("Invalid effect: " + statement.effect);
  }
  check_principals(statement.principals);
  check_actions(statement.actions);
  check_resources(statement.resources, bucket);
  check_actions_fit(statement, bucket);
  for (const policy::Condition& condition : statement.conditions) check_condition(condition, statement);
}

}  // namespace

BucketPolicy read_bucket_policy(const std::string& text) {
  BucketPolicy out;
  if (auto document = policy::parse(text)) out.document = std::move(*document);
  out.is_public = is_public(out.document);
  return out;
}

void check_bucket_policy(const std::string& text, const std::string& bucket) {
  if (text.size() > kMaxPolicyBytes) throw malformed("Policy exceeds the maximum allowed document size.");
  if (!text.starts_with('{')) throw malformed("Policies must be valid JSON and the first byte must be '{'");
  const std::optional<policy::Document> document = policy::parse(text);
  if (!document) throw malformed("This policy contains invalid Json");
  if (!document->version.empty() && document->version != "2012-10-17" && document->version != "2008-10-17") {
    throw malformed("The policy must contain a valid version string");
  }
  if (!document->unknown.empty()) throw malformed("Unknown field " + document->unknown.front());
  if (!document->has_statements) throw malformed("Missing required field Statement");
  if (document->statements.empty()) throw malformed("Could not parse the policy: Statement is empty!");
  for (const policy::Statement& statement : document->statements) check_statement(statement, bucket);
}

}  // namespace services::s3
