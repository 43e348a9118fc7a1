// SPDX-License-Identifier: Apache-2.0
// Any bytes as the name of a statistic, and as a label: an error, or a value.
#include <cstddef>
#include <cstdint>

#include "services/cloudwatch/label.h"
#include "services/cloudwatch/statistic.h"
#include "wire/error.h"

using namespace services::cloudwatch;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const telemetry::Aggregate samples{6, 21, 1, 6, {{1, 1}, {2, 2}, {4, 1}, {6, 2}}};
  if (const auto statistic = parse_statistic(text)) compute(*statistic, samples);
  parse_zone(text);
  const base::Time now = base::from_seconds(1800000000);
  const std::vector<MathPoint> points = {{now, 1}, {now + std::chrono::minutes(1), 2}};
  LabelFacts facts{.default_label = "Latency", .points = points, .now = now};
  try {
    make_label(text, facts);
  } catch (const wire::ApiError&) {
  }
  return 0;
}
