// SPDX-License-Identifier: Apache-2.0
// The query of SEARCH: `{AWS/SQS,QueueName} MetricName="NumberOfMessagesSent" jobs NOT test`.
//
//   query = [ "{" namespace { "," dimension name } "}" ] [ or ]
//   or    = and { "OR" and }        and = not { ["AND"] not }        not = "NOT" not | "(" or ")" | term
//   term  = name "=" value | value          value = word | '"' text '"'
//
// A quoted value matches exactly. A bare word matches tokens: a name is split at changes of case, digits and
// punctuation, so that `custom`, `count` and `1` all find CustomCount1, and so does customcount1.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace services::cloudwatch {

inline constexpr std::size_t kMaxSearchLength = 1024;  // Amazon's
inline constexpr std::size_t kMaxSearchSeries = 500;   // Amazon's
inline constexpr int kMaxSearchDepth = 32;

// A metric, as a search sees it.
struct SearchedMetric {
  std::string_view metric_namespace, name;
  const std::vector<std::pair<std::string, std::string>>& dimensions;  // name and value
};

struct SearchNode {
  enum class Kind { Term, Not, And, Or };

  Kind kind = Kind::Term;
  std::string field = {};  // "": any
  std::string value = {};
  bool exact = false;
  std::vector<SearchNode> parts = {};
};

struct SearchQuery {
  bool has_schema = false;
  std::string metric_namespace = {};
  std::vector<std::string> dimensions = {};  // sorted: a metric has exactly these
  std::optional<SearchNode> terms = {};

  bool matches(const SearchedMetric& metric) const;
};

// Throws MathError.
SearchQuery parse_search(std::string_view text);

// "CustomCount1": "customcount1", "custom", "count", "1".
std::vector<std::string> search_tokens(std::string_view text);

}  // namespace services::cloudwatch
