// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/math/math_evaluation.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/check.h"

namespace services::cloudwatch {
namespace {

using Kind = MathNode::Kind;

const MathSeries* as_series(const MathValue& value) { return std::get_if<MathSeries>(&value); }
const MathArray* as_array(const MathValue& value) { return std::get_if<MathArray>(&value); }

std::size_t count_points(const MathValue& value) {
  if (const MathSeries* series = as_series(value)) return series->points.size();
  std::size_t count = 1;
  if (const MathArray* array = as_array(value)) {
    for (const MathSeries& series : *array) count += 1 + series.points.size();
  }
  return count;
}

// `fn` of a series, or of each element of an array.
template <class Fn>
MathValue map_value(const MathValue& value, Fn&& fn) {
  if (const MathSeries* series = as_series(value)) return fn(*series);
  MathArray out;
  for (const MathSeries& series : std::get<MathArray>(value)) out.push_back(fn(series));
  return out;
}

MathValue combine_values(MathOperator op, const MathValue& left, const MathValue& right) {
  const auto combined = [op](const auto& a, const auto& b) { return combine(op, a, b); };
  if (const double* a = std::get_if<double>(&left)) {
    if (const double* b = std::get_if<double>(&right)) return apply_operator(op, *a, *b);
    return map_value(right, [&](const MathSeries& series) { return combined(*a, series); });
  }
  if (const double* b = std::get_if<double>(&right)) {
    return map_value(left, [&](const MathSeries& series) { return combined(series, *b); });
  }
  if (as_array(right)) {
    return map_value(right, [&](const MathSeries& series) {
      MathSeries out = combined(std::get<MathSeries>(left), series);
      out.label = series.label;
      out.source = series.source;
      return out;
    });
  }
  return map_value(left, [&](const MathSeries& series) { return combined(series, std::get<MathSeries>(right)); });
}

std::optional<double> value_at(const MathValue& value, base::Time at) {
  if (const double* scalar = std::get_if<double>(&value)) {
    return std::isnan(*scalar) ? std::nullopt : std::optional(*scalar);
  }
  const auto& points = std::get<MathSeries>(value).points;
  auto found = std::lower_bound(points.begin(), points.end(), at,
                                [](const MathPoint& point, base::Time time) { return point.at < time; });
  return found == points.end() || found->at != at ? std::nullopt : std::optional(found->value);
}

class MathEvaluator {
 public:
  explicit MathEvaluator(const MathScope& scope) : scope_(scope) {}

  MathValue evaluate(const MathNode& node) {
    MathValue value = compute(node);
    scope_.points += count_points(value);
    if (scope_.points > kMaxMathPoints) throw MathError("The expression produces too many data points");
    return value;
  }

 private:
  const MathRange& range() const { return scope_.input.range; }

  MathValue compute(const MathNode& node) {
    switch (node.kind) {
      case Kind::Number: return node.number;
      case Kind::Id: return scope_.results.find(node.text)->second;
      case Kind::Negate: return combine_values(MathOperator::Multiply, evaluate(node.parts[0]), -1.0);
      case Kind::Binary: return combine_values(node.op, evaluate(node.parts[0]), evaluate(node.parts[1]));
      case Kind::Call: return call(node);
      case Kind::Array: break;
      case Kind::Text:
      case Kind::Word: CHECK(false) << "a word is not a value";
    }
    MathArray array;
    for (const MathNode& part : node.parts) {
      MathValue element = evaluate(part);
      if (MathArray* inner = std::get_if<MathArray>(&element)) {
        std::move(inner->begin(), inner->end(), std::back_inserter(array));
      } else {
        array.push_back(std::move(std::get<MathSeries>(element)));
      }
    }
    return array;
  }

  MathValue call(const MathNode& node) {
    const std::string& name = node.text;
    if (name == "METRICS") return metrics(node);
    if (name == "SEARCH") return search(node);
    if (name == "PERIOD") return static_cast<double>(std::get<MathSeries>(compute(node.parts[0])).period_s);
    if (name == "IF") return choose(node);
    if (name == "FILL") return fill(node);
    const MathValue first = evaluate(node.parts[0]);
    if (is_math_statistic(name)) {
      if (const MathArray* array = as_array(first)) return statistic_across(name, *array);
      return statistic_of(name, std::get<MathSeries>(first));
    }
    if (name == "METRIC_COUNT") return static_cast<double>(std::get<MathArray>(first).size());
    if (is_math_mapping(name)) {
      if (const double* scalar = std::get_if<double>(&first)) return map_scalar(name, *scalar);
      return map_value(first, [&](const MathSeries& series) { return map_series(name, series); });
    }
    if (is_math_calendar(name)) {
      reserve_slots(std::get<MathSeries>(first).period_s);
      return calendar_of(name, std::get<MathSeries>(first), range());
    }
    if (name == "TIME_SERIES") {
      reserve_slots(range().period_s);
      return constant_series(std::get<double>(first), range());
    }
    return select(node, std::get<MathArray>(first));
  }

  MathValue metrics(const MathNode& node) {
    MathArray array;
    for (const std::string& id : scope_.metrics) {
      if (!node.parts.empty() && id.find(node.parts[0].text) == id.npos) continue;
      auto found = scope_.results.find(id);
      // A metric is ready before any expression, because it needs no other id.
      array.push_back(found == scope_.results.end() ? MathSeries{} : std::get<MathSeries>(found->second));
    }
    return array;
  }

