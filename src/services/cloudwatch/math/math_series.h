// SPDX-License-Identifier: Apache-2.0
// The values of metric math, and the functions over them that need no tree.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/time.h"
#include "services/cloudwatch/math/math_expression.h"

namespace services::cloudwatch {

struct MathPoint {
  base::Time at;
  double value = 0;

  bool operator==(const MathPoint&) const = default;
};

// Points in order of time, one per period at most, each at the start of its period.
struct MathSeries {
  std::string label = {};
  std::int64_t period_s = 60;
  std::vector<MathPoint> points = {};
  std::optional<std::size_t> source = {};  // the metric that it shows: a number of the caller's
};

using MathArray = std::vector<MathSeries>;
// A scalar (NaN: the statistic of an empty series), a series or an array.
using MathValue = std::variant<double, MathSeries, MathArray>;

// The range that is read, with its period: what scalars and functions of time are spread over.
struct MathRange {
  base::Time start, end;  // `end` is exclusive
  std::int64_t period_s = 60;
};

double apply_operator(MathOperator op, double left, double right);
// A point that is missing on one side counts as 0 where the other side has one; results that are no numbers are
// dropped. Series of unlike periods are aligned to the longer one first.
MathSeries combine(MathOperator op, const MathSeries& left, const MathSeries& right);
MathSeries combine(MathOperator op, const MathSeries& left, double right);
MathSeries combine(MathOperator op, double left, const MathSeries& right);

// Statistics by their names: AVG, MAX, MIN, SUM, STDDEV, DATAPOINT_COUNT.
bool is_math_statistic(std::string_view name);
double statistic_of(std::string_view name, const std::vector<double>& values);
double statistic_of(std::string_view name, const MathSeries& series);
// For each time that has a point in any of them.
MathSeries statistic_across(std::string_view name, const MathArray& array);

// By name: ABS, CEIL, FLOOR, LOG, LOG10, DIFF, DIFF_TIME, RATE, RUNNING_SUM.
bool is_math_mapping(std::string_view name);
MathSeries map_series(std::string_view name, const MathSeries& series);
double map_scalar(std::string_view name, double value);

// By name: MINUTE, HOUR, DAY, DATE, MONTH, YEAR, EPOCH; a point for each period of the range.
bool is_math_calendar(std::string_view name);
MathSeries calendar_of(std::string_view name, const MathSeries& series, const MathRange& range);

// The starts of a series' periods in the range, in line with its points.
std::vector<base::Time> slots_of(const MathSeries& series, const MathRange& range);
MathSeries constant_series(double value, const MathRange& range);
MathSeries fill_constant(const MathSeries& series, double value, const MathRange& range);
MathSeries fill_from(const MathSeries& series, const MathSeries& filler, const MathRange& range);
MathSeries fill_repeat(const MathSeries& series, const MathRange& range);
MathSeries fill_linear(const MathSeries& series, const MathRange& range);

}  // namespace services::cloudwatch
