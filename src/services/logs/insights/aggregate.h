// SPDX-License-Identifier: Apache-2.0
// What stats computes of the rows of a group, in bounded memory.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_set>
#include <vector>

#include "services/logs/insights/query.h"

namespace services::logs::insights {

// Percentiles: exact up to kExact values, then within 1 %.
class Quantiles {
 public:
  static constexpr std::size_t kExact = 1000;

  void add(double value);
  double at(double percentile) const;

 private:
  double exact(double percentile) const;
  void count(double value);

  std::vector<double> values_;           // until there are more than kExact
  std::map<int, std::uint64_t> buckets_;  // by the logarithm; negative numbers below zero
  std::uint64_t total_ = 0;
  double least_ = 0, most_ = 0;
};

// The number of distinct texts: exact up to kExact, then within about 2 %.
class DistinctCount {
 public:
  static constexpr std::size_t kExact = 10'000;

  void add(std::string_view text);
  double estimate() const;

 private:
  void note(std::uint64_t hash);

  std::unordered_set<std::uint64_t> hashes_;
  std::vector<std::uint8_t> registers_;  // HyperLogLog, once there are more
};

class AggregateState {
 public:
  // `value` is null where the aggregate has no argument.
  void add(const Aggregate& aggregate, const Value& value, std::int64_t time_ms);
  Value result(const Aggregate& aggregate) const;

 private:
  std::uint64_t count_ = 0;
  double sum_ = 0, mean_ = 0, squares_ = 0;
  Value chosen_;  // the least, largest, earliest, ...
  std::int64_t chosen_time_ = 0;
  std::unique_ptr<Quantiles> quantiles_;
  std::unique_ptr<DistinctCount> distinct_;
};

}  // namespace services::logs::insights
