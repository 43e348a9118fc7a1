// SPDX-License-Identifier: Apache-2.0
#include "services/logs/patterns/condition.h"

#include <cctype>

#include "base/utf8.h"
#include "services/logs/patterns/json_tape.h"

namespace services::logs {
namespace {

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_pattern_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool compares(Operator op, double field, double value) {
  switch (op) {
    case Operator::Equal: return field == value;
    case Operator::NotEqual: return field != value;
    case Operator::Less: return field < value;
    case Operator::LessOrEqual: return field <= value;
    case Operator::Greater: return field > value;
    case Operator::GreaterOrEqual: return field >= value;
  }
  return false;
}

bool is_order(Operator op) { return op != Operator::Equal && op != Operator::NotEqual; }

void set_text(Comparison& out, std::string_view text) {
  out.open_start = text.starts_with('*');
  if (out.open_start) text.remove_prefix(1);
  out.open_end = text.ends_with('*') || (out.open_start && text.empty());
  if (text.ends_with('*')) text.remove_suffix(1);
  out.impossible = text.find('*') != std::string_view::npos;
  out.text = text;
}

}  // namespace

bool Comparison::equals_text(std::string_view field) const {
  if (regex) return regex->found_in(field);
  if (impossible) return false;
  if (open_start && open_end) return field.find(text) != std::string_view::npos;
  if (open_start) return field.ends_with(text);
  if (open_end) return field.starts_with(text);
  return field == text;
}

bool Comparison::matches_string(std::string_view field) const {
  if (is_order(op)) return false;
  return equals_text(field) == (op == Operator::Equal);
}

bool Comparison::matches_number(std::string_view field) const {
  if (number) {
    const auto value = parse_number(field);
    return value && compares(op, *value, *number);
  }
  return matches_string(field);
}

bool Comparison::matches_word(std::string_view field) const {
  return number && parse_number(field) ? matches_number(field) : matches_string(field);
}

std::string Comparison::literal() const {
  if (op != Operator::Equal || number || impossible) return "";
  return regex ? regex->literal() : text;
}

void PatternReader::blanks() {
  while (!at_end() && is_pattern_blank(text_[at_])) ++at_;
}

bool PatternReader::at_blank() const { return at_end() || is_pattern_blank(peek()); }

bool PatternReader::take(std::string_view token) {
  blanks();
  if (!rest().starts_with(token)) return false;
  at_ += token.size();
  return true;
}

bool PatternReader::take_word(std::string_view word) {
  blanks();
  if (!rest().starts_with(word)) return false;
  if (at_ + word.size() < text_.size() && is_word_character(text_[at_ + word.size()])) return false;
  at_ += word.size();
  return true;
}

void PatternReader::expect(std::string_view token) {
  if (!take(token)) fail();
}

void PatternReader::fail() { throw PatternError{"Invalid metric filter pattern"}; }

void PatternReader::fail_term(std::size_t begin) const {
  if (at_end()) fail();
  std::size_t end = at_;
  if (end < text_.size() && base::next_character(text_, end) < 0) ++end;
  throw PatternError{"Invalid character(s) in term '" + std::string(text_.substr(begin, end - begin)) + "'"};
}

std::string PatternReader::quoted() {
  std::string out;
  for (++at_; !at_end(); ++at_) {
    char c = text_[at_];
    if (c == '"') {
      ++at_;
      return out;
    }
    if (c == '\\' && at_ + 1 < text_.size() && (text_[at_ + 1] == '"' || text_[at_ + 1] == '\\')) c = text_[++at_];
    out += c;
  }
  fail();
}

Regex PatternReader::regex() {
  const std::size_t end = text_.find('%', at_ + 1);
  if (end == std::string_view::npos) fail();
  auto parsed = Regex::parse(text_.substr(at_ + 1, end - at_ - 1));
  if (!parsed) throw PatternError{parsed.error()};
  at_ = end + 1;
  ++regexes_;
  return std::move(*parsed);
}

Operator PatternReader::read_operator() {
  if (take("!=")) return Operator::NotEqual;
  if (take("<=")) return Operator::LessOrEqual;
  if (take(">=")) return Operator::GreaterOrEqual;
  if (take("=")) return Operator::Equal;
  if (take("<")) return Operator::Less;
  if (take(">")) return Operator::Greater;
  fail();
}

Comparison PatternReader::comparison() {
  Comparison out;
  out.op = read_operator();
  blanks();
  const std::size_t begin = at_;
  read_value(out);
  if (is_order(out.op) && !out.number) {
    if (text_[begin] == '"') throw PatternError{"Invalid character(s) in term '" + std::string(from(begin)) + "'"};
    fail();
  }
  return out;
}

void PatternReader::read_value(Comparison& out) {
  if (peek() == '"') {
    set_text(out, quoted());
  } else if (peek() == '%') {
    out.regex = regex();
  } else {
    read_bare(out);
  }
}

void PatternReader::read_bare(Comparison& out) {
  const std::size_t begin = at_;
  const auto ends_value = [this] {
    return at_end() || is_pattern_blank(peek()) || std::string_view(")}],&|").find(peek()) != std::string_view::npos;
  };
  while (!ends_value()) {
    const char c = peek();
    // Signs belong to numbers only: "-1", "1e+3".
    const bool sign = (c == '-' || c == '+') && (at_ == begin || text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E');
    if (!is_word_character(c) && c != '.' && c != '*' && !sign) fail_term(begin);
    ++at_;
  }
  const std::string_view text = from(begin);
  if (text.empty()) fail();
  out.number = parse_number(text);
  if (!out.number && text.find_first_of("+-") != std::string_view::npos) {
    throw PatternError{"Invalid character(s) in term '" + std::string(text) + "'"};
  }
  set_text(out, text);
}

std::string PatternReader::name(std::size_t begin) {
  const std::size_t start = at_;
  while (!at_end() && (is_word_character(peek()) || peek() == '-')) ++at_;
  if (at_ == start) fail_term(begin);
  return std::string(from(start));
}

}  // namespace services::logs
