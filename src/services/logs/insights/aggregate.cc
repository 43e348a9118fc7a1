// SPDX-License-Identifier: Apache-2.0
#include "services/logs/insights/aggregate.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/hash.h"

namespace services::logs::insights {
namespace {

using AggregateKind = Aggregate::Kind;

constexpr double kGrowth = 1.02;  // of a bucket's bounds: a value differs by less than 1 % from the middle
constexpr double kTiny = 1e-9;
constexpr int kZero = 0;
constexpr unsigned kRegisterBits = 12;

int bucket_of(double value) {
  if (std::abs(value) < kTiny) return kZero;
  const int index = static_cast<int>(std::floor(std::log(std::abs(value) / kTiny) / std::log(kGrowth))) + 1;
  return value > 0 ? index : -index;
}

double middle_of(int bucket) {
  if (bucket == kZero) return 0;
  const double value = kTiny * std::pow(kGrowth, std::abs(bucket) - 0.5);
  return bucket > 0 ? value : -value;
}

// FNV-1a with a final mix: the registers need all bits to be random.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ull;
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  hash ^= hash >> 33;
  hash *= 0xff51afd7ed558ccdull;
  hash ^= hash >> 33;
  hash *= 0xc4ceb9fe1a85ec53ull;
  return hash ^ (hash >> 33);
}

}  // namespace

void Quantiles::count(double value) { ++buckets_[bucket_of(value)]; }

void Quantiles::add(double value) {
  least_ = total_ ? std::min(least_, value) : value;
  most_ = total_ ? std::max(most_, value) : value;
  ++total_;
  if (buckets_.empty() && values_.size() < kExact) {
    values_.push_back(value);
    return;
  }
  for (double one : values_) count(one);
  values_.clear();
  count(value);
}

double Quantiles::exact(double percentile) const {
  std::vector<double> sorted = values_;
  std::sort(sorted.begin(), sorted.end());
  const double rank = percentile / 100 * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  if (below + 1 >= sorted.size()) return sorted.back();
  return sorted[below] + (sorted[below + 1] - sorted[below]) * (rank - static_cast<double>(below));
}

double Quantiles::at(double percentile) const {
  if (!values_.empty()) return exact(percentile);
  if (percentile >= 100) return most_;
  const double rank = percentile / 100 * static_cast<double>(total_ - 1);
  double seen = 0;
  for (const auto& [bucket, count] : buckets_) {
    seen += static_cast<double>(count);
    if (seen > rank) return std::clamp(middle_of(bucket), least_, most_);
  }
  return most_;
}

void DistinctCount::note(std::uint64_t hash) {
  const std::size_t index = hash >> (64 - kRegisterBits);
  const auto zeros = static_cast<std::uint8_t>(std::countl_zero((hash << kRegisterBits) | (1ull << (kRegisterBits - 1))) + 1);
  registers_[index] = std::max(registers_[index], zeros);
}

void DistinctCount::add(std::string_view text) {
  const std::uint64_t hash = hash_of(text);
  if (registers_.empty()) {
    hashes_.insert(hash);
    if (hashes_.size() <= kExact) return;
    registers_.resize(1u << kRegisterBits);
    for (std::uint64_t one : hashes_) note(one);
    hashes_ = {};
  }
  note(hash);
}

double DistinctCount::estimate() const {
  if (registers_.empty()) return static_cast<double>(hashes_.size());
  double sum = 0;
  std::size_t zeros = 0;
  for (std::uint8_t one : registers_) {
    sum += std::ldexp(1.0, -one);
    zeros += one == 0;
  }
  const double count = static_cast<double>(registers_.size());
  const double raw = 0.7213 / (1 + 1.079 / count) * count * count / sum;
  return std::round(raw <= 2.5 * count && zeros > 0 ? count * std::log(count / static_cast<double>(zeros)) : raw);
}

void AggregateState::add(const Aggregate& aggregate, const Value& value, std::int64_t time_ms) {
  if (aggregate.argument && value.is_null()) return;
  const auto choose = [&](bool better) {
    if (count_ == 0 || better) chosen_ = value, chosen_time_ = time_ms;
    ++count_;
  };
  switch (aggregate.kind) {
    case AggregateKind::Count: ++count_; return;
    case AggregateKind::Distinct:
      if (!distinct_) distinct_ = std::make_unique<DistinctCount>();
      distinct_->add(value.as_text());
      return;
    case AggregateKind::Earliest: return choose(time_ms < chosen_time_);
    case AggregateKind::Latest: return choose(time_ms > chosen_time_);
    case AggregateKind::SortsFirst: return choose(natural_order(value, chosen_) < 0);
    case AggregateKind::SortsLast: return choose(natural_order(value, chosen_) > 0);
    default: break;
  }
  const auto number = value.as_number();
  if (!number) return;
  if (aggregate.kind == AggregateKind::Percentile) {
    if (!quantiles_) quantiles_ = std::make_unique<Quantiles>();
    quantiles_->add(*number);
  }
  if (aggregate.kind == AggregateKind::Minimum) return choose(*number < chosen_.as_number().value_or(*number));
  if (aggregate.kind == AggregateKind::Maximum) return choose(*number > chosen_.as_number().value_or(*number));
  ++count_;
  sum_ += *number;
  const double before = *number - mean_;
  mean_ += before / static_cast<double>(count_);
  squares_ += before * (*number - mean_);
}

Value AggregateState::result(const Aggregate& aggregate) const {
  const auto finite = [](double value) { return std::isfinite(value) ? Value::of(value) : Value::null(); };
  switch (aggregate.kind) {
    case AggregateKind::Count: return Value::of(static_cast<double>(count_));
    case AggregateKind::Distinct: return Value::of(distinct_ ? distinct_->estimate() : 0.0);
    default: break;
  }
  if (count_ == 0) return {};
  switch (aggregate.kind) {
    case AggregateKind::Sum: return finite(sum_);
    case AggregateKind::Average: return finite(mean_);
    case AggregateKind::Deviation: return finite(std::sqrt(squares_ / static_cast<double>(count_)));
    case AggregateKind::Percentile: return finite(quantiles_->at(aggregate.percentile));
    default: break;
  }
  // Amazon shows times among aggregates as milliseconds.
  return chosen_.kind == Value::Kind::Time ? Value::of(chosen_.number) : chosen_;
}

}  // namespace services::logs::insights
