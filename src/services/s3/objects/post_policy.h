// SPDX-License-Identifier: Apache-2.0
// The policy of a browser's form: when it expires, and what the form's fields may be.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace services::s3 {

using FormFields = std::map<std::string, std::string>;  // names in lower case

struct PostCondition {
  enum class Kind { Equal, StartsWith, Never };  // Never: names no field, and always fails
  Kind kind = Kind::Equal;
  std::string field;  // in lower case
  std::string value;
  std::string text;  // as it is shown where it does not hold: ["eq", "$key", "a"]
};

struct PostPolicy {
  base::Time expires_at;
  std::vector<PostCondition> conditions;
  std::optional<std::uint64_t> min_bytes, max_bytes;
};

// `base64`: the form's field. Throws InvalidPolicyDocument.
PostPolicy parse_post_policy(std::string_view base64);

// Throws AccessDenied where a condition fails, and for a field that no condition names. `fields` are the form's, with
// `bucket` and the final key.
void check_fields(const PostPolicy& policy, const FormFields& fields);
void check_expiration(const PostPolicy& policy, base::Time now);
// Throws EntityTooSmall and EntityTooLarge.
void check_size(const PostPolicy& policy, std::uint64_t size);

}  // namespace services::s3
