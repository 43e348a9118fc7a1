// SPDX-License-Identifier: Apache-2.0
#include "telemetry/metrics/journal.h"

#include <utility>

#include "telemetry/metrics/bytes.h"

namespace telemetry {
namespace {

enum PointKind : std::uint64_t { kSingle, kAggregate };

}  // namespace

void append_aggregate(const Aggregate& aggregate, std::string& out) {
  for (double number : {aggregate.count, aggregate.sum, aggregate.min, aggregate.max}) append_double(number, out);
  append_varint(aggregate.values.size(), out);
  for (const ValueCount& entry : aggregate.values) {
    append_double(entry.value, out);
    append_double(entry.count, out);
  }
}

Aggregate read_aggregate(ByteReader& in) {
  Aggregate aggregate;
  for (double* number : {&aggregate.count, &aggregate.sum, &aggregate.min, &aggregate.max}) *number = in.real();
  const std::uint64_t count = in.varint();
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    const double value = in.real();
    aggregate.values.push_back({value, in.real()});
  }
  return aggregate;
}

// Neighbours are often of the same second and of neighbouring series: differences are short.
std::string encode_batch(const std::vector<StreamPoint>& points) {
  std::string out;
  out.reserve(points.size() * 13 + 8);
  append_varint(points.size(), out);
  StreamId stream = 0;
  std::int64_t second = 0;
  for (const StreamPoint& point : points) {
    const bool single = !point.aggregate;
    append_signed(point.stream - std::exchange(stream, point.stream), out);
    // The kind shares a number with the time.
    const std::uint64_t moved = to_zigzag(point.second - std::exchange(second, point.second));
    append_varint(moved << 1 | (single ? kSingle : kAggregate), out);
    if (single) {
      append_double(point.value, out);
    } else {
      append_aggregate(*point.aggregate, out);
    }
  }
  return out;
}

std::optional<std::vector<StreamPoint>> decode_batch(std::string_view bytes) {
  ByteReader in(bytes);
  const std::uint64_t count = in.varint();
  std::vector<StreamPoint> points;
  StreamId stream = 0;
  std::int64_t second = 0;
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    // Unsigned: damaged bytes must not overflow.
    stream = static_cast<std::int64_t>(static_cast<std::uint64_t>(stream) + static_cast<std::uint64_t>(in.signed_varint()));
    const std::uint64_t moved = in.varint();
    second = static_cast<std::int64_t>(static_cast<std::uint64_t>(second) +
                                       static_cast<std::uint64_t>(from_zigzag(moved >> 1)));
    StreamPoint point{.stream = stream, .second = second};
    if ((moved & 1) == kSingle) {
      point.value = in.real();
    } else {
      point.aggregate = std::make_shared<const Aggregate>(read_aggregate(in));
    }
    points.push_back(std::move(point));
  }
  if (!in.ok() || !in.done()) return std::nullopt;
  return points;
}

}  // namespace telemetry
