// SPDX-License-Identifier: Apache-2.0
#include "telemetry/metrics/block.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "telemetry/metrics/columns.h"
#include "telemetry/metrics/journal.h"

namespace telemetry {
namespace {

std::vector<double> round_trip(const std::vector<double>& values) {
  std::string bytes;
  append_values(values, bytes);
  ByteReader in(bytes);
  auto read = read_values(in, values.size());
  EXPECT_TRUE(in.ok() && in.done());
  return read;
}

std::vector<std::int64_t> round_trip(const std::vector<std::int64_t>& times) {
  std::string bytes;
  append_times(times, bytes);
  ByteReader in(bytes);
  auto read = read_times(in, times.size());
  EXPECT_TRUE(in.ok() && in.done());
  return read;
}

TEST(Columns, ValuesOfAllKindsComeBack) {
  const double tiny = std::numeric_limits<double>::denorm_min(), huge = std::ldexp(1.0, 360);
  const std::vector<std::vector<double>> columns = {
      {},
      {1},
      {0, 0, 0},
      {1, 2, 3, 1000000, -5},
      {0.1, 0.2, 0.3, 99.95},
      {1.0 / 3, 2.0 / 3, 1e-9},
      {huge, -huge, tiny, 0},
      {1e15, -1e15, 1e14, 0.5},
      {999999999999999, -999999999999999},
      {0.000001, 123456.654321},
      {-0.0, 0, 1},
  };
  for (const auto& values : columns) {
    const auto read = round_trip(values);
    ASSERT_EQ(read.size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(read[i]), std::bit_cast<std::uint64_t>(values[i])) << values[i];
    }
  }
}

TEST(Columns, RandomValuesComeBack) {
  std::mt19937_64 random(42);
  for (int round = 0; round < 300; ++round) {
    std::vector<double> values;
    const std::size_t size = random() % 200 + 1;
    const int kind = round % 4;
    double walk = 50;
    for (std::size_t i = 0; i < size; ++i) {
      walk += static_cast<double>(random() % 200) / 100 - 1;
      if (kind == 0) values.push_back(static_cast<double>(random() % 1000));
      if (kind == 1) values.push_back(std::round(walk * 100) / 100);
      if (kind == 2) values.push_back(walk);
      if (kind == 3) values.push_back(std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 600) - 360));
    }
    EXPECT_EQ(round_trip(values), values) << "round " << round;
  }
}

TEST(Columns, TimesComeBack) {
  std::mt19937_64 random(7);
  EXPECT_EQ(round_trip(std::vector<std::int64_t>{}), std::vector<std::int64_t>{});
  EXPECT_EQ(round_trip(std::vector<std::int64_t>{1800000000}), std::vector<std::int64_t>{1800000000});
  for (int round = 0; round < 300; ++round) {
    std::vector<std::int64_t> times{1800000000};
    const std::uint64_t jitter = std::uint64_t{1} << (round % 24);
    for (std::uint64_t i = random() % 100; i > 0; --i) times.push_back(times.back() + static_cast<std::int64_t>(random() % jitter));
    EXPECT_EQ(round_trip(times), times);
  }
}

TEST(Block, PointsComeBackInOrderOfTime) {
  BlockPoints points;
  points.samples = {{30, 3}, {10, 1}, {20, 2}};
  points.aggregates = {{60, {4, 10, 1, 5, {}}}, {30, Aggregate::of(2, 3)}};
  const auto blocks = encode_blocks(points);
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].first, 10);
  EXPECT_EQ(blocks[0].last, 60);
  points.sort();
  EXPECT_EQ(decode_block(blocks[0].bytes, true), points);
  EXPECT_TRUE(decode_block(blocks[0].bytes, false)->aggregates[0].aggregate.values.empty());
}

TEST(Block, ManyPointsNeedSeveralBlocks) {
  BlockPoints points;
  for (int i = 0; i < 5000; ++i) points.samples.push_back({i, static_cast<double>(i % 7)});
  BlockPoints read;
  const auto blocks = encode_blocks(points);
  EXPECT_EQ(blocks.size(), 3u);
  for (const EncodedBlock& block : blocks) {
    const auto part = decode_block(block.bytes, true);
    ASSERT_TRUE(part);
    read.samples.insert(read.samples.end(), part->samples.begin(), part->samples.end());
  }
  EXPECT_EQ(read, points);
}

TEST(Block, AnHourOfSecondsTakesLessThanTwoBytesAPoint) {
  std::mt19937_64 random(1);
  BlockPoints points;
  double utilization = 60;
  for (int i = 0; i < 3600; ++i) {
    utilization = std::clamp(utilization + static_cast<double>(random() % 9) - 4, 0.0, 100.0);
    points.samples.push_back({1800000000 + i, utilization});
  }
  std::size_t bytes = 0;
  for (const EncodedBlock& block : encode_blocks(points)) bytes += block.bytes.size();
  EXPECT_LT(bytes, 3600u * 2);
}

TEST(Block, DamagedBytesAreRejected) {
  BlockPoints points;
  for (int i = 0; i < 100; ++i) points.samples.push_back({i * i, std::sqrt(i)});
  points.aggregates = {{5, Aggregate::of(1.5, 2)}};
  const std::string bytes = encode_blocks(points)[0].bytes;
  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(decode_block(bytes.substr(0, size), true)) << size;
  EXPECT_FALSE(decode_block(bytes + "x", true));
}

TEST(Journal, ABatchComesBack) {
  const auto aggregate = std::make_shared<const Aggregate>(Aggregate{3, 6, 1, 3, {{1, 1}, {2, 1}, {3, 1}}});
  const std::vector<StreamPoint> points = {{64, 1800000000, 1.5, {}}, {32, 1800000001, -2, {}}, {99, 1799999999, 0, aggregate}};
  const auto read = decode_batch(encode_batch(points));
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ((*read)[i].stream, points[i].stream);
    EXPECT_EQ((*read)[i].second, points[i].second);
    EXPECT_EQ((*read)[i].value, points[i].value);
  }
  EXPECT_EQ(*(*read)[2].aggregate, *aggregate);
  EXPECT_FALSE(decode_batch(encode_batch(points) + "x"));
}

TEST(Metric, AKeyDoesNotDependOnTheOrderOfDimensions) {
  const Metric a{"1", "r", "s", "n", {{"x", "1"}, {"y", "2"}}}, b{"1", "r", "s", "n", {{"y", "2"}, {"x", "1"}}};
  EXPECT_EQ(metric_key(a), metric_key(b));
  EXPECT_EQ(parse_metric_key(metric_key(b)), a);
  EXPECT_NE(metric_key({"1", "r", "s", "nx", {}}), metric_key({"1", "r", "sn", "x", {}}));
  EXPECT_FALSE(parse_metric_key("\x01"));
}

TEST(Aggregate, ManyValuesAreRoundedButTheirSumIsNot) {
  Combiner combiner;
  for (int i = 0; i < 1000; ++i) combiner.add(1000 + i * 0.37);
  Aggregate aggregate = combiner.take();
  const double sum = aggregate.sum;
  round_values(aggregate);
  EXPECT_LT(aggregate.values.size(), 60u);
  EXPECT_EQ(aggregate.sum, sum);
  double count = 0;
  for (const ValueCount& entry : aggregate.values) count += entry.count;
  EXPECT_EQ(count, 1000);
  EXPECT_NEAR(aggregate.values[aggregate.values.size() / 2].value, 1185, 10);
}

}  // namespace
}  // namespace telemetry
