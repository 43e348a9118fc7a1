// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/math/metric_search.h"

#include <algorithm>
#include <tuple>

#include "base/bytes.h"
#include "services/cloudwatch/math/math_expression.h"

namespace services::cloudwatch {
namespace {

enum class CharacterClass { Lower, Upper, Digit, Other };

CharacterClass class_of(char c) {
  if (c >= 'a' && c <= 'z') return CharacterClass::Lower;
  if (c >= 'A' && c <= 'Z') return CharacterClass::Upper;
  if (c >= '0' && c <= '9') return CharacterClass::Digit;
  // Bytes of other alphabets are parts of words.
  return static_cast<unsigned char>(c) >= 0x80 ? CharacterClass::Lower : CharacterClass::Other;
}

bool starts_token(CharacterClass before, CharacterClass now, bool lower_follows) {
  if (before == CharacterClass::Other) return true;
  if (before == now) return now == CharacterClass::Upper && lower_follows;  // "HTTPCode": http, code
  return !(before == CharacterClass::Upper && now == CharacterClass::Lower);
}

bool matches_tokens(std::string_view text, std::string_view word) {
  const std::vector<std::string> wanted = search_tokens(word);
  const std::vector<std::string> present = search_tokens(text);
  if (wanted.empty()) return false;
  // A single token ignores case; a word of several tokens must appear in the name as it is written.
  if (wanted.size() <= 2) return std::find(present.begin(), present.end(), wanted.front()) != present.end();
  return text.find(word) != text.npos;
}

bool term_matches(const SearchNode& term, std::string_view text) {
  return term.exact ? text == term.value : matches_tokens(text, term.value);
}

bool node_matches(const SearchNode& node, const SearchedMetric& metric) {
  const auto holds = [&](const SearchNode& part) { return node_matches(part, metric); };
  switch (node.kind) {
    case SearchNode::Kind::Not: return !holds(node.parts[0]);
    case SearchNode::Kind::And: return std::all_of(node.parts.begin(), node.parts.end(), holds);
    case SearchNode::Kind::Or: return std::any_of(node.parts.begin(), node.parts.end(), holds);
    case SearchNode::Kind::Term: break;
  }
  const bool any = node.field.empty();
  if ((any || node.field == "MetricName") && term_matches(node, metric.name)) return true;
  if ((any || node.field == "Namespace") && term_matches(node, metric.metric_namespace)) return true;
  return std::any_of(metric.dimensions.begin(), metric.dimensions.end(), [&](const auto& dimension) {
    if (any) return term_matches(node, dimension.first) || term_matches(node, dimension.second);
    return node.field == dimension.first && term_matches(node, dimension.second);
  });
}

class SearchParser {
 public:
  explicit SearchParser(std::string_view text) : text_(text) {}

  SearchQuery parse() {
    if (text_.size() > kMaxSearchLength) throw MathError("The search query is longer than 1024 characters");
    SearchQuery query;
    if (peek() == '{') parse_schema(query);
    if (!at_end()) query.terms = parse_or();
    if (!at_end()) throw MathError("Unexpected character in the search query at position " + std::to_string(at_));
    if (!query.has_schema && !query.terms) throw MathError("The search query needs a schema or a term");
    return query;
  }

 private:
  bool at_end() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
    return at_ == text_.size();
  }
  char peek() { return at_end() ? '\0' : text_[at_]; }

  void parse_schema(SearchQuery& query) {
    const std::size_t end = text_.find('}', at_);
    if (end == text_.npos) throw MathError("The schema of the search query has no end");
    std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    query.has_schema = true;
    bool first = true;
    while (true) {
      const std::size_t comma = std::min(inside.find(','), inside.size());
      std::string_view part = base::trim(inside.substr(0, comma));
      if (part.size() >= 2 && part.front() == '"' && part.back() == '"') part = part.substr(1, part.size() - 2);
      if (part.empty()) throw MathError("The schema of the search query has an empty name");
      if (first) {
        query.metric_namespace = part;
      } else {
        query.dimensions.emplace_back(part);
      }
      first = false;
      if (comma == inside.size()) break;
      inside.remove_prefix(comma + 1);
    }
    std::sort(query.dimensions.begin(), query.dimensions.end());
  }

