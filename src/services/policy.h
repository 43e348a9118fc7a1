// SPDX-License-Identifier: Apache-2.0
// Resource policies (a queue's, a bucket's): who may do what to it, and when.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace services::policy {

enum class Answer { Denied, Allowed, NoMatch };

struct Question {
  std::string principal_account;  // 12 digits; "" where a service asks
  std::string principal_service;  // "s3.amazonaws.com"
  std::string action;             // "sqs:SendMessage", any case
  std::string resource;           // an ARN
  std::map<std::string, std::string> context;  // "aws:SourceArn", ...
};

// A statement that denies wins. An operator or key of a condition that is not known
// here holds for no Allow and for every Deny: in doubt, closed.
Answer evaluate(std::string_view policy, const Question& question);

// "" for a policy that can be evaluated, else what is wrong with it.
std::string problem(std::string_view policy);

// `*` and `?`, as in actions and ARNs.
bool matches(std::string_view pattern, std::string_view text);

}  // namespace services::policy
