// SPDX-License-Identifier: Apache-2.0
// The expressions of one request, checked together: they refer to one another and to the request's metrics by id.
//   const MathProgram program = MathProgram::compile({{"m1", ""}, {"e1", "100 * m1 / SUM(m1)"}});
//   MathInput input{.range = range, .metrics = {{"m1", series}}};
//   program.evaluate(input).at("e1")
// Amazon's types: a scalar (S), a time series (TS), an array of them (TS[]). Each expression's is known before any
// data is read.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/cloudwatch/math/math_series.h"

namespace services::cloudwatch {

// Points that the functions of one evaluation may produce together.
inline constexpr std::size_t kMaxMathPoints = 5'000'000;

enum class MathType { Scalar, Series, Array };

struct MathQuery {
  std::string id;
  std::string expression;  // "" for a metric
};

// SEARCH('{AWS/SQS,QueueName} jobs', 'Sum', 300)
struct MathSearch {
  std::string query, statistic;
  std::optional<std::int64_t> period_s;
};

struct MathInput {
  MathRange range;
  std::map<std::string, MathSeries, std::less<>> metrics;  // by the query's id; a missing one has no points
  std::function<MathArray(const MathSearch&)> search = {};  // may throw MathError
};

using MathResults = std::map<std::string, MathValue, std::less<>>;

class MathProgram {
 public:
  // Throws wire::ApiError (ValidationError) "Error in expression 'e1': ...".
  static MathProgram compile(const std::vector<MathQuery>& queries);

  // Of an id of the request.
  MathType type_of(std::string_view id) const;
  bool uses_search() const { return uses_search_; }
  // A function produces points where the metrics have none: FILL, TIME_SERIES, IF with a number, the calendar's.
  bool makes_points() const { return makes_points_; }

  // The values of all ids. Throws as compile() does.
  MathResults evaluate(const MathInput& input) const;

 private:
  struct Step {
    std::string id;
    std::optional<MathNode> root;  // absent for a metric
  };

  std::vector<Step> steps_;                             // in an order in which each finds what it refers to
  std::vector<std::string> metrics_;                    // in the request's order
  std::map<std::string, MathType, std::less<>> types_;  // of all ids
  bool uses_search_ = false, makes_points_ = false;
};

}  // namespace services::cloudwatch