  MathValue search(const MathNode& node) {
    if (!scope_.input.search) throw MathError("SEARCH is not supported here");
    MathSearch search{.query = node.parts[0].text, .statistic = node.parts[1].text, .period_s = {}};
    if (node.parts.size() == 3) search.period_s = static_cast<std::int64_t>(node.parts[2].number);
    return scope_.input.search(search);
  }

  // A true condition without a value gives 0, a false one nothing: Amazon's documented example.
  MathValue choose(const MathNode& node) {
    const MathValue condition = evaluate(node.parts[0]);
    const MathValue then = evaluate(node.parts[1]);
    // Without a third argument, of the type of the second: a scalar that is no number, or an empty series.
    MathValue otherwise = as_series(then) ? MathValue(empty()) : MathValue(std::nan(""));
    if (node.parts.size() == 3) otherwise = evaluate(node.parts[2]);
    if (const double* scalar = std::get_if<double>(&condition)) {
      const MathValue& chosen = *scalar != 0 && !std::isnan(*scalar) ? then : otherwise;
      const bool series = as_series(then) || as_series(otherwise);
      if (const double* value = std::get_if<double>(&chosen); value && series) {
        reserve_slots(range().period_s);
        return constant_series(*value, range());
      }
      return chosen;
    }
    const MathSeries& series = std::get<MathSeries>(condition);
    MathSeries out{.label = "", .period_s = series.period_s, .points = {}};
    for (const MathPoint& point : series.points) {
      const std::optional<double> value = value_at(point.value != 0 ? then : otherwise, point.at);
      if (point.value != 0) out.points.push_back({point.at, value.value_or(0)});
      if (point.value == 0 && value) out.points.push_back({point.at, *value});
    }
    return out;
  }

  // Before they are made: a long range of short periods has millions of slots.
  void reserve_slots(std::int64_t period_s) {
    const std::int64_t slots = (range().end - range().start).count() / (period_s * 1000);
    if (slots > 0) scope_.points += static_cast<std::size_t>(slots);
    if (scope_.points > kMaxMathPoints) throw MathError("The expression produces too many data points");
  }

  MathValue fill(const MathNode& node) {
    const MathValue filled = evaluate(node.parts[0]);
    map_value(filled, [&](const MathSeries& series) {
      reserve_slots(series.period_s);
      return MathSeries();
    });
    const MathNode& with = node.parts[1];
    if (with.kind == Kind::Word) {
      const bool repeat = with.text == "REPEAT";
      return map_value(filled, [&](const MathSeries& series) {
        return repeat ? fill_repeat(series, range()) : fill_linear(series, range());
      });
    }
    const MathValue filler = evaluate(with);
    return map_value(filled, [&](const MathSeries& series) {
      const double* scalar = std::get_if<double>(&filler);
      return scalar ? fill_constant(series, *scalar, range()) : fill_from(series, std::get<MathSeries>(filler), range());
    });
  }

  MathValue select(const MathNode& node, MathArray array) {
    const std::string& name = node.text;
    if (name == "FIRST") return array.empty() ? empty() : std::move(array.front());
    if (name == "LAST") return array.empty() ? empty() : std::move(array.back());
    if (name == "REMOVE_EMPTY") {
      std::erase_if(array, [](const MathSeries& series) { return series.points.empty(); });
      return array;
    }
    if (name == "SORT") return sort(node, std::move(array));
    CHECK(name == "SLICE") << name;
    const std::size_t start = index(node.parts[1], array.size());
    if (node.parts.size() == 2) return start < array.size() ? std::move(array[start]) : empty();
    const std::size_t end = std::max(start, index(node.parts[2], array.size()));
    return MathArray(array.begin() + static_cast<std::ptrdiff_t>(start), array.begin() + static_cast<std::ptrdiff_t>(end));
  }

  MathSeries empty() const { return {.label = "", .period_s = range().period_s, .points = {}}; }

  std::size_t index(const MathNode& node, std::size_t most) {
    const double value = std::get<double>(evaluate(node));
    if (!(value >= 0)) return 0;
    return value > static_cast<double>(most) ? most : static_cast<std::size_t>(value);
  }

  // Series without points are last in both directions.
  MathValue sort(const MathNode& node, MathArray array) {
    const bool descending = node.parts[2].text == "DESC";
    std::vector<std::pair<double, std::size_t>> keys;
    for (std::size_t i = 0; i < array.size(); ++i) {
      const double key = array[i].points.empty() ? NAN : statistic_of(node.parts[1].text, array[i]);
      keys.emplace_back(descending ? -key : key, i);
    }
    std::stable_sort(keys.begin(), keys.end(), [](const auto& a, const auto& b) {
      if (std::isnan(a.first) || std::isnan(b.first)) return !std::isnan(a.first) && std::isnan(b.first);
      return a.first < b.first;
    });
    if (node.parts.size() == 4) keys.resize(std::min(keys.size(), index(node.parts[3], keys.size())));
    MathArray sorted;
    for (const auto& [key, i] : keys) sorted.push_back(std::move(array[i]));
    return sorted;
  }

  const MathScope& scope_;
};

}  // namespace

MathValue evaluate_math(const MathNode& node, const MathScope& scope) { return MathEvaluator(scope).evaluate(node); }

}  // namespace services::cloudwatch
