// SPDX-License-Identifier: Apache-2.0
// Parses the command line, and explains what is wrong with it.
#pragma once

#include <CLI/CLI.hpp>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/usage_error.h"

namespace cli {

// Returns the exit status if there is nothing to run: 0 after --help and --version, 2 after a usage error, which is
// printed to `err`.
std::optional<int> parse_command_line(CLI::App& app, int argc, const char* const* argv, std::ostream& out,
                                      std::ostream& err);

// One line, and where to look: "stoker: unknown command 'pss'; did you mean 'ps'?"
std::string usage_error(const CLI::App& app, const CLI::ParseError& error);

// The name that is typed most like this one; "" if none is close.
std::string nearest_name(std::string_view typed, const std::vector<std::string>& names);

// "stoker nodes drain"
std::string full_name(const CLI::App& app);

}  // namespace cli
