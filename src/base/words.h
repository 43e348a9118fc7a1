// SPDX-License-Identifier: Apache-2.0
// The words of a command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace base {

// Splits at blanks, with quotes and backslashes as in a shell. Nothing is expanded.
std::vector<std::string> split_words(std::string_view command);

// `text` in single quotes, as one word of a shell. shell_word leaves the quotes out where a shell needs none.
std::string shell_quoted(std::string_view text);
std::string shell_word(std::string_view text);

}  // namespace base
