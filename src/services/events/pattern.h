// SPDX-License-Identifier: Apache-2.0
// Event patterns: {"source": ["aws.ecs"], "detail": {"lastStatus": [{"anything-but": "RUNNING"}]}}. Fields are
// combined by AND, the entries of an array by OR. Pure: text in, decision out.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace services::events {

// Amazon's, of a pattern with $or.
inline constexpr std::size_t kMaxCombinations = 1000;

struct NumericBound {
  double value = 0;
  bool inclusive = true;
};

// One entry of an array.
struct Test {
  enum class Kind { Equal, Prefix, Suffix, IgnoreCase, Wildcard, Numeric, Exists, Cidr, AnythingBut };

  Kind kind = Kind::Equal;
  boost::json::value value = {};    // Equal: null, a boolean, a number or a string; Exists: a boolean
  std::string text = {};            // of the tests on strings
  bool ignore_case = false;         // of Prefix and Suffix
  std::optional<NumericBound> low = {}, high = {};
  std::vector<Test> excluded = {};  // AnythingBut: no one may hold
};

struct ObjectPattern;
using FieldPattern = std::variant<std::vector<Test>, ObjectPattern>;

struct ObjectPattern {
  std::vector<std::pair<std::string, FieldPattern>> fields = {};
  // For each $or, its alternatives.
  std::vector<std::vector<ObjectPattern>> choices = {};
};

// The error is Amazon's reason: "Empty arrays are not allowed".
base::Result<ObjectPattern> parse_pattern(std::string_view text);

bool matches(const ObjectPattern& pattern, const boost::json::value& event);

// `*` stands for any characters; \* and \\ for themselves. Linear in the length of the text.
bool matches_wildcard(std::string_view pattern, std::string_view text);

}  // namespace services::events
