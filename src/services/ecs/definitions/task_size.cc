// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/definitions/task_size.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/bytes.h"

namespace services::ecs {
namespace {

constexpr double kUnitsPerWhole = 1024;

// "1.5 vCPU" -> 1536. The unit is case-insensitive, with or without a space before it.
std::optional<std::int32_t> parse(std::string_view text, std::string_view unit) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  double scale = 1;
  if (text.size() > unit.size() && base::equals_ignoring_case(text.substr(text.size() - unit.size()), unit)) {
    text.remove_suffix(unit.size());
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    scale = kUnitsPerWhole;
  }
  double number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  number *= scale;
  if (!(number > 0) || number > std::numeric_limits<std::int32_t>::max() || number != std::floor(number)) {
    return std::nullopt;
  }
  return static_cast<std::int32_t>(number);
}

struct FargateSize {
  std::int32_t cpu, least, most, step;
};
// Amazon's developer guide, "Task CPU and memory".
constexpr std::array<FargateSize, 7> kFargateSizes = {{{256, 512, 2048, 512},
                                                       {512, 1024, 4096, 1024},
                                                       {1024, 2048, 8192, 1024},
                                                       {2048, 4096, 16384, 1024},
                                                       {4096, 8192, 30720, 1024},
                                                       {8192, 16384, 61440, 4096},
                                                       {16384, 32768, 122880, 8192}}};
constexpr std::int32_t kNotWithQuarter = 1536;  // the one multiple of 512 that does not go with 256 units

}  // namespace

std::optional<std::int32_t> parse_cpu(std::string_view text) { return parse(text, "vcpu"); }
std::optional<std::int32_t> parse_memory(std::string_view text) { return parse(text, "gb"); }

bool fargate_has(std::int32_t cpu, std::int32_t memory) {
  for (const FargateSize& size : kFargateSizes) {
    if (size.cpu != cpu) continue;
    return memory >= size.least && memory <= size.most && (memory - size.least) % size.step == 0 &&
           !(cpu == 256 && memory == kNotWithQuarter);
  }
  return false;
}

}  // namespace services::ecs
