// SPDX-License-Identifier: Apache-2.0
#include "services/s3/objects/post_policy.h"

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <set>

#include "base/bytes.h"
#include "base/utf8.h"
#include "wire/error.h"
#include "wire/repeated_members.h"
#include "wire/timestamp.h"

namespace services::s3 {
namespace {

namespace json = boost::json;
using wire::ApiError;

constexpr std::size_t kMaxPolicyBytes = 20 * 1024;
constexpr std::size_t kMaxConditions = 1000;

ApiError invalid_policy(const std::string& why) {
  return ApiError("InvalidPolicyDocument", "Invalid Policy: " + why);
}

ApiError denied(const std::string& why) { return ApiError("AccessDenied", "Invalid according to Policy: " + why); }

std::string quoted(std::string_view text) { return json::serialize(json::string(text.data(), text.size())); }

std::string text_of(const json::value& value, std::string_view what) {
  if (!value.is_string()) throw invalid_policy("Invalid " + std::string(what) + ": a string is needed.");
  return std::string(value.as_string());
}

// Amazon accepts numbers and strings, and shows them as strings.
std::optional<std::uint64_t> size_of(const json::value& value) {
  if (value.is_uint64()) return value.as_uint64();
  if (value.is_int64() && value.as_int64() >= 0) return static_cast<std::uint64_t>(value.as_int64());
  std::uint64_t size = 0;
  if (value.is_string()) {
    const std::string text(value.as_string());
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error == std::errc() && end == text.data() + text.size() && !text.empty()) return size;
  }
  return std::nullopt;
}

std::string shown_size(const json::value& value) {
  return quoted(value.is_string() ? std::string(value.as_string()) : json::serialize(value));
}

void read_range(const json::array& array, PostPolicy& policy) {
  const auto least = size_of(array[1]), most = size_of(array[2]);
  if (least && most) {  // all ranges of a policy apply
    policy.min_bytes = std::max(policy.min_bytes.value_or(*least), *least);
    policy.max_bytes = std::min(policy.max_bytes.value_or(*most), *most);
    return;
  }
  policy.conditions.push_back({PostCondition::Kind::Never, "", "", "[\"content-length-range\", " + shown_size(array[1]) +
                                                                       ", " + shown_size(array[2]) + "]"});
}

void read_simple(const json::object& object, PostPolicy& policy) {
  if (object.size() != 1) {
    throw invalid_policy("Invalid Simple-Condition: Simple-Conditions must have exactly one property specified.");
  }
  const std::string name(object.begin()->key());
  const std::string value = text_of(object.begin()->value(), "Simple-Condition");
  policy.conditions.push_back({PostCondition::Kind::Equal, base::to_lower(name), value,
                               "[\"eq\", " + quoted("$" + name) + ", " + quoted(value) + "]"});
}

void read_list(const json::array& array, PostPolicy& policy) {
  if (array.size() != 3) throw invalid_policy("Invalid Condition: wrong number of arguments.");
  const std::string operation = base::to_lower(text_of(array[0], "Condition"));
  if (operation == "content-length-range") return read_range(array, policy);
  if (operation != "eq" && operation != "starts-with") {
    throw invalid_policy("Invalid Condition: unknown operation '" + operation + "'.");
  }
  const std::string name = text_of(array[1], "Condition"), value = text_of(array[2], "Condition");
  PostCondition::Kind kind = operation == "eq" ? PostCondition::Kind::Equal : PostCondition::Kind::StartsWith;
  if (!name.starts_with('$')) kind = PostCondition::Kind::Never;
  policy.conditions.push_back({kind, base::to_lower(name.substr(name.starts_with('$') ? 1 : 0)), value,
                               "[" + quoted(operation) + ", " + quoted(name) + ", " + quoted(value) + "]"});
}

bool holds(const PostCondition& condition, const FormFields& fields) {
  if (condition.kind == PostCondition::Kind::Never) return false;
  auto found = fields.find(condition.field);
  const std::string value = found == fields.end() ? "" : found->second;
  if (condition.kind == PostCondition::Kind::StartsWith) return value.starts_with(condition.value);
  return found != fields.end() && value == condition.value;
}

// Fields that need no condition. The bucket needs one, even where the form does not name it.
bool may_be_extra(std::string_view field) {
  return field == "policy" || field == "x-amz-signature" || field == "file" || field == "signature" ||
         field == "awsaccesskeyid" || field.starts_with("x-ignore-");
}

}  // namespace

PostPolicy parse_post_policy(std::string_view base64) {
  if (base64.size() > kMaxPolicyBytes) throw invalid_policy("The policy is too long.");
  auto text = base::from_base64(base64);
  if (!text || !base::is_utf8(*text)) throw invalid_policy("Invalid JSON.");
  boost::system::error_code error;
  const json::value document = json::parse(*text, error);
  if (error || !document.is_object() || wire::has_repeated_members(*text)) throw invalid_policy("Invalid JSON.");
  const json::object& object = document.as_object();

  PostPolicy policy;
  const json::value* expiration = object.if_contains("expiration");
  if (!expiration) throw invalid_policy("Policy missing expiration.");
  const std::string when = text_of(*expiration, "'expiration' value");
  auto time = wire::from_iso8601(when);
  const bool written_out = when.find('T') != when.npos && when.ends_with('Z');  // Amazon accepts no other form of ISO 8601
  if (!time || !written_out) throw invalid_policy("Invalid 'expiration' value: '" + when + "'");
  policy.expires_at = *time;

  const json::value* conditions = object.if_contains("conditions");
  if (!conditions || !conditions->is_array()) throw invalid_policy("Policy missing conditions.");
  if (conditions->as_array().size() > kMaxConditions) throw invalid_policy("The policy has too many conditions.");
  for (const json::value& condition : conditions->as_array()) {
    if (condition.is_object()) {
      read_simple(condition.as_object(), policy);
    } else if (condition.is_array()) {
      read_list(condition.as_array(), policy);
    } else {
      throw invalid_policy("Invalid Condition: a list or an object is needed.");
    }
  }
  return policy;
}

void check_fields(const PostPolicy& policy, const FormFields& fields) {
  std::set<std::string_view> covered;
  for (const PostCondition& condition : policy.conditions) {
    if (!holds(condition, fields)) throw denied("Policy Condition failed: " + condition.text);
    covered.insert(condition.field);
  }
  for (const auto& [name, value] : fields) {
    if (!covered.contains(name) && !may_be_extra(name)) throw denied("Extra input fields: " + name);
  }
}

void check_expiration(const PostPolicy& policy, base::Time now) {
  if (now >= policy.expires_at) throw denied("Policy expired.");
}

void check_size(const PostPolicy& policy, std::uint64_t size) {
  if (policy.min_bytes && size < *policy.min_bytes) {
    throw ApiError("EntityTooSmall", "Your proposed upload is smaller than the minimum allowed size")
        .with("ProposedSize", std::to_string(size))
        .with("MinSizeAllowed", std::to_string(*policy.min_bytes));
  }
  if (policy.max_bytes && size > *policy.max_bytes) {
    throw ApiError("EntityTooLarge", "Your proposed upload exceeds the maximum allowed size")
        .with("ProposedSize", std::to_string(size))
        .with("MaxSizeAllowed", std::to_string(*policy.max_bytes));
  }
}

}  // namespace services::s3
