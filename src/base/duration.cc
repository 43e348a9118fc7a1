// SPDX-License-Identifier: Apache-2.0
#include "base/duration.h"

#include <charconv>
#include <utility>

namespace base {
namespace {

constexpr Duration kLongest = std::chrono::hours(24 * 3650);

std::optional<std::int64_t> millis_of(std::string_view unit) {
  if (unit == "ms") return 1;
  if (unit == "s") return 1000;
  if (unit == "m") return 60'000;
  if (unit == "h") return 3'600'000;
  if (unit == "d") return 86'400'000;
  return std::nullopt;
}

}  // namespace

std::string duration_text(Duration duration) {
  constexpr std::pair<std::int64_t, const char*> kUnits[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
  if (duration > Duration(0) && duration < std::chrono::seconds(1)) return std::to_string(duration.count()) + " ms";
  std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  std::string text;
  int parts = 0;
  for (const auto& [length, name] : kUnits) {
    const std::int64_t count = seconds / length;
    seconds %= length;
    if (count <= 0 || parts == 2) continue;
    text += (parts++ ? " " : "") + std::to_string(count) + " " + name;
  }
  return text.empty() ? "0 s" : text;
}

std::optional<Duration> parse_duration(std::string_view text) {
  std::int64_t count = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), count);
  if (parsed.ec != std::errc() || count < 0) return std::nullopt;
  const auto unit = millis_of(text.substr(static_cast<std::size_t>(parsed.ptr - text.data())));
  if (!unit || count > kLongest.count() / *unit) return std::nullopt;
  return Duration(count * *unit);
}

}  // namespace base
