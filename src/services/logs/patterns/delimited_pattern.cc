// SPDX-License-Identifier: Apache-2.0
#include "services/logs/patterns/delimited_pattern.h"

#include <algorithm>

#include "services/logs/patterns/pattern.h"

namespace services::logs {
namespace {

struct Word {
  std::string_view text;      // without its marks
  std::size_t begin = 0;      // of the marks
};

bool is_line_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::vector<Word> split(std::string_view line) {
  std::vector<Word> words;
  for (std::size_t at = 0; at < line.size();) {
    if (is_line_blank(line[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    const char mark = line[at] == '[' ? ']' : line[at] == '"' ? '"' : '\0';
    const std::size_t close = mark ? line.find(mark, at + 1) : std::string_view::npos;
    if (close != std::string_view::npos) {
      words.push_back({line.substr(begin + 1, close - begin - 1), begin});
      at = close + 1;
      continue;
    }
    while (at < line.size() && !is_line_blank(line[at])) ++at;
    words.push_back({line.substr(begin, at - begin), begin});
  }
  return words;
}

}  // namespace

bool DelimitedPattern::Field::matches(std::string_view word) const {
  if (any_of.empty()) return true;
  return std::any_of(any_of.begin(), any_of.end(), [&](const std::vector<Comparison>& all) {
    return std::all_of(all.begin(), all.end(), [&](const Comparison& one) { return one.matches_word(word); });
  });
}

DelimitedPattern::Field DelimitedPattern::read_field(PatternReader& reader) {
  Field field;
  reader.blanks();
  if (reader.take("...")) {
    field.rest = true;
    return field;
  }
  if (reader.peek() == ',' || reader.peek() == ']') return field;
  field.name = reader.name(reader.at());
  reader.blanks();
  if (reader.peek() == ',' || reader.peek() == ']') return field;
  if (std::string_view("=!<>").find(reader.peek()) == std::string_view::npos) reader.fail_term(reader.at());
  field.any_of.emplace_back().push_back(reader.comparison());
  while (true) {
    const bool both = reader.take("&&");
    if (!both && !reader.take("||")) return field;
    reader.blanks();
    if (reader.name(reader.at()) != field.name) reader.fail();
    if (!both) field.any_of.emplace_back();
    field.any_of.back().push_back(reader.comparison());
  }
}

DelimitedPattern DelimitedPattern::read(PatternReader& reader) {
  DelimitedPattern pattern;
  reader.expect("[");
  if (!reader.take("]")) {
    do {
      pattern.fields_.push_back(read_field(reader));
      if (!pattern.fields_.back().rest) continue;
      if (pattern.ellipsis_) reader.fail();
      pattern.ellipsis_ = pattern.fields_.size() - 1;
    } while (reader.take(","));
    reader.expect("]");
  }
  if (!reader.at_end() || reader.regexes() > Pattern::kMaxRegexes) reader.fail();
  return pattern;
}

const DelimitedPattern::Field* DelimitedPattern::field_at(std::size_t position, std::size_t count) const {
  if (fields_.empty()) return nullptr;
  if (!ellipsis_ || position < *ellipsis_) return &fields_[position];
  const std::size_t after = fields_.size() - *ellipsis_ - 1;
  if (position < count - after) return nullptr;
  return &fields_[fields_.size() - (count - position)];
}

std::optional<std::vector<std::string_view>> DelimitedPattern::match(std::string_view line) const {
  const std::vector<Word> words = split(line);
  std::vector<std::string_view> texts;
  for (const Word& word : words) texts.push_back(word.text);
  if (fields_.empty()) return texts;
  if (words.size() < fields_.size() - (ellipsis_ ? 1 : 0)) return std::nullopt;
  if (!ellipsis_ && words.size() > fields_.size()) {  // the last field takes the rest of the line
    const std::size_t begin = words[fields_.size() - 1].begin;
    texts.resize(fields_.size());
    std::string_view rest = line.substr(begin);
    while (!rest.empty() && is_line_blank(rest.back())) rest.remove_suffix(1);
    texts.back() = rest;
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Field* field = field_at(i, texts.size());
    if (field && !field->matches(texts[i])) return std::nullopt;
  }
  return texts;
}

std::string DelimitedPattern::name_at(std::size_t position, std::size_t count) const {
  const Field* field = field_at(position, count);
  return field && !field->name.empty() ? field->name : std::to_string(position + 1);
}

std::map<std::string, std::string> DelimitedPattern::extract(std::string_view line) const {
  std::map<std::string, std::string> values;
  const auto words = match(line);
  if (!words) return values;
  for (std::size_t i = 0; i < words->size(); ++i) values["$" + name_at(i, words->size())] = (*words)[i];
  return values;
}

bool DelimitedPattern::has_field(std::string_view name) const {
  const bool digits = !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
  return digits || std::any_of(fields_.begin(), fields_.end(),
                               [&](const Field& field) { return !field.name.empty() && field.name == name; });
}

std::optional<std::string> DelimitedPattern::value(std::string_view line, std::string_view name) const {
  const auto words = match(line);
  if (!words) return std::nullopt;
  for (std::size_t i = 0; i < words->size(); ++i) {
    if (name_at(i, words->size()) == name) return std::string((*words)[i]);
  }
  return std::nullopt;
}

std::vector<std::string> DelimitedPattern::literals() const {
  std::vector<std::string> literals;
  for (const Field& field : fields_) {
    if (field.any_of.size() != 1) continue;
    for (const Comparison& one : field.any_of[0]) literals.push_back(one.literal());
  }
  std::erase(literals, "");
  return literals;
}

}  // namespace services::logs
