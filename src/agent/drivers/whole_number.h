// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace agent::drivers {

// A number of 32 bits, such as a user or a signal, and nothing else. None otherwise; the highest one means "none".
inline std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size() && value >= 0 && value < 0xffffffff;
  return whole ? std::optional(value) : std::nullopt;
}

}  // namespace agent::drivers
