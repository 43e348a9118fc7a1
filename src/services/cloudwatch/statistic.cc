// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/statistic.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/bytes.h"

namespace services::cloudwatch {
namespace {

using telemetry::Aggregate;
using telemetry::ValueCount;

constexpr std::size_t kMaxDecimals = 10;

// Digits with an optional fraction of at most kMaxDecimals digits.
std::optional<double> parse_decimal(std::string_view text) {
  const std::size_t point = text.find('.');
  if (point != text.npos && text.size() - point - 1 > kMaxDecimals) return std::nullopt;
  if (text.empty() || text.front() == '.' || text.find_first_not_of("0123456789.") != text.npos) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Amazon compares only the integer part: p100.99 is accepted, and is p100.
std::optional<double> parse_percent(std::string_view text) {
  const auto value = parse_decimal(text);
  if (!value || std::floor(*value) > 100) return std::nullopt;
  return std::min(*value, 100.0);
}

// "10%:90%", "10%:", ":300", "100:2000"
std::optional<TrimBounds> parse_bounds(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == text.npos) return std::nullopt;
  std::string_view lower = text.substr(0, colon), upper = text.substr(colon + 1);
  if (lower.empty() && upper.empty()) return std::nullopt;
  TrimBounds bounds;
  bounds.percent = lower.ends_with('%') || upper.ends_with('%');
  for (auto [part, bound] : {std::pair(lower, &bounds.lower), {upper, &bounds.upper}}) {
    if (part.empty()) continue;
    if (part.ends_with('%') != bounds.percent) return std::nullopt;
    *bound = bounds.percent ? parse_percent(part.substr(0, part.size() - 1)) : parse_decimal(part);
    if (!*bound) return std::nullopt;
  }
  if (bounds.lower && bounds.upper && *bounds.lower >= *bounds.upper) return std::nullopt;
  return bounds;
}

std::optional<StatisticKind> trimmed_kind(std::string_view prefix) {
  if (prefix == "tm") return StatisticKind::TrimmedMean;
  if (prefix == "tc") return StatisticKind::TrimmedCount;
  if (prefix == "ts") return StatisticKind::TrimmedSum;
  if (prefix == "wm") return StatisticKind::WinsorizedMean;
  if (prefix == "pr") return StatisticKind::PercentileRank;
  return std::nullopt;
}

std::optional<Statistic> parse_trimmed(std::string_view lower_name) {
  const auto kind = trimmed_kind(lower_name.substr(0, 2));
  if (!kind) return std::nullopt;
  std::string_view rest = lower_name.substr(2);
  if (rest.starts_with('(') && rest.ends_with(')')) {
    auto bounds = parse_bounds(rest.substr(1, rest.size() - 2));
    if (!bounds || (*kind == StatisticKind::PercentileRank && bounds->percent)) return std::nullopt;
    return Statistic{.kind = *kind, .bounds = *bounds};
  }
  // tm90 is TM(:90%).
  const auto upper = parse_percent(rest);
  if (!upper || *kind == StatisticKind::PercentileRank) return std::nullopt;
  return Statistic{.kind = *kind, .bounds = {.percent = true, .upper = *upper}};
}

// The value of the sample with this rank, 1 to count.
double value_at(const std::vector<ValueCount>& values, double rank) {
  double below = 0;
  for (const ValueCount& entry : values) {
    below += entry.count;
    if (below >= rank) return entry.value;
  }
  return values.back().value;
}

// The samples that the bounds keep, as ranks: those above `low` up to `high`. And the values to clamp the others to.
struct Kept {
  double low = 0, high = 0;
  double low_value = 0, high_value = 0;
};

Kept kept_by(const TrimBounds& bounds, const Aggregate& all) {
  Kept kept{0, all.count, all.min, all.max};
  if (bounds.percent) {
    if (bounds.lower) kept.low = std::floor(all.count * *bounds.lower / 100);
    if (bounds.upper) kept.high = std::ceil(all.count * *bounds.upper / 100);
    if (bounds.lower) kept.low_value = value_at(all.values, kept.low + 1);
    if (bounds.upper) kept.high_value = value_at(all.values, std::max(kept.high, 1.0));
    return kept;
  }
  if (bounds.lower) kept.low_value = *bounds.lower;
  if (bounds.upper) kept.high_value = *bounds.upper;
  kept.high = 0;
  for (const ValueCount& entry : all.values) {
    if (bounds.lower && entry.value <= *bounds.lower) kept.low += entry.count;
    if (!bounds.upper || entry.value <= *bounds.upper) kept.high += entry.count;
  }
  return kept;
}

struct CountAndSum {
  double count = 0, sum = 0;
};

CountAndSum sum_of(const std::vector<ValueCount>& values, const Kept& kept) {
  CountAndSum total;
  double below = 0;
  for (const ValueCount& entry : values) {
    const double from = std::max(below, kept.low), to = std::min(below + entry.count, kept.high);
    below += entry.count;
    if (to <= from) continue;
    total.count += to - from;
    total.sum += (to - from) * entry.value;
  }
  return total;
}

std::optional<double> compute_trimmed(const Statistic& statistic, const Aggregate& all) {
  const Kept kept = kept_by(statistic.bounds, all);
  const CountAndSum inside = sum_of(all.values, kept);
  switch (statistic.kind) {
    case StatisticKind::TrimmedCount: return inside.count;
    case StatisticKind::TrimmedSum: return inside.sum;
    case StatisticKind::PercentileRank: return 100 * inside.count / all.count;
    case StatisticKind::TrimmedMean:
      if (inside.count == 0) return std::nullopt;
      return inside.sum / inside.count;
    default: break;
  }
  double sum = 0;
  double below = 0;
  for (const ValueCount& entry : all.values) {
    const double from = below, to = below + entry.count;
    below = to;
    const double under = std::clamp(kept.low - from, 0.0, entry.count);
    const double over = std::clamp(to - kept.high, 0.0, entry.count - under);
    sum += under * kept.low_value + over * kept.high_value + (entry.count - under - over) * entry.value;
  }
  return sum / all.count;
}

}  // namespace

std::optional<Statistic> parse_statistic(std::string_view name) {
  static constexpr std::pair<std::string_view, StatisticKind> kSimple[] = {
      {"SampleCount", StatisticKind::SampleCount}, {"Average", StatisticKind::Average}, {"Sum", StatisticKind::Sum},
      {"Minimum", StatisticKind::Minimum},         {"Maximum", StatisticKind::Maximum},
  };
  for (const auto& [known, kind] : kSimple) {
    if (known == name) return Statistic{.kind = kind};
  }
  const std::string lower = base::to_lower(name);
  if (lower == "iqm") {
    return Statistic{.kind = StatisticKind::TrimmedMean, .bounds = {.percent = true, .lower = 25, .upper = 75}};
  }
  if (name.starts_with('p')) {
    if (const auto percent = parse_percent(name.substr(1))) {
      return Statistic{.kind = StatisticKind::Percentile, .percentile = *percent};
    }
  }
  return parse_trimmed(lower);
}

std::optional<double> compute(const Statistic& statistic, const Aggregate& aggregate) {
  switch (statistic.kind) {
    case StatisticKind::SampleCount: return aggregate.count;
    case StatisticKind::Average: return aggregate.average();
    case StatisticKind::Sum: return aggregate.sum;
    case StatisticKind::Minimum: return aggregate.min;
    case StatisticKind::Maximum: return aggregate.max;
    default: break;
  }
  // As on Amazon, percentiles need the samples, none of them negative.
  if (!aggregate.has_values() || aggregate.min < 0) return std::nullopt;
  if (statistic.kind != StatisticKind::Percentile) return compute_trimmed(statistic, aggregate);
  return value_at(aggregate.values, std::max(std::ceil(aggregate.count * statistic.percentile / 100), 1.0));
}

}  // namespace services::cloudwatch
