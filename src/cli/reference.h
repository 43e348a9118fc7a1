// SPDX-License-Identifier: Apache-2.0
// All commands with their options, read from the tables that parse the command line: for the manual page, the reference
// and the completion of shells.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace cli {

struct OptionHelp {
  std::vector<std::string> names;  // "-a", "--all"; one name without dashes for an argument
  std::string value;               // "N"; "" for a flag
  std::string help;
  bool argument = false, required = false;
};

struct CommandHelp {
  std::string path;  // "nodes drain"; "" for the program
  std::string help;
  std::string footer;
  std::vector<OptionHelp> options;
  std::vector<std::string> subcommands;  // names
  bool needs_subcommand = false;
};

// The program first, then each command before its subcommands, by name.
std::vector<CommandHelp> read_commands(const CLI::App& app);

// `shell` is bash, zsh or fish. Throws std::runtime_error for another one.
std::string completion(const std::vector<CommandHelp>& commands, const std::string& shell);
// In troff, for `man`.
std::string manual_page(const std::vector<CommandHelp>& commands, const std::string& version);
std::string markdown_reference(const std::vector<CommandHelp>& commands);

// "stoker run [OPTIONS] image [command...]"
std::string usage_line(const CommandHelp& command);

}  // namespace cli
