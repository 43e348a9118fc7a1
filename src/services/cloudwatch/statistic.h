// SPDX-License-Identifier: Apache-2.0
// Statistics by their names: "Average", "p99.9", "TM(10%:90%)", "tm90", "IQM", "PR(:300)".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "telemetry/metrics/aggregate.h"

namespace services::cloudwatch {

enum class StatisticKind {
  SampleCount,
  Average,
  Sum,
  Minimum,
  Maximum,
  Percentile,
  TrimmedMean,
  TrimmedCount,
  TrimmedSum,
  WinsorizedMean,
  PercentileRank,
};

// Which samples a trimmed statistic keeps: those above `lower` up to and including `upper`.
struct TrimBounds {
  bool percent = false;  // the bounds are percentiles, not values
  std::optional<double> lower = {}, upper = {};
  bool operator==(const TrimBounds&) const = default;
};

struct Statistic {
  StatisticKind kind = StatisticKind::Average;
  double percentile = 0;  // of Percentile: 0 to 100
  TrimBounds bounds = {};
  bool operator==(const Statistic&) const = default;

  bool needs_values() const { return kind >= StatisticKind::Percentile; }
};

// nullopt: no statistic has this name.
std::optional<Statistic> parse_statistic(std::string_view name);

// nullopt if the aggregate can't answer: its samples are unknown or some are negative, or none is within the bounds.
std::optional<double> compute(const Statistic& statistic, const telemetry::Aggregate& aggregate);

}  // namespace services::cloudwatch
