// SPDX-License-Identifier: Apache-2.0
// Scripts that complete commands and options in bash, zsh and fish. Each finds the command among the typed words, and then
// offers its subcommands and options.
#include <stdexcept>

#include "cli/reference.h"

namespace cli {
namespace {

struct Candidate {
  std::string word, help;
};

std::vector<Candidate> candidates_of(const std::vector<CommandHelp>& commands, const CommandHelp& command) {
  std::vector<Candidate> candidates;
  for (const std::string& name : command.subcommands) {
    const std::string path = command.path.empty() ? name : command.path + " " + name;
    for (const CommandHelp& sub : commands) {
      if (sub.path == path) candidates.push_back({name, sub.help});
    }
  }
  for (const OptionHelp& option : command.options) {
    if (option.argument) continue;
    candidates.push_back({option.names.back(), option.help});
  }
  return candidates;
}

// Inside of single quotes.
std::string single_quoted(const std::string& text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

// One pattern of a case for each command: `" ps"`, `"nodes drain"`.
std::string known_paths(const std::vector<CommandHelp>& commands, const char* separator) {
  std::string out;
  for (const CommandHelp& command : commands) {
    if (command.path.empty()) continue;
    const bool nested = command.path.find(' ') != command.path.npos;
    out += (out.empty() ? "" : separator) + single_quoted((nested ? "" : " ") + command.path);
  }
  return out;
}

std::string bash_completion(const std::vector<CommandHelp>& commands) {
  std::string out = R"sh(# bash completion of stoker
_stoker() {
  local current=${COMP_WORDS[COMP_CWORD]} command="" candidates="" word i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    [[ $word == -- ]] && return
    case "$command $word" in
      )sh" + known_paths(commands, "|") +
                    R"sh() command="${command:+$command }$word" ;;
    esac
  done
  case "$command" in
)sh";
  for (const CommandHelp& command : commands) {
    std::string words;
    for (const Candidate& one : candidates_of(commands, command)) words += (words.empty() ? "" : " ") + one.word;
    out += "    " + single_quoted(command.path) + ") candidates=" + single_quoted(words) + " ;;\n";
  }
  return out + R"sh(  esac
  COMPREPLY=($(compgen -W "$candidates" -- "$current"))
}
complete -o default -F _stoker stoker
)sh";
}

// A colon separates a word from its help.
std::string zsh_entry(const Candidate& candidate) {
  std::string help;
  for (char c : candidate.help) help += c == ':' ? "\\:" : std::string(1, c);
  return single_quoted(candidate.word + ":" + help);
}

std::string zsh_completion(const std::vector<CommandHelp>& commands) {
  std::string out = R"sh(#compdef stoker
_stoker() {
  local command="" word
  local -a subcommands options
  for word in ${words[2,$((CURRENT - 1))]}; do
    [[ $word == -- ]] && { _files; return }
    case "$command $word" in
      ()sh" + known_paths(commands, "|") +
                    R"sh() command="${command:+$command }$word" ;;
    esac
  done
  case "$command" in
)sh";
  for (const CommandHelp& command : commands) {
    std::string subcommands, options;
    for (const Candidate& one : candidates_of(commands, command)) {
      (one.word.starts_with('-') ? options : subcommands) += " " + zsh_entry(one);
    }
    out += "    (" + single_quoted(command.path) + ")\n      subcommands=(" + subcommands + " )\n      options=(" + options + " ) ;;\n";
  }
  return out + R"sh(  esac
  (( ${#subcommands} )) && _describe -t commands command subcommands
  [[ $PREFIX == -* ]] && _describe -o -t options option options
  _files
}
compdef _stoker stoker
# The first completion runs this file as the function itself.
if [[ $funcstack[1] == _stoker ]]; then _stoker "$@"; fi
)sh";
}

std::string fish_completion(const std::vector<CommandHelp>& commands) {
  std::string out = R"sh(# fish completion of stoker
function __stoker_command
  set -l command ""
  for word in (commandline -opc)[2..-1]
    switch "$command $word"
      case )sh" + known_paths(commands, " ") +
                    R"sh(
        set command (string trim -- "$command $word")
    end
  end
  echo $command
end
function __stoker_at
  test (__stoker_command) = "$argv[1]"
end
)sh";
  for (const CommandHelp& command : commands) {
    const std::string where = "complete -c stoker -n " + single_quoted("__stoker_at " + single_quoted(command.path));
    for (const Candidate& one : candidates_of(commands, command)) {
      const bool option = one.word.starts_with("--");
      if (!option && one.word.starts_with('-')) continue;
      out += where + (option ? " -l " + single_quoted(one.word.substr(2)) : " -f -a " + single_quoted(one.word)) + " -d " + single_quoted(one.help) + "\n";
    }
  }
  return out;
}

}  // namespace

std::string completion(const std::vector<CommandHelp>& commands, const std::string& shell) {
  if (shell == "bash") return bash_completion(commands);
  if (shell == "zsh") return zsh_completion(commands);
  if (shell == "fish") return fish_completion(commands);
  throw std::runtime_error("no completion for the shell " + shell + ": there are bash, zsh and fish");
}

}  // namespace cli
