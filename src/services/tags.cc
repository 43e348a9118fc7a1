// SPDX-License-Identifier: Apache-2.0
#include "services/tags.h"

#include "base/bytes.h"
#include "base/utf8.h"

namespace services {
namespace {

constexpr std::size_t kMaxKeyLength = 128, kMaxValueLength = 256;
constexpr std::string_view kTagPunctuation = " +-=._:/@";

// Characters beyond the first plane are two.
std::size_t utf16_length(std::string_view text) {
  std::size_t length = 0;
  for (std::size_t at = 0; at < text.size();) length += base::next_character(text, at) > 0xFFFF ? 2 : 1;
  return length;
}

// Outside of ASCII any character passes that XML can carry: letters of all scripts are among them.
bool has_tag_characters(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::int32_t c = base::next_character(text, at);
    if (!base::is_xml_character(c)) return false;
    if (c >= 0x80) continue;
    const bool alphanumeric = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!alphanumeric && kTagPunctuation.find(static_cast<char>(c)) == kTagPunctuation.npos) return false;
  }
  return true;
}

}  // namespace

bool is_reserved_tag(std::string_view key_or_value) {
  return base::equals_ignoring_case(key_or_value.substr(0, 4), "aws:");
}

TagProblems find_tag_problems(std::string_view key, std::string_view value) {
  return {.empty_key = key.empty(),
          .long_key = utf16_length(key) > kMaxKeyLength,
          .long_value = utf16_length(value) > kMaxValueLength,
          .key_characters = !has_tag_characters(key),
          .value_characters = !has_tag_characters(value)};
}

}  // namespace services
