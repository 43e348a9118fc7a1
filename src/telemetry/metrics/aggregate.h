// SPDX-License-Identifier: Apache-2.0
// Samples of a metric, combined: of one second, or of any longer period.
#pragma once

#include <cstddef>
#include <vector>

namespace telemetry {

// `count` samples with this value.
struct ValueCount {
  double value = 0, count = 0;
  bool operator==(const ValueCount&) const = default;
};

// A rolled-up aggregate with more distinct values has them rounded; see round_values().
inline constexpr std::size_t kMaxExactValues = 16;
inline constexpr std::size_t kMaxRoundedValues = 512;

struct Aggregate {
  double count = 0, sum = 0, min = 0, max = 0;
  // The samples by value, ascending. Complete, or empty: then percentiles of this aggregate are unknown, because
  // a client published only the four numbers above.
  std::vector<ValueCount> values = {};
  bool operator==(const Aggregate&) const = default;

  static Aggregate of(double value, double count = 1);
  bool empty() const { return count == 0; }
  bool has_values() const { return !values.empty(); }
  double average() const { return sum / count; }
};

// Combines aggregates, in any order. Adding is cheap; the values are sorted once, by take().
class Combiner {
 public:
  // Without values, percentiles are not computed and cost nothing.
  explicit Combiner(bool with_values = true) : with_values_(with_values) {}
  void add(double value) {
    count_up(1, value, value, value);
    if (with_values_) pending_.push_back({value, 1});
  }
  void add(const Aggregate& other);
  bool empty() const { return total_.empty(); }
  // The combined aggregate; the combiner is empty afterwards.
  Aggregate take();

 private:
  void count_up(double count, double sum, double min, double max);

  bool with_values_;
  bool complete_ = true;  // each added aggregate had its values
  Aggregate total_;
  std::vector<ValueCount> pending_;
};

// Rounds more than kMaxExactValues values to three significant digits, so that percentiles of an hour of samples cost a
// bounded number of bytes: an error of at most half a percent. If more than kMaxRoundedValues remain, to two, then to one.
void round_values(Aggregate& aggregate);

}  // namespace telemetry
