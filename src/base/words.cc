// SPDX-License-Identifier: Apache-2.0
#include "base/words.h"

namespace base {

std::vector<std::string> split_words(std::string_view command) {
  std::vector<std::string> words;
  bool inside = false;
  char quote = 0;
  for (std::size_t at = 0; at < command.size(); ++at) {
    const char c = command[at];
    const bool space = c == ' ' || c == '\t' || c == '\n';
    if (quote == 0 && space) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (c == quote || (quote == 0 && (c == '\'' || c == '"'))) {
      quote = quote ? 0 : c;
    } else if (c == '\\' && quote != '\'' && at + 1 < command.size()) {
      words.back() += command[++at];
    } else {
      words.back() += c;
    }
  }
  return words;
}

std::string shell_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:,@%+";
  const bool plain = !text.empty() && text.find_first_not_of(kPlain) == text.npos;
  return plain ? std::string(text) : shell_quoted(text);
}

}  // namespace base
