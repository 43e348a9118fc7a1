// SPDX-License-Identifier: Apache-2.0
#include "telemetry/metrics/metric.h"

#include <algorithm>

#include "base/check.h"

namespace telemetry {
namespace {

constexpr std::size_t kMaxPart = 0xFFFF;

std::optional<std::string> take_key_part(std::string_view& key) {
  if (key.size() < 2) return std::nullopt;
  const std::size_t size = static_cast<std::size_t>(static_cast<std::uint8_t>(key[0])) << 8 |
                           static_cast<std::uint8_t>(key[1]);
  if (key.size() < 2 + size) return std::nullopt;
  std::string part(key.substr(2, size));
  key.remove_prefix(2 + size);
  return part;
}

}  // namespace

// Lengths make the key unambiguous, whatever characters the names contain. A part that is too long is cut: names of
// stored metrics are shorter, so such a key finds nothing.
void append_key_part(std::string_view part, std::string& key) {
  part = part.substr(0, kMaxPart);
  key += static_cast<char>(part.size() >> 8);
  key += static_cast<char>(part.size() & 0xFF);
  key += part;
}

std::string namespace_key(std::string_view account, std::string_view region, std::string_view space) {
  std::string key;
  key.reserve(160);
  append_key_part(account, key);
  append_key_part(region, key);
  append_key_part(space, key);
  return key;
}

std::string metric_key(const Metric& metric) {
  std::string key = namespace_key(metric.account, metric.region, metric.space);
  append_key_part(metric.name, key);
  auto sorted = metric.dimensions;
  std::sort(sorted.begin(), sorted.end());
  for (const Dimension& dimension : sorted) {
    append_key_part(dimension.name, key);
    append_key_part(dimension.value, key);
  }
  return key;
}

std::optional<Metric> parse_metric_key(std::string_view key) {
  Metric metric;
  for (std::string* member : {&metric.account, &metric.region, &metric.space, &metric.name}) {
    auto part = take_key_part(key);
    if (!part) return std::nullopt;
    *member = std::move(*part);
  }
  while (!key.empty()) {
    auto name = take_key_part(key);
    auto value = name ? take_key_part(key) : std::nullopt;
    if (!value) return std::nullopt;
    metric.dimensions.push_back({std::move(*name), std::move(*value)});
  }
  return metric;
}

// FNV-1a.
std::int64_t stable_hash(std::string_view key) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (char byte : key) {
    hash ^= static_cast<std::uint8_t>(byte);
    hash *= 0x100000001b3;
  }
  return static_cast<std::int64_t>(hash);
}

}  // namespace telemetry
