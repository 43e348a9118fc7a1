// SPDX-License-Identifier: Apache-2.0
#include "telemetry/metrics/aggregate.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace telemetry {
namespace {

// The logarithm of the ratio between neighbouring bins, at first: values within 1 percent share one.
constexpr double kBinWidth = 0.00995;

double bin_value(double value, double width) {
  if (value == 0) return 0;
  const double magnitude = std::abs(value);
  const double bin = std::round(std::log(magnitude) / width);
  // Fewer digits than a double has: stored bins then compress well.
  const double centre = static_cast<double>(static_cast<float>(std::exp(bin * width)));
  if (!std::isfinite(centre) || centre == 0) return value;
  return value < 0 ? -centre : centre;
}

// Sorts by value, and unites entries with the same value.
void normalize(std::vector<ValueCount>& values) {
  std::sort(values.begin(), values.end(), [](const ValueCount& a, const ValueCount& b) { return a.value < b.value; });
  std::size_t kept = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i].value == values[kept].value) {
      values[kept].count += values[i].count;
    } else {
      values[++kept] = values[i];
    }
  }
  if (!values.empty()) values.resize(kept + 1);
}

}  // namespace

Aggregate Aggregate::of(double value, double count) {
  return {.count = count, .sum = value * count, .min = value, .max = value, .values = {{value, count}}};
}

void Combiner::count_up(double count, double sum, double min, double max) {
  total_.min = total_.empty() ? min : std::min(total_.min, min);
  total_.max = total_.empty() ? max : std::max(total_.max, max);
  total_.count += count;
  total_.sum += sum;
}

void Combiner::add(const Aggregate& other) {
  if (other.empty()) return;
  count_up(other.count, other.sum, other.min, other.max);
  complete_ = complete_ && other.has_values();
  if (with_values_ && complete_) pending_.insert(pending_.end(), other.values.begin(), other.values.end());
}

Aggregate Combiner::take() {
  Aggregate result = std::exchange(total_, {});
  if (with_values_ && complete_) {
    normalize(pending_);
    result.values = std::move(pending_);
  }
  pending_.clear();
  complete_ = true;
  return result;
}

void round_values(Aggregate& aggregate) {
  if (aggregate.values.size() <= kMaxExactValues) return;
  double width = kBinWidth;
  do {
    for (ValueCount& entry : aggregate.values) {
      entry.value = std::clamp(bin_value(entry.value, width), aggregate.min, aggregate.max);
    }
    normalize(aggregate.values);
    width *= 2;
  } while (aggregate.values.size() > kMaxBins);
}

}  // namespace telemetry
