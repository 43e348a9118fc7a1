// SPDX-License-Identifier: Apache-2.0
// UTF-8, character by character.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace base {

bool is_utf8(std::string_view text);

// The character at `at`, which moves past it; -1 for a byte that begins none.
std::int32_t next_character(std::string_view text, std::size_t& at);

// How many characters it has.
std::size_t count_characters(std::string_view text);

// The characters that XML 1.0 can carry.
bool is_xml_character(std::int32_t code);

// The same text with U+FFFD in place of everything else: fit for any log, any JSON and
// any XML, whatever somebody sent.
std::string to_printable(std::string_view text);

}  // namespace base
