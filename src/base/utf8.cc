// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

namespace base {

bool is_utf8(std::string_view text) {
  const auto* at = reinterpret_cast<const unsigned char*>(text.data());
  const auto* end = at + text.size();
  while (at != end) {
    unsigned char lead = *at++;
    if (lead < 0x80) continue;
    int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    if (lead < 0xC2 || lead > 0xF4 || end - at < more) return false;
    // No overlong forms, no surrogates, nothing beyond U+10FFFF.
    unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (*at < low || *at > high) return false;
    for (++at; more > 1; --more, ++at) {
      if ((*at & 0xC0) != 0x80) return false;
    }
  }
  return true;
}

std::int32_t next_character(std::string_view text, std::size_t& at) {
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at++);
  if (first < 0x80) return first;
  const int extra = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc2 ? 1 : -1;
  if (extra < 0 || first > 0xf4 || at + static_cast<std::size_t>(extra) > text.size()) return -1;
  std::int32_t code = first & (0x3f >> extra);
  for (int i = 0; i < extra; ++i) {
    const unsigned char next = byte(at + static_cast<std::size_t>(i));
    if ((next & 0xc0) != 0x80) return -1;
    code = code << 6 | (next & 0x3f);
  }
  constexpr std::int32_t kSmallest[] = {0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kSmallest[extra] || code > 0x10ffff || surrogate) return -1;
  at += static_cast<std::size_t>(extra);
  return code;
}

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) next_character(text, at);
  return count;
}

bool is_xml_character(std::int32_t code) {
  return code == 0x9 || code == 0xa || code == 0xd || (code >= 0x20 && code <= 0xd7ff) ||
         (code >= 0xe000 && code <= 0xfffd) || code >= 0x10000;
}

std::string to_printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    if (is_xml_character(next_character(text, at))) {
      out += text.substr(start, at - start);
    } else {
      out += "\xef\xbf\xbd";
    }
  }
  return out;
}

}  // namespace base
