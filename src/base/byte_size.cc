// SPDX-License-Identifier: Apache-2.0
#include "base/byte_size.h"

#include <charconv>

namespace base {

std::optional<std::uint64_t> parse_size(std::string_view text) {
  constexpr std::string_view kUnits = "KMGT";
  std::uint64_t count = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, count);
  if (parsed.ec != std::errc()) return std::nullopt;
  if (parsed.ptr == end) return count;
  const std::size_t unit = kUnits.find(*parsed.ptr);
  const std::string_view rest(parsed.ptr + 1, end);
  if (unit == kUnits.npos || (!rest.empty() && rest != "iB")) return std::nullopt;
  const std::size_t shift = 10 * (unit + 1);
  if (count > (UINT64_MAX >> shift)) return std::nullopt;
  return count << shift;
}

std::string size_text(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {" KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
  if (bytes < 1024) return std::to_string(bytes) + " B";
  std::size_t unit = 0;
  while (bytes >> (10 * (unit + 1)) >= 1024) ++unit;
  const std::uint64_t whole = bytes >> (10 * (unit + 1));
  const std::uint64_t tenths = (bytes >> (10 * unit)) % 1024 * 10 / 1024;
  return std::to_string(whole) + (whole < 100 ? "." + std::to_string(tenths) : "") + kUnits[unit];
}

}  // namespace base
