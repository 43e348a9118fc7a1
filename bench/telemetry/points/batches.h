// SPDX-License-Identifier: Apache-2.0
// The points that are sent: gauges of simulated GPUs, a random walk with two decimals, one point a second.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace bench {

inline constexpr int kBatchPoints = 1000;

// A group of kBatchPoints series, and their next values.
class Gauges {
 public:
  Gauges(int group, std::int64_t first_second);

  void advance();
  std::int64_t second() const { return second_; }
  const std::vector<double>& values() const { return values_; }
  static std::string host(int group, int index);
  static std::string gpu(int index) { return std::to_string(index % 8); }

 private:
  std::mt19937_64 random_;
  std::int64_t second_;
  std::vector<double> values_;
};

// PutMetricData in CBOR, 1000 data; only times and values change between requests.
class CborBatch {
 public:
  explicit CborBatch(int group);
  const std::string& render(const Gauges& gauges);

 private:
  std::string body_;
  std::vector<std::size_t> times_, values_;  // where they are
};

// The same series in Prometheus's remote write format: protobuf, framed as Snappy without compression.
std::string remote_write(int group, const Gauges& gauges);

}  // namespace bench
