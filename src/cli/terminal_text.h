// SPDX-License-Identifier: Apache-2.0
// Text from outside, made safe for a terminal, and cut or padded to columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cli {

// The same text with '?' in place of control characters, of invalid UTF-8, and of characters that change the
// direction of the text: a name can neither move the cursor nor hide a part of the line.
std::string terminal_text(std::string_view text);

// The columns that safe text takes: wide characters take two, combining ones none.
std::size_t display_width(std::string_view text);

// Exactly so many columns: cut, with "..." at its end where at least 8 columns are left, or padded with spaces.
std::string fit_left(std::string_view text, std::size_t columns);
// The same, padded at its beginning.
std::string fit_right(std::string_view text, std::size_t columns);
// At most so many columns: cut, but not padded.
std::string cut(std::string_view text, std::size_t columns);

}  // namespace cli
