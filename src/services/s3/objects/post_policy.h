// SPDX-License-Identifier: Apache-2.0
// The policy in a browser's form: until when it is good, and what the form's fields may be.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace services::s3 {

using FormFields = std::map<std::string, std::string>;  // names in small letters

struct PostCondition {
  enum class Kind { Equal, StartsWith, Never };  // Never: is about no field, and does not hold
  Kind kind = Kind::Equal;
  std::string field;  // in small letters
  std::string value;
  std::string text;  // as it is shown where it does not hold: ["eq", "$key", "a"]
};

struct PostPolicy {
  base::Time expires_at;
  std::vector<PostCondition> conditions;
  std::optional<std::uint64_t> min_bytes, max_bytes;
};

// Of the field's base64. Throws InvalidPolicyDocument.
PostPolicy parse_post_policy(std::string_view base64);

// Throws AccessDenied where a field is not as it should be, or where nothing is said of it. `fields` are
// those of the form with `bucket` and the key as it will be.
void check_fields(const PostPolicy& policy, const FormFields& fields);
void check_expiration(const PostPolicy& policy, base::Time now);
// Throws EntityTooSmall and EntityTooLarge.
void check_size(const PostPolicy& policy, std::uint64_t size);

}  // namespace services::s3
