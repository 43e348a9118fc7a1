// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/math/math_series.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/check.h"

namespace services::cloudwatch {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

void add_if_number(MathSeries& series, base::Time at, double value) {
  if (std::isfinite(value)) series.points.push_back({at, value});
}

MathSeries like(const MathSeries& series) {
  return {.label = series.label, .period_s = series.period_s, .points = {}, .source = series.source};
}

base::Time floor_to(base::Time at, base::Time origin, std::int64_t period_ms) {
  std::int64_t steps = (at - origin).count() / period_ms;
  if ((at - origin).count() % period_ms < 0) --steps;
  return origin + base::Duration(steps * period_ms);
}

// The means of a series' points in periods of another, longer series.
MathSeries coarsened(const MathSeries& series, const MathSeries& to) {
  MathSeries out{.label = series.label, .period_s = to.period_s, .points = {}, .source = series.source};
  const base::Time origin = to.points.empty() ? base::Time{} : to.points.front().at;
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    const base::Time slot = floor_to(series.points[i].at, origin, to.period_s * 1000);
    sum += series.points[i].value;
    ++count;
    const bool last = i + 1 == series.points.size() ||
                      floor_to(series.points[i + 1].at, origin, to.period_s * 1000) != slot;
    if (!last) continue;
    out.points.push_back({slot, sum / count});
    sum = count = 0;
  }
  return out;
}

MathSeries combine_aligned(MathOperator op, const MathSeries& left, const MathSeries& right) {
  MathSeries out = like(left);
  auto a = left.points.begin();
  auto b = right.points.begin();
  while (a != left.points.end() || b != right.points.end()) {
    const bool has_left = a != left.points.end() && (b == right.points.end() || a->at <= b->at);
    const bool has_right = b != right.points.end() && (a == left.points.end() || b->at <= a->at);
    const base::Time at = has_left ? a->at : b->at;
    add_if_number(out, at, apply_operator(op, has_left ? a->value : 0, has_right ? b->value : 0));
    if (has_left) ++a;
    if (has_right) ++b;
  }
  return out;
}

double standard_deviation(const std::vector<double>& values) {
  const double count = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (double value : values) sum += value;
  for (double value : values) squares += (value - sum / count) * (value - sum / count);
  return std::sqrt(squares / count);
}

}  // namespace

double apply_operator(MathOperator op, double left, double right) {
  switch (op) {
    case MathOperator::Add: return left + right;
    case MathOperator::Subtract: return left - right;
    case MathOperator::Multiply: return left * right;
    case MathOperator::Divide: return right == 0 ? kNotANumber : left / right;
    case MathOperator::Power: return std::pow(left, right);
    case MathOperator::Equal: return left == right;
    case MathOperator::NotEqual: return left != right;
    case MathOperator::Less: return left < right;
    case MathOperator::LessOrEqual: return left <= right;
    case MathOperator::Greater: return left > right;
    case MathOperator::GreaterOrEqual: return left >= right;
    case MathOperator::And: return left != 0 && right != 0;
    case MathOperator::Or: return left != 0 || right != 0;
  }
  return kNotANumber;
}

MathSeries combine(MathOperator op, const MathSeries& left, const MathSeries& right) {
  if (left.period_s < right.period_s) return combine_aligned(op, coarsened(left, right), right);
  if (left.period_s > right.period_s) return combine_aligned(op, left, coarsened(right, left));
  return combine_aligned(op, left, right);
}

MathSeries combine(MathOperator op, const MathSeries& left, double right) {
  MathSeries out = like(left);
  if (std::isnan(right)) return out;
  for (const MathPoint& point : left.points) add_if_number(out, point.at, apply_operator(op, point.value, right));
  return out;
}

MathSeries combine(MathOperator op, double left, const MathSeries& right) {
  MathSeries out = like(right);
  if (std::isnan(left)) return out;
  for (const MathPoint& point : right.points) add_if_number(out, point.at, apply_operator(op, left, point.value));
  return out;
}

bool is_math_statistic(std::string_view name) {
  return name == "AVG" || name == "MAX" || name == "MIN" || name == "SUM" || name == "STDDEV" ||
         name == "DATAPOINT_COUNT";
}

double statistic_of(std::string_view name, const std::vector<double>& values) {
  if (name == "DATAPOINT_COUNT") return static_cast<double>(values.size());
  double sum = 0;
  for (double value : values) sum += value;
  if (name == "SUM") return sum;
  if (values.empty()) return kNotANumber;
  if (name == "AVG") return sum / static_cast<double>(values.size());
  if (name == "MAX") return *std::max_element(values.begin(), values.end());
  if (name == "MIN") return *std::min_element(values.begin(), values.end());
  CHECK(name == "STDDEV") << name;
  return standard_deviation(values);
}

double statistic_of(std::string_view name, const MathSeries& series) {
  std::vector<double> values;
  for (const MathPoint& point : series.points) values.push_back(point.value);
  return statistic_of(name, values);
}

MathSeries statistic_across(std::string_view name, const MathArray& array) {
  std::map<base::Time, std::vector<double>> values;
  MathSeries out;
  if (!array.empty()) out.period_s = array.front().period_s;
  for (const MathSeries& series : array) {
    out.period_s = std::max(out.period_s, series.period_s);
    for (const MathPoint& point : series.points) values[point.at].push_back(point.value);
  }
  for (const auto& [at, together] : values) add_if_number(out, at, statistic_of(name, together));
  return out;
}

