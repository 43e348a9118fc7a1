// SPDX-License-Identifier: Apache-2.0
#include "services/logs/patterns/text_pattern.h"

#include <string.h>

#include <algorithm>
#include <cctype>

namespace services::logs {
namespace {

TextPattern::Term read_term(PatternReader& reader) {
  TextPattern::Term term;
  if (reader.peek() == '%') {
    term.regex = reader.regex();
  } else if (reader.peek() == '"') {
    term.text = reader.quoted();
  } else {
    while (!reader.at_blank()) {
      const char c = reader.peek();
      if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') reader.fail_term(reader.at());
      term.text += c;
      reader.skip(1);
    }
    // A sign without a term.
    if (term.text.empty()) throw PatternError{"Invalid character(s) in term '" + std::string(reader.from(reader.at() - 1)) + "'"};
  }
  if (!reader.at_blank()) reader.fail();  // "a": "b"
  return term;
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t") == std::string_view::npos; }

}  // namespace

bool contains(std::string_view text, std::string_view part) {
  return part.empty() || memmem(text.data(), text.size(), part.data(), part.size()) != nullptr;
}

bool TextPattern::Term::found_in(std::string_view message) const {
  return regex ? regex->found_in(message) : contains(message, text);
}

TextPattern TextPattern::read(PatternReader& reader) {
  TextPattern pattern;
  // Blanks around a JSON pattern make it a text pattern, which Amazon rejects with this text.
  reader.blanks();
  if (reader.peek() == '{') reader.fail();
  for (; !reader.at_end(); reader.blanks()) {
    auto* into = &pattern.required;
    if (reader.peek() == '?') into = &pattern.optional;
    if (reader.peek() == '-') into = &pattern.excluded;
    if (into != &pattern.required) reader.skip(1);
    into->push_back(read_term(reader));
  }
  // Amazon ignores optional terms beside others.
  if (!pattern.required.empty() || !pattern.excluded.empty()) pattern.optional.clear();
  // A quoted blank alone matches every event, also those without a blank.
  if (pattern.required.size() == 1 && pattern.excluded.empty() && !pattern.required[0].regex &&
      is_blank(pattern.required[0].text)) {
    pattern.required.clear();
  }
  return pattern;
}

bool TextPattern::matches(std::string_view message) const {
  const auto found = [&](const Term& term) { return term.found_in(message); };
  return std::all_of(required.begin(), required.end(), found) && std::none_of(excluded.begin(), excluded.end(), found) &&
         (optional.empty() || std::any_of(optional.begin(), optional.end(), found));
}

std::vector<std::string> TextPattern::all_literals() const {
  std::vector<std::string> literals;
  for (const Term& term : required) literals.push_back(term.literal());
  if (optional.size() == 1) literals.push_back(optional[0].literal());
  std::erase(literals, "");
  return literals;
}

std::vector<std::string> TextPattern::any_literals() const {
  std::vector<std::string> literals;
  for (const Term& term : optional) literals.push_back(term.literal());
  // A term without a literal may match anything.
  const bool known = optional.size() > 1 && std::find(literals.begin(), literals.end(), "") == literals.end();
  return known ? literals : std::vector<std::string>{};
}

}  // namespace services::logs
