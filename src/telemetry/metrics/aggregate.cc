// SPDX-License-Identifier: Apache-2.0
#include "telemetry/metrics/aggregate.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace telemetry {
namespace {

// The value with this many significant digits.
double round_digits(double value, int digits) {
  if (value == 0) return 0;
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value)))) - digits + 1;
  // Whole powers of ten are exact up to 22 digits, so that the result prints, and compresses, as a short decimal.
  const double scale = std::pow(10.0, std::abs(exponent));
  const double rounded = exponent > 0 ? std::round(value / scale) * scale : std::round(value * scale) / scale;
  return std::isfinite(rounded) ? rounded : value;
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
  std::size_t most = kMaxExactValues;
  for (int digits = 3; digits >= 1 && aggregate.values.size() > most; --digits) {
    for (ValueCount& entry : aggregate.values) {
      entry.value = std::clamp(round_digits(entry.value, digits), aggregate.min, aggregate.max);
    }
    normalize(aggregate.values);
    most = kMaxRoundedValues;
  }
}

}  // namespace telemetry
