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

}  // namespace base
