// SPDX-License-Identifier: Apache-2.0
// What the output of a command goes to: how many columns it has, and whether it shows colours.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "client/settings.h"

namespace cli {

inline constexpr std::size_t kUnlimitedColumns = std::numeric_limits<std::size_t>::max();
// Of a screen whose size is unknown.
inline constexpr std::size_t kScreenWidth = 80;

struct Terminal {
  std::size_t columns = kUnlimitedColumns;
  bool colour = false;
};

// `window`: the columns of the terminal; none for a pipe or a file, where nothing is cut. COLUMNS overrides both. NO_COLOR switches colours
// off, CLICOLOR_FORCE and FORCE_COLOR switch them on without a terminal.
Terminal describe_terminal(const client::Environment& environment, std::optional<std::size_t> window);

// Of standard output and standard error, if `out` is std::cout or std::cerr; a stream of a test is unlimited and without
// colours.
Terminal terminal_of(const std::ostream& out);

// The text in the colour of what it says: RUNNING is green, UNHEALTHY is red. Other texts are returned unchanged.
std::string coloured(const std::string& text, std::string_view meaning);
std::string bold(const std::string& text);

}  // namespace cli
