// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal_text.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/utf8.h"

namespace cli {
namespace {

constexpr std::size_t kSmallestForDots = 8;

struct CharacterRange {
  std::int32_t first, last;
};

// Direction marks, overrides and isolates, line and paragraph separators, the byte order mark, and tags.
constexpr std::array<CharacterRange, 6> kUnsafe = {
    {{0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe0fff}}};
constexpr std::array<CharacterRange, 8> kWide = {{{0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0xa4cf}, {0xac00, 0xd7a3},
                                                  {0xf900, 0xfaff}, {0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0x1f300, 0x1faff}}};
constexpr std::array<CharacterRange, 4> kCombining = {{{0x300, 0x36f}, {0x1ab0, 0x1aff}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}}};

template <std::size_t N>
bool is_in(const std::array<CharacterRange, N>& ranges, std::int32_t code) {
  return std::ranges::any_of(ranges, [&](const CharacterRange& range) { return code >= range.first && code <= range.last; });
}

bool is_safe(std::int32_t code) {
  const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);  // -1 is an invalid byte
  return !control && !is_in(kUnsafe, code);
}

std::size_t columns_of(std::int32_t code) {
  if (is_in(kCombining, code)) return 0;
  return is_in(kWide, code) || code >= 0x20000 ? 2 : 1;
}

// As many whole characters as fit.
std::string_view first_columns(std::string_view text, std::size_t columns) {
  std::size_t used = 0, at = 0;
  while (at < text.size()) {
    std::size_t next = at;
    used += columns_of(base::next_character(text, next));
    if (used > columns) break;
    at = next;
  }
  return text.substr(0, at);
}

}  // namespace

std::string terminal_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    if (is_safe(base::next_character(text, at))) {
      out += text.substr(start, at - start);
    } else {
      out += '?';
    }
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) width += columns_of(base::next_character(text, at));
  return width;
}

std::string cut(std::string_view text, std::size_t columns) {
  const std::string safe = terminal_text(text);
  if (display_width(safe) <= columns) return safe;
  if (columns < kSmallestForDots) return std::string(first_columns(safe, columns));
  return std::string(first_columns(safe, columns - 3)) + "...";
}

std::string fit_left(std::string_view text, std::size_t columns) {
  std::string out = cut(text, columns);
  return out.append(columns - display_width(out), ' ');
}

std::string fit_right(std::string_view text, std::size_t columns) {
  const std::string out = cut(text, columns);
  return std::string(columns - display_width(out), ' ') + out;
}

}  // namespace cli
