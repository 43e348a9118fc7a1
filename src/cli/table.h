// SPDX-License-Identifier: Apache-2.0
// Aligned columns, for people.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace cli {

// The first row is the heading. Control characters in cells are printed as "?".
void print_table(std::ostream& out, const std::vector<std::vector<std::string>>& rows);

}  // namespace cli
