// SPDX-License-Identifier: Apache-2.0
#include "cli/reference.h"

#include <algorithm>

#include "base/bytes.h"
#include "cli/arguments.h"

namespace cli {
namespace {

OptionHelp option_help(const CLI::Option& option) {
  OptionHelp help;
  help.help = option.get_description();
  help.required = option.get_required();
  const bool flag = option.get_items_expected_max() == 0;
  if (!flag) help.value = option.get_type_name();
  for (const std::string& name : option.get_snames()) help.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) help.names.push_back("--" + name);
  if (help.names.empty()) {
    help.argument = true;
    help.names.push_back(option.get_name(true));
    if (option.get_items_expected_max() > 1) help.value = "...";
  }
  return help;
}

void add_command(const CLI::App& app, const std::string& path, std::vector<CommandHelp>& out) {
  CommandHelp command;
  command.path = path;
  command.help = app.get_description();
  command.footer = base::trim(app.get_footer());
  std::vector<const CLI::Option*> options = app.get_options([](const CLI::Option* option) { return !option->get_group().empty(); });
  // What all commands have in common comes last.
  std::ranges::stable_partition(options, [](const CLI::Option* option) { return option->get_group() != kServerGroup; });
  for (const CLI::Option* option : options) command.options.push_back(option_help(*option));
  std::vector<const CLI::App*> subcommands = app.get_subcommands([](const CLI::App* sub) { return !sub->get_group().empty(); });
  std::ranges::sort(subcommands, {}, [](const CLI::App* sub) { return sub->get_name(); });
  for (const CLI::App* sub : subcommands) command.subcommands.push_back(sub->get_name());
  command.needs_subcommand = app.get_require_subcommand_min() > 0;
  out.push_back(std::move(command));
  for (const CLI::App* sub : subcommands) add_command(*sub, path.empty() ? sub->get_name() : path + " " + sub->get_name(), out);
}

}  // namespace

std::vector<CommandHelp> read_commands(const CLI::App& app) {
  std::vector<CommandHelp> commands;
  add_command(app, "", commands);
  return commands;
}

std::string usage_line(const CommandHelp& command) {
  std::string line = "stoker" + (command.path.empty() ? "" : " " + command.path);
  const bool options = std::ranges::any_of(command.options, [](const OptionHelp& option) { return !option.argument; });
  if (options) line += " [OPTIONS]";
  for (const OptionHelp& option : command.options) {
    if (!option.argument) continue;
    const std::string name = option.names.front() + (option.value == "..." ? "..." : "");
    line += option.required ? " " + name : " [" + name + "]";
  }
  if (!command.subcommands.empty()) line += command.needs_subcommand ? " COMMAND" : " [COMMAND]";
  return line;
}

}  // namespace cli
