// SPDX-License-Identifier: Apache-2.0
// Resource policies (a queue's, a bucket's): who may do what to the resource, and when.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "services/call.h"
#include "services/policy_document.h"

namespace services::policy {

enum class Verdict { Denied, Allowed, NoMatch };

struct Request {
  std::string principal_account;    // 12 digits; "" for a service and for an anonymous caller
  std::string principal_service;    // "s3.amazonaws.com"
  std::string principal_canonical;  // the account's canonical id, where the service has one
  std::string action;               // "sqs:SendMessage", any case
  std::string resource;             // an ARN
  Context context;                  // "aws:SourceArn", ...
};

// Amazon's limits for a queue's policy.
inline constexpr std::size_t kMaxBytes = 8192;
inline constexpr std::size_t kMaxStatements = 20;

// A statement that denies wins. A condition with an unknown operator holds for no Allow
// and for every Deny: in doubt, access is denied. For a key that the request lacks only
// negated operators hold, as at Amazon.
Verdict evaluate(const Document& policy, const Request& request);
Verdict evaluate(std::string_view policy, const Request& request);

// The aws: keys that every request has.
Context context_of(const Caller& caller, base::Time now);

// Why a queue's policy is invalid; "" for a valid one.
std::string problem(std::string_view policy);

// `*` and `?`, as in actions and ARNs.
bool matches(std::string_view pattern, std::string_view text);

}  // namespace services::policy
