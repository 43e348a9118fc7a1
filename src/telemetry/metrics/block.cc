// SPDX-License-Identifier: Apache-2.0
#include "telemetry/metrics/block.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "telemetry/metrics/bytes.h"
#include "telemetry/metrics/columns.h"

namespace telemetry {
namespace {

constexpr std::uint64_t kBlockVersion = 1;

bool by_time(const auto& a, const auto& b) { return a.second < b.second; }

template <class Points, class Get>
auto column_of(const Points& points, Get get) {
  std::vector<std::decay_t<decltype(get(points[0]))>> column;
  column.reserve(points.size());
  for (const auto& point : points) column.push_back(get(point));
  return column;
}

constexpr double Aggregate::*kNumbers[] = {&Aggregate::count, &Aggregate::sum, &Aggregate::min, &Aggregate::max};

void append_distributions(const std::vector<BlockAggregate>& aggregates, std::string& out) {
  std::string distributions;
  std::vector<double> values, counts;
  for (const BlockAggregate& one : aggregates) {
    append_varint(one.aggregate.values.size(), distributions);
    for (const ValueCount& entry : one.aggregate.values) {
      values.push_back(entry.value);
      counts.push_back(entry.count);
    }
  }
  append_values(values, distributions);
  append_values(counts, distributions);
  // With its length, so that readers without use for it skip it.
  append_varint(distributions.size(), out);
  out += distributions;
}

bool read_distributions(std::string_view bytes, std::vector<BlockAggregate>& aggregates) {
  ByteReader in(bytes);
  std::vector<std::size_t> sizes;
  std::size_t total = 0;
  for (std::size_t i = 0; i < aggregates.size(); ++i) {
    const std::uint64_t size = in.varint();
    if (size > kMaxBlockValues) return false;
    sizes.push_back(size);
    total += size;
  }
  if (!in.ok() || total > kMaxBlockValues) return false;
  const auto values = read_values(in, total);
  const auto counts = read_values(in, total);
  if (!in.ok() || !in.done() || values.size() != total || counts.size() != total) return false;
  std::size_t next = 0;
  for (std::size_t i = 0; i < aggregates.size(); ++i) {
    auto& into = aggregates[i].aggregate.values;
    into.reserve(sizes[i]);
    for (std::size_t k = 0; k < sizes[i]; ++k, ++next) into.push_back({values[next], counts[next]});
  }
  return true;
}

EncodedBlock encode_block(const BlockPoints& points) {
  EncodedBlock block{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min(), {}};
  const auto widen = [&](const auto& ordered) {
    if (ordered.empty()) return;
    block.first = std::min(block.first, ordered.front().second);
    block.last = std::max(block.last, ordered.back().second);
  };
  widen(points.samples);
  widen(points.aggregates);
  std::string& out = block.bytes;
  append_varint(kBlockVersion, out);
  append_varint(points.samples.size(), out);
  append_times(column_of(points.samples, [](const BlockSample& one) { return one.second; }), out);
  append_values(column_of(points.samples, [](const BlockSample& one) { return one.value; }), out);
  append_varint(points.aggregates.size(), out);
  if (points.aggregates.empty()) return block;
  append_times(column_of(points.aggregates, [](const BlockAggregate& one) { return one.second; }), out);
  for (auto number : kNumbers) {
    append_values(column_of(points.aggregates, [&](const BlockAggregate& one) { return one.aggregate.*number; }), out);
  }
  append_distributions(points.aggregates, out);
  return block;
}

}  // namespace

void BlockPoints::sort() {
  std::stable_sort(samples.begin(), samples.end(), by_time<BlockSample, BlockSample>);
  std::stable_sort(aggregates.begin(), aggregates.end(), by_time<BlockAggregate, BlockAggregate>);
}

std::vector<EncodedBlock> encode_blocks(BlockPoints points) {
  points.sort();
  std::vector<EncodedBlock> blocks;
  std::size_t samples = 0, aggregates = 0;
  while (samples < points.samples.size() || aggregates < points.aggregates.size()) {
    BlockPoints part;
    const std::size_t sample_end = std::min(points.samples.size(), samples + kMaxBlockPoints);
    part.samples.assign(points.samples.begin() + static_cast<std::ptrdiff_t>(samples),
                        points.samples.begin() + static_cast<std::ptrdiff_t>(sample_end));
    samples = sample_end;
    std::size_t values = 0;
    for (; aggregates < points.aggregates.size() && part.aggregates.size() < kMaxBlockPoints; ++aggregates) {
      BlockAggregate& one = points.aggregates[aggregates];
      values += one.aggregate.values.size();
      if (values > kMaxBlockValues && !part.aggregates.empty()) break;
      part.aggregates.push_back(std::move(one));
    }
    blocks.push_back(encode_block(part));
  }
  return blocks;
}

std::optional<BlockPoints> decode_block(std::string_view bytes, bool with_values) {
  ByteReader in(bytes);
  BlockPoints points;
  if (in.varint() != kBlockVersion) return std::nullopt;
  const std::uint64_t samples = in.varint();
  if (samples > kMaxBlockPoints) return std::nullopt;
  const auto times = read_times(in, samples);
  const auto values = read_values(in, samples);
  const std::uint64_t aggregates = in.varint();
  if (!in.ok() || aggregates > kMaxBlockPoints) return std::nullopt;
  points.samples.reserve(samples);
  for (std::size_t i = 0; i < samples; ++i) points.samples.push_back({times[i], values[i]});
  if (aggregates == 0) return in.done() ? std::optional(std::move(points)) : std::nullopt;

  const auto aggregate_times = read_times(in, aggregates);
  std::vector<double> columns[4];
  for (auto& column : columns) column = read_values(in, aggregates);
  const std::string_view distributions = in.take(in.varint());
  if (!in.ok() || !in.done()) return std::nullopt;
  points.aggregates.reserve(aggregates);
  for (std::size_t i = 0; i < aggregates; ++i) {
    points.aggregates.push_back({aggregate_times[i], {columns[0][i], columns[1][i], columns[2][i], columns[3][i], {}}});
  }
  if (with_values && !read_distributions(distributions, points.aggregates)) return std::nullopt;
  return points;
}

}  // namespace telemetry
