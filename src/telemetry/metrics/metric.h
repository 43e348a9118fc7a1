// SPDX-License-Identifier: Apache-2.0
// The name of a metric: what its points are found by. The unit is not part of it.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace telemetry {

struct Dimension {
  std::string name, value;
  auto operator<=>(const Dimension&) const = default;
};

struct Metric {
  std::string account, region;
  std::string space;  // the namespace: "AWS/SQS"
  std::string name;
  std::vector<Dimension> dimensions = {};  // in any order; two metrics with the same set are the same
  bool operator==(const Metric&) const = default;
};

// The number of a unit. The service that stores the points defines its meaning.
using Unit = std::uint8_t;
inline constexpr Unit kUnits = 32;

// The metric as bytes: equal for equal metrics, whatever the order of their dimensions.
std::string metric_key(const Metric& metric);
// The same, for many metrics of one namespace: appends the rest to a key that ends after the namespace.
std::string namespace_key(std::string_view account, std::string_view region, std::string_view space);
void append_key_part(std::string_view part, std::string& key);
// nullopt for bytes that no metric_key() has.
std::optional<Metric> parse_metric_key(std::string_view key);

// A hash of the key that is the same in each version of the program.
std::int64_t stable_hash(std::string_view key);

}  // namespace telemetry
