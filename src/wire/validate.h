// SPDX-License-Identifier: Apache-2.0
// Validates a request against its model: required members, lengths, ranges,
// enumerations, patterns. The service formats the error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/type.h"

namespace wire {

struct Violation {
  enum Kind { Missing, TooShort, TooLong, TooSmall, TooLarge, NotInEnum, Pattern };

  std::string path;  // "entries.1.member.id", as Amazon spells it
  Kind kind = Missing;
  std::string constraint;  // the bound, the pattern, or the allowed values "[A, B]"
  std::string value;       // the invalid value; "" if the member is secret
  std::string member;      // the last name in path in the model's spelling ("Id")
};

// All violations except Missing, which decode_request() returns. At most kMaxViolations.
inline constexpr std::size_t kMaxViolations = 20;
std::vector<Violation> validate(const TypeInfo& type, const void* value);

// Amazon's generic message: "1 validation error detected: Value null at 'queueUrl'
// failed to satisfy constraint: Member must not be null".
std::string validation_message(const std::vector<Violation>& violations);

}  // namespace wire
