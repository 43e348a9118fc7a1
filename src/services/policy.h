// SPDX-License-Identifier: Apache-2.0
// Resource policies (a queue's, a bucket's): who may do what to it, and when.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "services/call.h"
#include "services/policy_document.h"

namespace services::policy {

enum class Answer { Denied, Allowed, NoMatch };

struct Question {
  std::string principal_account;    // 12 digits; "" where a service asks, or somebody without a key
  std::string principal_service;    // "s3.amazonaws.com"
  std::string principal_canonical;  // the account's canonical id, where the service has such
  std::string action;               // "sqs:SendMessage", any case
  std::string resource;             // an ARN
  Context context;                  // "aws:SourceArn", ...
};

// Amazon's limits for a queue's policy.
inline constexpr std::size_t kMaxBytes = 8192;
inline constexpr std::size_t kMaxStatements = 20;

// A statement that denies wins. A condition whose operator is not known here holds for
// no Allow and for every Deny: in doubt, closed. A key that the question does not have
// is as Amazon takes it: only negated operators hold.
Answer evaluate(const Document& policy, const Question& question);
Answer evaluate(std::string_view policy, const Question& question);

// The aws: keys that every request has.
Context context_of(const Caller& caller, base::Time now);

// "" for a queue's policy that can be evaluated, else what is wrong with it.
std::string problem(std::string_view policy);

// `*` and `?`, as in actions and ARNs.
bool matches(std::string_view pattern, std::string_view text);

}  // namespace services::policy
