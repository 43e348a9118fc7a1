// SPDX-License-Identifier: Apache-2.0
// Aligned columns, for people.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "cli/terminal.h"

namespace cli {

using Rows = std::vector<std::vector<std::string>>;

// The first row is the heading. Control characters in cells are printed as "?". Where the rows are wider than the
// screen, the last column continues on further lines if it is text, and the widest other columns are cut.
void print_table(std::ostream& out, const Rows& rows);
void print_table(std::ostream& out, const Rows& rows, const Terminal& terminal);

// A name that is too long, without its middle: "TargetTracking-...-AlarmHigh-6bf0".
std::string shortened(const std::string& name, std::size_t most);
// Whole words, in lines of at most so many columns. A longer word is cut.
std::vector<std::string> wrapped(const std::string& text, std::size_t columns);
// For text: those of the screen; none are too many in a pipe or a file.
std::size_t text_columns(const std::ostream& out);
// Lines of whole words that fit the screen, each after so many spaces.
void print_wrapped(std::ostream& out, const std::string& text, std::size_t indent);

}  // namespace cli
