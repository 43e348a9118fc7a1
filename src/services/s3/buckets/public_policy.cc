// SPDX-License-Identifier: Apache-2.0
#include "services/s3/buckets/public_policy.h"

#include <algorithm>
#include <charconv>

#include "base/bytes.h"
#include "services/policy_condition.h"

namespace services::s3 {
namespace {

// Condition keys that identify the caller, in lower case, as Amazon's page "The meaning of public" lists them.
constexpr std::string_view kFixingKeys[] = {
    "aws:principalaccount", "aws:principalarn", "aws:principalorgid", "aws:sourceaccount", "aws:sourcearn",
    "aws:sourceip", "aws:sourceorgid", "aws:sourceowner", "aws:sourcevpc", "aws:sourcevpce", "aws:userid",
    "s3:dataaccesspointaccount", "s3:dataaccesspointarn"};
// Private networks, whose size does not matter.
constexpr std::string_view kPrivate[] = {"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"};
constexpr int kWidestV4 = 8, kWidestV6 = 32;

bool is_narrow_network(std::string_view network) {
  const std::size_t slash = network.find('/');
  if (slash == network.npos) return true;
  const std::string_view address = network.substr(0, slash), length = network.substr(slash + 1);
  int bits = 0;
  std::from_chars(length.data(), length.data() + length.size(), bits);
  for (std::string_view range : kPrivate) {
    int widest = 0;
    const std::string_view text = range.substr(range.find('/') + 1);
    std::from_chars(text.data(), text.data() + text.size(), widest);
    if (policy::in_network(address, range) && bits >= widest) return true;
  }
  return bits >= (address.find(':') == address.npos ? kWidestV4 : kWidestV6);
}

bool is_fixed(std::string_view value) { return value.find_first_of("*?") == value.npos; }

// Whether the condition holds only for the callers that it names.
bool fixes(const policy::Condition& condition) {
  const std::string_view name = condition.name;
  if (name != "StringEquals" && name != "StringLike" && name != "ArnEquals" && name != "ArnLike" && name != "IpAddress" &&
      name != "StringEqualsIgnoreCase" && name != "ForAnyValue:StringEquals" && name != "ForAnyValue:StringLike") {
    return false;
  }
  const std::string key = base::to_lower(condition.key);
  if (std::find(std::begin(kFixingKeys), std::end(kFixingKeys), key) == std::end(kFixingKeys)) return false;
  if (condition.values.empty()) return false;
  return std::all_of(condition.values.begin(), condition.values.end(), [&](const std::string& value) {
    return name == "IpAddress" ? is_narrow_network(value) : is_fixed(value);
  });
}

}  // namespace

bool is_public(const policy::Document& policy) {
  return std::any_of(policy.statements.begin(), policy.statements.end(), [](const policy::Statement& statement) {
    if (statement.effect != "Allow") return false;
    if (!statement.principals.everybody && !statement.principals.negated) return false;
    return std::none_of(statement.conditions.begin(), statement.conditions.end(), &fixes);
  });
}

}  // namespace services::s3
