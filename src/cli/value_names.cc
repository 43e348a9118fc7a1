// SPDX-License-Identifier: Apache-2.0
// What the help calls the values of options.
#include <algorithm>
#include <charconv>
#include <cstdint>

#include "cli/arguments.h"

namespace cli {
namespace {

// "debug|info" of "value in {debug->0,info->1} OR {0,1}"
std::string choices(const std::string& note) {
  const std::size_t begin = note.find('{') + 1;
  const std::size_t end = std::min(note.find('}', begin), note.size());
  std::string out;
  for (std::size_t at = begin; at < end;) {
    const std::size_t comma = std::min(note.find(',', at), end);
    const std::string one = note.substr(at, comma - at);
    out += (out.empty() ? "" : "|") + one.substr(0, one.find("->"));
    at = comma + 1;
  }
  return out;
}

// " in [1 - 1073741824]" tells people nothing: the end is only there against slips.
bool is_open_range(const std::string& range) {
  constexpr std::int64_t kLargestLimit = 1'000'000;
  const std::size_t end = range.find(" - ");
  std::int64_t most = 0;
  if (end != range.npos) std::from_chars(range.data() + end + 3, range.data() + range.size(), most);
  return most > kLargestLimit;
}

std::vector<CLI::Validator*> validators_of(CLI::Option& option) {
  std::vector<CLI::Validator*> all;
  try {
    for (int i = 0;; ++i) all.push_back(option.get_validator(i));
  } catch (const CLI::OptionNotFound&) {
    return all;
  }
}

void simplify(CLI::Option& option) {
  std::string name = option.get_type_name();
  std::size_t notes = 0;  // characters behind the name
  std::string range, kind;
  for (CLI::Validator* validator : validators_of(option)) {
    const std::string note = validator->get_description();
    if (note.empty()) continue;
    notes += note.size() + 1;
    const std::size_t in = note.find(" in [");
    if (note.find('{') != note.npos) {
      kind = choices(note);
    } else if (in != note.npos) {
      range = is_open_range(note) ? "" : note.substr(in);
    } else if (name.starts_with("TEXT:")) {
      kind = note;
    }
    validator->description("");
  }
  if (notes == 0) return;
  name.resize(name.size() - notes);
  option.type_name((kind.empty() ? name : kind) + range);
}

}  // namespace

void simplify_value_names(CLI::App& app) {
  for (CLI::Option* option : app.get_options([](CLI::Option*) { return true; })) simplify(*option);
  for (CLI::App* sub : app.get_subcommands([](CLI::App*) { return true; })) simplify_value_names(*sub);
}

}  // namespace cli
