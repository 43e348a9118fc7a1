// SPDX-License-Identifier: Apache-2.0
// The journal: points that are durable but not yet part of a block, as one row for each batch that was put.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/metrics/aggregate.h"
#include "telemetry/metrics/metric.h"

namespace telemetry {

// The points of a metric in one unit. Its number encodes both.
using StreamId = std::int64_t;
inline StreamId stream_id(std::int64_t series, Unit unit) { return series * kUnits + unit; }
inline std::int64_t series_of(StreamId stream) { return stream / kUnits; }
inline Unit unit_of(StreamId stream) { return static_cast<Unit>(stream % kUnits); }

// Samples of one second.
struct StreamPoint {
  StreamId stream = 0;
  std::int64_t second = 0;  // since 1970
  double value = 0;
  // Set for anything but a single sample.
  std::shared_ptr<const Aggregate> aggregate = {};  // shared: the journal's row and the head
};

std::string encode_batch(const std::vector<StreamPoint>& points);
// nullopt for damaged bytes.
std::optional<std::vector<StreamPoint>> decode_batch(std::string_view bytes);

void append_aggregate(const Aggregate& aggregate, std::string& out);
class ByteReader;
Aggregate read_aggregate(ByteReader& in);

}  // namespace telemetry
