// SPDX-License-Identifier: Apache-2.0
#include "services/logs/insights/query_reader.h"

#include <algorithm>
#include <cctype>

#include "base/bytes.h"
#include "services/logs/patterns/json_tape.h"

namespace services::logs::insights {
namespace {

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '@' || c == '.';
}
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)); }

}  // namespace

void QueryReader::blanks() {
  while (at_ < text_.size()) {
    if (is_space(text_[at_])) {
      ++at_;
    } else if (text_[at_] == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      return;
    }
  }
}

std::string_view QueryReader::from(std::size_t begin) const {
  std::string_view text = text_.substr(begin, at_ - begin);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

bool QueryReader::at_end() {
  blanks();
  return at_ >= text_.size();
}

char QueryReader::peek() { return at_end() ? '\0' : text_[at_]; }

bool QueryReader::take(std::string_view symbol) {
  blanks();
  if (!text_.substr(at_).starts_with(symbol)) return false;
  at_ += symbol.size();
  return true;
}

bool QueryReader::sees_word(std::string_view word) {
  blanks();
  const std::size_t end = at_ + word.size();
  return base::equals_ignoring_case(text_.substr(at_, word.size()), word) &&
         (end >= text_.size() || !is_name_character(text_[end]));
}

bool QueryReader::take_word(std::string_view word) {
  if (!sees_word(word)) return false;
  at_ += word.size();
  return true;
}

void QueryReader::expect(std::string_view symbol) {
  if (!take(symbol)) fail();
}

void QueryReader::expect_word(std::string_view word) {
  if (!take_word(word)) fail();
}

std::string QueryReader::name() {
  blanks();
  const std::size_t begin = at_;
  if (at_ < text_.size() && text_[at_] == '`') {
    const std::size_t end = text_.find('`', at_ + 1);
    if (end == std::string_view::npos) fail();
    at_ = end + 1;
    return std::string(text_.substr(begin + 1, end - begin - 1));
  }
  if (at_ >= text_.size() || std::isdigit(static_cast<unsigned char>(text_[at_])) || text_[at_] == '.') return "";
  std::string out;
  while (at_ < text_.size()) {
    if (is_name_character(text_[at_])) {
      out += text_[at_++];
      continue;
    }
    // j.b[0] is another way to write j.b.0.
    const std::size_t close = text_[at_] == '[' && !out.empty() ? text_.find(']', at_) : std::string_view::npos;
    if (close == std::string_view::npos) break;
    const std::string_view index = text_.substr(at_ + 1, close - at_ - 1);
    if (index.empty() || index.find_first_not_of("0123456789") != std::string_view::npos) break;
    out += '.';
    out += index;
    at_ = close + 1;
  }
  return out;
}

std::string QueryReader::required_name() {
  std::string found = name();
  if (found.empty()) fail();
  return found;
}

std::string QueryReader::keyword() {
  blanks();
  std::string out;
  while (at_ < text_.size() && std::isalpha(static_cast<unsigned char>(text_[at_]))) out += text_[at_++];
  return base::to_lower(out);
}

std::optional<std::string> QueryReader::quoted() {
  blanks();
  if (at_ >= text_.size() || (text_[at_] != '"' && text_[at_] != '\'')) return std::nullopt;
  const std::size_t begin = at_;
  const char quote = text_[at_];
  std::string out;
  for (std::size_t i = at_ + 1; i < text_.size(); ++i) {
    if (text_[i] == quote) {
      at_ = i + 1;
      return out;
    }
    if (text_[i] == '\\' && i + 1 < text_.size() && (text_[i + 1] == quote || text_[i + 1] == '\\')) ++i;
    out += text_[i];
  }
  fail_at(begin);
}

std::optional<QueryRegex> QueryReader::regex() {
  blanks();
  if (at_ >= text_.size() || text_[at_] != '/') return std::nullopt;
  const std::size_t begin = at_;
  std::string out;
  bool in_set = false;  // a slash in [...] needs no backslash
  for (std::size_t i = at_ + 1; i < text_.size(); ++i) {
    const char c = text_[i];
    if (c == '/' && !in_set) {
      at_ = i + 1;
      return compile(out);
    }
    if (c == '\\' && i + 1 < text_.size()) {
      if (text_[i + 1] != '/') out += c;
      out += text_[++i];
      continue;
    }
    if (c == '[') in_set = true;
    if (c == ']') in_set = false;
    out += c;
  }
  fail_at(begin);
}

QueryRegex QueryReader::compile(std::string_view expression) {
  if (++regexes_ > kMaxRegexes) {
    throw QueryError{"A query has at most " + std::to_string(kMaxRegexes) + " regular expressions"};
  }
  auto regex = QueryRegex::parse(expression);
  if (!regex) throw QueryError{"Invalid regular expression: " + regex.error()};
  return std::move(*regex);
}

std::optional<double> QueryReader::number() {
  blanks();
  std::size_t end = at_;
  const auto digits = [&] {
    while (end < text_.size() && std::isdigit(static_cast<unsigned char>(text_[end]))) ++end;
  };
  digits();
  if (end == at_) return std::nullopt;
  if (end + 1 < text_.size() && text_[end] == '.' && std::isdigit(static_cast<unsigned char>(text_[end + 1]))) {
    ++end;
    digits();
  }
  const std::string_view found = text_.substr(at_, end - at_);
  at_ = end;
  return parse_number(found);
}

std::size_t QueryReader::integer() {
  const std::size_t begin = at_;
  const auto found = number();
  if (!found) fail();
  if (*found != static_cast<double>(static_cast<std::size_t>(std::min(*found, 1e9)))) fail_at(begin);
  return static_cast<std::size_t>(*found);
}

void QueryReader::fail() {
  blanks();
  fail_at(at_);
}

void QueryReader::fail_at(std::size_t at) {
  while (at < text_.size() && is_space(text_[at])) ++at;
  std::size_t end = at;
  while (end < text_.size() && is_name_character(text_[end])) ++end;
  if (end == at && end < text_.size()) {
    do ++end;  // all bytes of a character
    while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0) == 0x80);
  }
  const std::string symbol = at >= text_.size() ? "<EOF>" : std::string(text_.substr(at, end - at));
  const std::size_t line_begin = at == 0 ? std::string_view::npos : text_.rfind('\n', at - 1);
  const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(std::min(at, text_.size())), '\n');
  const std::size_t position = line_begin == std::string_view::npos ? at : at - line_begin - 1;
  throw QueryError{"unexpected symbol found " + symbol + " at line " + std::to_string(line) + " and position " +
                   std::to_string(position)};
}

}  // namespace services::logs::insights
