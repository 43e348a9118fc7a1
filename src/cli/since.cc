// SPDX-License-Identifier: Apache-2.0
#include "cli/since.h"

#include <charconv>
#include <chrono>
#include <optional>
#include <string_view>

#include "wire/timestamp.h"

namespace cli {
namespace {

constexpr std::int64_t kMostSeconds = 10'000'000'000;  // the year 2286

std::int64_t seconds_of(char unit) {
  switch (unit) {
    case 's': return 1;
    case 'm': return 60;
    case 'h': return 3600;
    case 'd': return 86'400;
    default: return 0;
  }
}

// "90s", "1h30m". Not of a plain number.
std::optional<std::chrono::seconds> parse_age(std::string_view text) {
  std::int64_t total = 0;
  while (!text.empty()) {
    std::int64_t number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
    const std::int64_t unit = text.empty() ? 0 : seconds_of(text.front());
    if (parsed.ec != std::errc() || unit == 0 || number < 0 || number > kMostSeconds / unit) return std::nullopt;
    total += number * unit;
    if (total > kMostSeconds) return std::nullopt;
    text.remove_prefix(1);
  }
  return std::chrono::seconds(total);
}

}  // namespace

base::Result<base::Time> parse_since(const std::string& text, base::Time now) {
  const base::Error invalid{"--since " + text + ": use 10m, 1h30m, 2026-11-18T12:00:00Z, or seconds since 1970"};
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  const bool usable = parsed.ec == std::errc() && number >= 0 && number <= kMostSeconds;
  if (usable && parsed.ptr == end) return base::from_seconds(number);
  if (const auto age = text.empty() ? std::nullopt : parse_age(text)) return now - *age;
  if (const auto time = wire::from_iso8601(text)) return *time;
  return invalid;
}

}  // namespace cli