bool is_math_mapping(std::string_view name) {
  return name == "ABS" || name == "CEIL" || name == "FLOOR" || name == "LOG" || name == "LOG10" || name == "DIFF" ||
         name == "DIFF_TIME" || name == "RATE" || name == "RUNNING_SUM";
}

double map_scalar(std::string_view name, double value) {
  if (name == "ABS") return std::abs(value);
  if (name == "CEIL") return std::ceil(value);
  if (name == "FLOOR") return std::floor(value);
  if (name == "LOG") return std::log(value);
  if (name == "LOG10") return std::log10(value);
  return kNotANumber;
}

MathSeries map_series(std::string_view name, const MathSeries& series) {
  MathSeries out = like(series);
  double sum = 0;
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    const MathPoint& point = series.points[i];
    sum += point.value;
    if (name == "RUNNING_SUM") {
      add_if_number(out, point.at, sum);
    } else if (name == "DIFF" || name == "DIFF_TIME" || name == "RATE") {
      if (i == 0) continue;
      const double seconds = static_cast<double>((point.at - series.points[i - 1].at).count()) / 1000;
      const double difference = point.value - series.points[i - 1].value;
      add_if_number(out, point.at, name == "DIFF" ? difference : name == "RATE" ? difference / seconds : seconds);
    } else {
      add_if_number(out, point.at, map_scalar(name, point.value));
    }
  }
  return out;
}

bool is_math_calendar(std::string_view name) {
  return name == "MINUTE" || name == "HOUR" || name == "DAY" || name == "DATE" || name == "MONTH" || name == "YEAR" ||
         name == "EPOCH";
}

MathSeries calendar_of(std::string_view name, const MathSeries& series, const MathRange& range) {
  namespace chrono = std::chrono;
  MathSeries out = like(series);
  for (base::Time at : slots_of(series, range)) {
    const auto day = chrono::floor<chrono::days>(at);
    const chrono::year_month_day date{day};
    const std::int64_t minutes = chrono::floor<chrono::minutes>(at - day).count();
    double value = 0;
    if (name == "MINUTE") value = static_cast<double>(minutes % 60);
    if (name == "HOUR") value = static_cast<double>(minutes / 60);
    if (name == "DAY") value = chrono::weekday(day).iso_encoding();
    if (name == "DATE") value = static_cast<unsigned>(date.day());
    if (name == "MONTH") value = static_cast<unsigned>(date.month());
    if (name == "YEAR") value = static_cast<int>(date.year());
    if (name == "EPOCH") value = static_cast<double>(base::to_seconds(at));
    out.points.push_back({at, value});
  }
  return out;
}

std::vector<base::Time> slots_of(const MathSeries& series, const MathRange& range) {
  const base::Duration step = std::chrono::seconds(series.period_s);
  CHECK(step.count() > 0);
  base::Time at = range.start;
  if (!series.points.empty()) at = floor_to(range.start, series.points.front().at, step.count());
  if (at < range.start) at += step;
  std::vector<base::Time> out;
  for (; at < range.end; at += step) out.push_back(at);
  return out;
}

MathSeries constant_series(double value, const MathRange& range) {
  MathSeries out{.label = "", .period_s = range.period_s, .points = {}};
  for (base::Time at : slots_of(out, range)) add_if_number(out, at, value);
  return out;
}

MathSeries fill_constant(const MathSeries& series, double value, const MathRange& range) {
  MathSeries filler = constant_series(value, {range.start, range.end, series.period_s});
  if (!series.points.empty()) {
    filler.points.clear();
    for (base::Time at : slots_of(series, range)) add_if_number(filler, at, value);
  }
  return fill_from(series, filler, range);
}

MathSeries fill_from(const MathSeries& series, const MathSeries& filler, const MathRange&) {
  MathSeries out = like(series);
  auto a = series.points.begin();
  auto b = filler.points.begin();
  while (a != series.points.end() || b != filler.points.end()) {
    const bool own = a != series.points.end() && (b == filler.points.end() || a->at <= b->at);
    if (own && b != filler.points.end() && b->at == a->at) ++b;
    out.points.push_back(own ? *a++ : *b++);
  }
  return out;
}

MathSeries fill_repeat(const MathSeries& series, const MathRange& range) {
  MathSeries filler = like(series);
  auto next = series.points.begin();
  for (base::Time at : slots_of(series, range)) {
    while (next != series.points.end() && next->at <= at) ++next;
    if (next != series.points.begin()) filler.points.push_back({at, std::prev(next)->value});
  }
  return fill_from(series, filler, range);
}

MathSeries fill_linear(const MathSeries& series, const MathRange& range) {
  MathSeries filler = like(series);
  auto next = series.points.begin();
  for (base::Time at : slots_of(series, range)) {
    while (next != series.points.end() && next->at <= at) ++next;
    if (next == series.points.begin() || next == series.points.end()) continue;
    const MathPoint& before = *std::prev(next);
    const double part = static_cast<double>((at - before.at).count()) / static_cast<double>((next->at - before.at).count());
    filler.points.push_back({at, before.value + part * (next->value - before.value)});
  }
  return fill_from(series, filler, range);
}

}  // namespace services::cloudwatch
