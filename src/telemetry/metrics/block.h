// SPDX-License-Identifier: Apache-2.0
// A block: points of one stream, compressed. Blocks never change; when they age they are replaced.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/metrics/aggregate.h"

namespace telemetry {

// Of either kind. More points are split.
inline constexpr std::size_t kMaxBlockPoints = 2048;
// Distinct values of all aggregates of a block.
inline constexpr std::size_t kMaxBlockValues = 1 << 20;

struct BlockSample {
  std::int64_t second = 0;
  double value = 0;
  bool operator==(const BlockSample&) const = default;
};
struct BlockAggregate {
  std::int64_t second = 0;
  Aggregate aggregate = {};
  bool operator==(const BlockAggregate&) const = default;
};

// Single samples and aggregates, each in ascending order of time.
struct BlockPoints {
  std::vector<BlockSample> samples = {};
  std::vector<BlockAggregate> aggregates = {};
  bool operator==(const BlockPoints&) const = default;

  bool empty() const { return samples.empty() && aggregates.empty(); }
  void sort();
};

struct EncodedBlock {
  std::int64_t first = 0, last = 0;  // seconds of its points
  std::string bytes;
};

// Sorts the points and encodes them, in as many blocks as they need.
std::vector<EncodedBlock> encode_blocks(BlockPoints points);
// nullopt for damaged bytes. Without values, aggregates have only their four numbers.
std::optional<BlockPoints> decode_block(std::string_view bytes, bool with_values);

}  // namespace telemetry
