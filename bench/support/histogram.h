// SPDX-License-Identifier: Apache-2.0
// A histogram of latencies: the width of each bucket is 3 % of its value.
#pragma once

#include <array>
#include <bit>
#include <chrono>
#include <cstdint>

namespace bench {

class Histogram {
 public:
  void add(std::chrono::nanoseconds latency) {
    ++buckets_[index(static_cast<std::uint64_t>(latency.count()))];
    ++count_;
  }

  void add(const Histogram& other) {
    for (std::size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
    count_ += other.count_;
  }

  std::uint64_t count() const { return count_; }

  // The latency below which this share of all values is; zero without values.
  std::chrono::nanoseconds quantile(double share) const {
    auto rank = static_cast<std::uint64_t>(share * static_cast<double>(count_));
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      if (buckets_[i] > rank) return std::chrono::nanoseconds(lower_bound(i + 1));
      rank -= buckets_[i];
    }
    return std::chrono::nanoseconds(0);
  }

 private:
  static constexpr int kStepBits = 5;
  static constexpr std::uint64_t kSteps = 1u << kStepBits;  // to each doubling
  static constexpr int kDoublings = 40;                     // 2^45 ns is nine hours

  static std::size_t index(std::uint64_t value) {
    if (value < kSteps) return value;
    const int shift = std::bit_width(value) - 1 - kStepBits;
    if (shift >= kDoublings - 1) return kSteps * kDoublings - 1;
    return kSteps * static_cast<std::size_t>(shift) + (value >> shift);
  }
  static std::uint64_t lower_bound(std::size_t index) {
    if (index < kSteps) return index;
    const std::size_t shift = index / kSteps - 1;
    return (kSteps + index % kSteps) << shift;
  }

  std::array<std::uint64_t, kSteps * kDoublings> buckets_{};
  std::uint64_t count_ = 0;
};

}  // namespace bench
