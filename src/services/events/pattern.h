// SPDX-License-Identifier: Apache-2.0
// Event patterns: {"source": ["aws.ecs"], "detail": {"lastStatus": [{"anything-but": "RUNNING"}]}}. Fields are
// combined by AND, the entries of an array by OR. Pure: text in, decision out.
#pragma once

#include <boost/json/value.hpp>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace services::events {

// Whether a number of a pattern and one of an event are equal.
bool equal_numbers(const boost::json::value& wanted, const boost::json::value& leaf);

// Amazon's, of a pattern with $or.
inline constexpr std::size_t kMaxCombinations = 1000;

struct NumericBound {
  double value = 0;
  bool inclusive = true;
};

struct Test;

// The entries of an array. Strings and numbers that a leaf may be equal to are looked up, so that a long list costs
// little more than a short one.
struct Tests {
  std::set<std::string, std::less<>> strings;
  std::map<double, std::vector<boost::json::value>> numbers;  // whole numbers of one double may differ
  std::vector<Test> others;
};

// One entry of an array.
struct Test {
  enum class Kind { Equal, Prefix, Suffix, IgnoreCase, Wildcard, Numeric, Exists, Cidr, AnythingBut };

  Kind kind = Kind::Equal;
  boost::json::value value = {};    // Equal: null, a boolean, a number or a string; Exists: a boolean
  std::string text = {};            // of the tests on strings
  std::vector<std::string> parts = {};  // Wildcard: what stands between the stars
  bool ignore_case = false;         // of Prefix and Suffix
  std::optional<NumericBound> low = {}, high = {};
  Tests excluded = {};              // AnythingBut: no one may hold
};

struct ObjectPattern;
using FieldPattern = std::variant<Tests, ObjectPattern>;

struct ObjectPattern {
  std::vector<std::pair<std::string, FieldPattern>> fields = {};
  // For each $or, its alternatives.
  std::vector<std::vector<ObjectPattern>> choices = {};
};

// The error is Amazon's reason: "Empty arrays are not allowed".
base::Result<ObjectPattern> parse_pattern(std::string_view text);

bool matches(const ObjectPattern& pattern, const boost::json::value& event);

// The literal parts around the stars of a wildcard, and whether a text has them in order.
std::vector<std::string> wildcard_parts(std::string_view pattern);
bool matches_parts(const std::vector<std::string>& parts, std::string_view text);
// `*` stands for any characters; \* and \\ for themselves. Linear in the length of the text.
bool matches_wildcard(std::string_view pattern, std::string_view text);

}  // namespace services::events
