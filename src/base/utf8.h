// SPDX-License-Identifier: Apache-2.0
// UTF-8, character by character.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace base {

bool is_utf8(std::string_view text);

// Decodes the character at `at` and advances `at` past it; -1 for an invalid byte.
std::int32_t next_character(std::string_view text, std::size_t& at);

// The number of characters.
std::size_t count_characters(std::string_view text);

// Whether XML 1.0 allows the character.
bool is_xml_character(std::int32_t code);

// The same text with U+FFFD in place of invalid bytes and of characters that XML 1.0 does not
// allow: safe for logs, JSON and XML.
std::string to_printable(std::string_view text);

}  // namespace base
