// SPDX-License-Identifier: Apache-2.0
// A parsed query: names have become slots of a row, commands a list of steps.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "services/logs/insights/query_regex.h"
#include "services/logs/insights/value.h"

namespace services::logs::insights {

struct Expression;

using Function = Value (*)(const Expression& call, const std::vector<Value>& arguments);

struct Expression {
  enum class Kind { Literal, Slot, Path, Call, And, Or, Not, Compare, Like, Matches, In, Arithmetic, Negate };

  Kind kind = Kind::Literal;
  Value literal = {};                      // Literal
  std::size_t slot = 0;                    // Slot; Path: of the JSON text
  std::vector<std::string> path = {};      // Path: keys and positions
  std::string op = {};                     // Compare and Arithmetic: "<=", "+"
  bool negated = false;                    // Like, Matches, In: `not like`
  Function function = nullptr;             // Call
  double period_ms = 0;                    // Call: of bin, datefloor, dateceil with a fixed length
  int period_months = 0;                   // or in months
  std::optional<QueryRegex> regex = {};    // Matches, and functions with a regular expression
  std::vector<Expression> children = {};
  std::string text = {};                   // as in the query
};

struct Aggregate {
  enum class Kind { Count, Sum, Average, Minimum, Maximum, Percentile, Deviation, Distinct, Earliest, Latest, SortsFirst, SortsLast };

  Kind kind = Kind::Count;
  std::optional<Expression> argument = {};  // absent for count(*)
  double percentile = 0;
  std::size_t slot = 0;                     // of its result
};

struct Column {
  std::string name;
  std::size_t slot = 0;
};

struct Step {
  enum class Kind { Compute, Filter, Parse, Logfmt, Stats, Sort, Dedup, Limit };
  struct Assignment {
    std::size_t slot = 0;
    Expression value;
  };
  struct Key {
    std::size_t slot = 0;
    bool descending = false;
  };

  Kind kind = Kind::Compute;
  std::vector<Assignment> assignments = {};  // Compute; Stats: columns that are computed from aggregates
  std::vector<Assignment> groups = {};       // Stats: the `by` expressions
  std::vector<Aggregate> aggregates = {};    // Stats
  bool by_time = false;                      // Stats: grouped by bin()
  Expression condition = {};                 // Filter
  Expression source = {};                    // Parse, Logfmt: what is parsed
  std::optional<QueryRegex> regex = {};      // Parse
  std::vector<std::size_t> targets = {};     // Parse, Logfmt: slots of the parsed fields
  std::vector<std::size_t> captures = {};    // Parse: their groups in the expression
  std::vector<Key> keys = {};                // Sort, Dedup
  std::size_t limit = 0;                     // Limit
  bool any = false;                          // Limit: any rows will do
};

struct Query {
  std::vector<std::string> names;  // by slot; "" for results of aggregates
  std::vector<Step> steps;
  std::vector<Column> columns;     // of the result
  bool has_stats = false;
  bool has_limit = false;
};

}  // namespace services::logs::insights
