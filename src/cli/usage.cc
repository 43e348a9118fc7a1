// SPDX-License-Identifier: Apache-2.0
#include "cli/usage.h"

#include <algorithm>
#include <iterator>
#include <ostream>
#include <utility>

namespace cli {
namespace {

// What docker, kubectl, nomad and Slurm call these commands.
constexpr std::pair<std::string_view, std::string_view> kWordsElsewhere[] = {
    {"bash", "exec"},      {"cancel", "stop"},   {"config", "context"}, {"copy", "cp"},        {"cordon", "drain"},
    {"create", "run"},     {"delete", "stop"},   {"describe", "inspect"}, {"get", "ps"},       {"help", "--help"},
    {"info", "status"},    {"join", "agent"},    {"kill", "stop"},      {"list", "ps"},        {"login", "context"},
    {"ls", "ps"},          {"machines", "nodes"}, {"nvidia-smi", "gpus"}, {"rm", "stop"},      {"rollout", "service"},
    {"sbatch", "run"},     {"scale", "service"}, {"scancel", "stop"},   {"sh", "exec"},        {"shell", "exec"},
    {"shutdown", "down"},  {"sinfo", "nodes"},   {"squeue", "ps"},      {"srun", "run"},       {"start", "up"},
    {"stats", "top"},      {"tail", "logs"},     {"tasks", "ps"},       {"terminate", "stop"}, {"version", "--version"},
};

// Insertions, deletions, replacements, and swaps of neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) table[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) table[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      table[i][j] = std::min({table[i - 1][j] + 1, table[i][j - 1] + 1, changed});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
    }
  }
  return table[a.size()][b.size()];
}

const CLI::App& deepest_command(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().back();
  return *command;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) names.push_back(sub->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

// "" if no other tool has such a command.
std::string_view word_elsewhere(std::string_view typed) {
  const auto* found = std::ranges::find(kWordsElsewhere, typed, [](const auto& word) { return word.first; });
  return found == std::end(kWordsElsewhere) ? "" : found->second;
}

std::string suggestion(std::string_view typed, const std::vector<std::string>& names) {
  const std::string name = nearest_name(typed, names);
  return name.empty() ? "" : "; did you mean '" + name + "'?";
}

// What the parser could not place, of this command and of those above it. An unknown option of the command comes first:
// its value was taken for an argument, so what follows is in the wrong places.
std::string first_unknown(const CLI::App& app) {
  const std::vector<std::string> own = deepest_command(app).remaining();
  const auto first = std::ranges::find_if(own, [](const std::string& word) { return word != "--"; });
  if (first != own.end() && first->starts_with('-')) return *first;
  for (const std::string& word : app.remaining(true)) {
    if (word != "--") return word;
  }
  return "";
}

// The parser's "--gpus: 1 required N|all missing" is not for people.
std::string reason_of(const CLI::ParseError& error) {
  const std::string text = error.what();
  constexpr std::string_view kMiddle = ": 1 required ", kEnd = " missing";
  const std::size_t middle = text.find(kMiddle);
  if (middle == text.npos || !text.ends_with(kEnd)) return text;
  const std::size_t value = middle + kMiddle.size();
  return text.substr(0, middle) + " needs a value: " + text.substr(value, text.size() - kEnd.size() - value);
}

std::string problem(const CLI::App& command, const CLI::App& app, const CLI::ParseError& error) {
  const std::string unknown = first_unknown(app);
  if (unknown.size() > 1 && unknown.front() == '-') {
    const std::string name = unknown.substr(0, unknown.find('='));
    const std::vector<std::string> options = option_names(command);
    if (command.get_parent() && std::ranges::find(options, name) != options.end()) {
      return "the option '" + name + "' goes after the command: " + full_name(command) + " " + name;
    }
    const bool runs = command.get_option_no_throw("command") != nullptr;
    const bool letter = name.size() == 2;  // every other letter would be as near
    return "unknown option '" + name + "'" + (letter ? "" : suggestion(name, options)) +
           (runs ? " (options of the container's command go after --)" : "");
  }
  if (unknown.empty()) return reason_of(error);
  const std::vector<std::string> names = command_names(command);
  if (names.empty()) return "unexpected argument '" + unknown + "'";
  const std::string_view meant = command.get_parent() ? "" : word_elsewhere(unknown);
  if (!meant.empty()) return "unknown command '" + unknown + "'; did you mean '" + std::string(meant) + "'?";
  return "unknown command '" + unknown + "'" + suggestion(unknown, names);
}

}  // namespace

std::string full_name(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent ? full_name(*parent) + " " + app.get_name() : app.get_name();
}

std::string nearest_name(std::string_view typed, const std::vector<std::string>& names) {
  constexpr std::size_t kLongestName = 64;  // more is no slip of the finger
  if (typed.size() > kLongestName) return "";
  std::string best;
  std::size_t least = std::max<std::size_t>(typed.size() / 3, 1) + 1;
  for (const std::string& name : names) {
    const bool beginning = typed.size() > 2 && name.starts_with(typed);
    const std::size_t distance = beginning ? 1 : edit_distance(typed, name);
    if (distance >= least) continue;
    least = distance;
    best = name;
  }
  return best;
}

std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  // A word before the first known command is an unknown command, whatever follows it.
  const std::vector<std::string> unplaced = app.remaining();
  const bool at_top = !unplaced.empty() && !unplaced.front().starts_with('-') && first_unknown(app) == unplaced.front();
  const CLI::App& command = at_top ? app : deepest_command(app);
  const std::string name = full_name(command);
  return name + ": " + problem(command, app, error) + "\nSee `" + name + " --help`.\n";
}

std::optional<int> parse_command_line(CLI::App& app, int argc, const char* const* argv, std::ostream& out,
                                      std::ostream& err) {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::Success& done) {  // --help, --version
    return app.exit(done, out, err);
  } catch (const CLI::ParseError& error) {
    const CLI::App& command = deepest_command(app);
    const bool incomplete = first_unknown(app).empty() && !command_names(command).empty();
    if (incomplete && dynamic_cast<const CLI::RequiredError*>(&error)) {
      err << command.help(command.get_parent() ? full_name(*command.get_parent()) : "");
    } else {
      err << usage_error(app, error);
    }
    return kUsageError;
  }
}

}  // namespace cli