  bool take_word(std::string_view word) {
    if (at_end() || !text_.substr(at_).starts_with(word)) return false;
    const std::size_t end = at_ + word.size();
    if (end < text_.size() && text_[end] != ' ' && text_[end] != '(' && text_[end] != ')') return false;
    at_ = end;
    return true;
  }

  SearchNode parse_or() {
    if (++depth_ > kMaxSearchDepth) throw MathError("The search query is nested too deeply");
    SearchNode node{.kind = SearchNode::Kind::Or};
    do {
      node.parts.push_back(parse_and());
    } while (take_word("OR"));
    --depth_;
    return node;
  }

  SearchNode parse_and() {
    SearchNode node{.kind = SearchNode::Kind::And};
    do {
      node.parts.push_back(parse_not());
      take_word("AND");
    } while (!at_end() && peek() != ')' && !text_.substr(at_).starts_with("OR "));
    return node;
  }

  SearchNode parse_not() {
    if (take_word("NOT")) {
      if (++depth_ > kMaxSearchDepth) throw MathError("The search query is nested too deeply");
      SearchNode node{.kind = SearchNode::Kind::Not};
      node.parts.push_back(parse_not());
      --depth_;
      return node;
    }
    if (peek() == '(') {
      ++at_;
      SearchNode inner = parse_or();
      if (peek() != ')') throw MathError("The search query lacks a closing bracket");
      ++at_;
      return inner;
    }
    return parse_term();
  }

  SearchNode parse_term() {
    SearchNode term;
    std::tie(term.value, term.exact) = read_value();
    if (at_ < text_.size() && text_[at_] == '=') {
      ++at_;
      term.field = std::move(term.value);
      std::tie(term.value, term.exact) = read_value();
    }
    return term;
  }

  // And whether it is quoted. A backslash keeps the character behind it.
  std::pair<std::string, bool> read_value() {
    const bool quoted = peek() == '"';
    if (quoted) ++at_;
    std::string out;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\\' && at_ + 1 < text_.size()) {
        out += text_[++at_];
      } else if (quoted && c == '"') {
        ++at_;
        return {out, true};
      } else if (!quoted && (c == ' ' || c == '=' || c == '(' || c == ')' || c == '"')) {
        break;
      } else {
        out += c;
      }
    }
    if (quoted) throw MathError("A quoted text in the search query has no end");
    if (out.empty()) throw MathError("The search query has an empty term at position " + std::to_string(at_));
    return {out, false};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::vector<std::string> search_tokens(std::string_view text) {
  std::vector<std::string> tokens;
  std::string whole, current;
  CharacterClass before = CharacterClass::Other;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const CharacterClass now = class_of(text[i]);
    const bool lower_follows = i + 1 < text.size() && class_of(text[i + 1]) == CharacterClass::Lower;
    if (now == CharacterClass::Other || starts_token(before, now, lower_follows)) {
      if (!current.empty()) tokens.push_back(base::to_lower(current));
      current.clear();
    }
    if (now != CharacterClass::Other) current += text[i];
    before = now;
  }
  if (!current.empty()) tokens.push_back(base::to_lower(current));
  tokens.insert(tokens.begin(), base::to_lower(text));
  return tokens;
}

bool SearchQuery::matches(const SearchedMetric& metric) const {
  if (has_schema) {
    if (metric.metric_namespace != metric_namespace || metric.dimensions.size() != dimensions.size()) return false;
    std::vector<std::string> names;
    for (const auto& dimension : metric.dimensions) names.push_back(dimension.first);
    std::sort(names.begin(), names.end());
    if (names != dimensions) return false;
  }
  return !terms || node_matches(*terms, metric);
}

SearchQuery parse_search(std::string_view text) { return SearchParser(text).parse(); }

}  // namespace services::cloudwatch
