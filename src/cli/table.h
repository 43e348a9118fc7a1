// SPDX-License-Identifier: Apache-2.0
// Aligned columns, for people.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace cli {

// The first row is the heading. Control characters in cells are printed as "?".
void print_table(std::ostream& out, const std::vector<std::vector<std::string>>& rows);

// Screens have this many columns.
inline constexpr std::size_t kScreenWidth = 80;
// A name that is too long, without its middle: "TargetTracking-...-AlarmHigh-6bf0".
std::string shortened(const std::string& name, std::size_t most);
// Lines of whole words that fit the screen, each after so many spaces.
void print_wrapped(std::ostream& out, const std::string& text, std::size_t indent);

}  // namespace cli
