// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/math/math_expression.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>

namespace services::cloudwatch {
namespace {

struct OperatorText {
  std::string_view text;
  MathOperator op;
};

// Longer signs first: "<=" must not be read as "<".
constexpr std::array kComparisonSigns = {
    OperatorText{"==", MathOperator::Equal},       OperatorText{"!=", MathOperator::NotEqual},
    OperatorText{"<=", MathOperator::LessOrEqual}, OperatorText{">=", MathOperator::GreaterOrEqual},
    OperatorText{"<", MathOperator::Less},         OperatorText{">", MathOperator::Greater}};
constexpr std::array kSumSigns = {OperatorText{"+", MathOperator::Add}, OperatorText{"-", MathOperator::Subtract}};
constexpr std::array kProductSigns = {OperatorText{"*", MathOperator::Multiply},
                                      OperatorText{"/", MathOperator::Divide}};
constexpr std::array kAndSigns = {OperatorText{"&&", MathOperator::And}, OperatorText{"AND", MathOperator::And}};
constexpr std::array kOrSigns = {OperatorText{"||", MathOperator::Or}, OperatorText{"OR", MathOperator::Or}};

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit_character(char c) { return c >= '0' && c <= '9'; }
bool is_name_character(char c) { return is_lower(c) || is_upper(c) || is_digit_character(c) || c == '_'; }

class MathParser {
 public:
  explicit MathParser(std::string_view text) : text_(text) {}

  MathNode parse() {
    if (text_.size() > kMaxMathLength) throw MathError("The expression is longer than 2048 characters");
    MathNode root = parse_or();
    if (!at_end()) fail();
    return root;
  }

 private:
  using Level = MathNode (MathParser::*)();

  bool at_end() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) {
      ++at_;
    }
    return at_ == text_.size();
  }
  char peek() { return at_end() ? '\0' : text_[at_]; }

  [[noreturn]] void fail() {
    if (at_end()) throw MathError("Unexpected end of the expression");
    throw MathError("Unexpected character '" + std::string(1, text_[at_]) + "' at position " + std::to_string(at_));
  }

  bool take(std::string_view sign) {
    if (at_end() || !text_.substr(at_).starts_with(sign)) return false;
    const std::size_t end = at_ + sign.size();
    if (is_upper(sign[0]) && end < text_.size() && is_name_character(text_[end])) return false;
    at_ = end;
    return true;
  }
  void expect(std::string_view sign) {
    if (!take(sign)) fail();
  }

  template <std::size_t N>
  MathNode parse_binary(const std::array<OperatorText, N>& signs, Level next) {
    MathNode left = (this->*next)();
    for (;;) {
      auto found = std::find_if(signs.begin(), signs.end(), [&](const OperatorText& one) { return take(one.text); });
      if (found == signs.end()) return left;
      // A chain of operators makes a tree that is as deep as the chain is long.
      if (++operators_ > kMaxOperators) throw MathError("The expression has too many operators");
      MathNode node{.kind = MathNode::Kind::Binary, .op = found->op};
      node.parts.push_back(std::move(left));
      node.parts.push_back((this->*next)());
      left = std::move(node);
    }
  }

  MathNode parse_or() {
    if (++depth_ > kMaxMathDepth) throw MathError("The expression is nested too deeply");
    MathNode node = parse_binary(kOrSigns, &MathParser::parse_and);
    --depth_;
    return node;
  }
  MathNode parse_and() { return parse_binary(kAndSigns, &MathParser::parse_comparison); }
  MathNode parse_comparison() { return parse_binary(kComparisonSigns, &MathParser::parse_sum); }
  MathNode parse_sum() { return parse_binary(kSumSigns, &MathParser::parse_product); }
  MathNode parse_product() { return parse_binary(kProductSigns, &MathParser::parse_unary); }

  MathNode parse_unary() {
    if (!take("-")) return parse_power();
    if (++depth_ > kMaxMathDepth) throw MathError("The expression is nested too deeply");
    MathNode node{.kind = MathNode::Kind::Negate};
    node.parts.push_back(parse_unary());
    --depth_;
    return node;
  }

  MathNode parse_power() {
    MathNode base = parse_primary();
    if (!take("^")) return base;
    if (++depth_ > kMaxMathDepth) throw MathError("The expression is nested too deeply");
    MathNode node{.kind = MathNode::Kind::Binary, .op = MathOperator::Power};
    node.parts.push_back(std::move(base));
    node.parts.push_back(parse_unary());
    --depth_;
    return node;
  }

  MathNode parse_primary() {
    const char next = peek();
    if (is_digit_character(next) || next == '.') return parse_number();
    if (next == '\'' || next == '"') return {.kind = MathNode::Kind::Text, .text = read_text(next)};
    if (is_lower(next)) return {.kind = MathNode::Kind::Id, .text = read_name()};
    if (is_upper(next)) return parse_call_or_word();
    if (take("(")) {
      MathNode inner = parse_or();
      expect(")");
      return inner;
    }
    if (take("[")) return {.kind = MathNode::Kind::Array, .parts = parse_list("]")};
    fail();
  }

  MathNode parse_number() {
    // No locale applies, as with from_chars: the digits are ASCII.
    const std::string rest(text_.substr(at_, 40));
    char* end = nullptr;
    const double number = std::strtod(rest.c_str(), &end);
    const auto length = static_cast<std::size_t>(end - rest.c_str());
    if (length == 0 || !std::isfinite(number) || rest.find_first_of("xXpP") < length) fail();
    at_ += length;
    return {.kind = MathNode::Kind::Number, .number = number};
  }

  std::string read_name() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_name_character(text_[at_])) ++at_;
    return std::string(text_.substr(start, at_ - start));
  }

  // A backslash keeps the quote or backslash behind it; before others it stays, for SEARCH to read.
  std::string read_text(char quote) {
    std::string out;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == quote) {
        ++at_;
        return out;
      }
      if (text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] == quote) ++at_;
      out += text_[at_];
    }
    throw MathError("A quoted text has no end");
  }

  MathNode parse_call_or_word() {
    std::string name = read_name();
    if (!take("(")) return {.kind = MathNode::Kind::Word, .text = std::move(name)};
    return {.kind = MathNode::Kind::Call, .text = std::move(name), .parts = parse_list(")")};
  }

  std::vector<MathNode> parse_list(std::string_view close) {
    std::vector<MathNode> items;
    if (take(close)) return items;
    do {
      items.push_back(parse_or());
    } while (take(","));
    expect(close);
    return items;
  }

  static constexpr int kMaxOperators = 256;

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  int operators_ = 0;
};

}  // namespace

MathNode parse_math(std::string_view text) {
  if (text.starts_with("SELECT ")) throw MathError("Stoker does not support queries of Metrics Insights");
  return MathParser(text).parse();
}

std::string_view sign_of(MathOperator op) {
  switch (op) {
    case MathOperator::Add: return "+";
    case MathOperator::Subtract: return "-";
    case MathOperator::Multiply: return "*";
    case MathOperator::Divide: return "/";
    case MathOperator::Power: return "^";
    case MathOperator::Equal: return "==";
    case MathOperator::NotEqual: return "!=";
    case MathOperator::Less: return "<";
    case MathOperator::LessOrEqual: return "<=";
    case MathOperator::Greater: return ">";
    case MathOperator::GreaterOrEqual: return ">=";
    case MathOperator::And: return "AND";
    case MathOperator::Or: return "OR";
  }
  return "?";
}

}  // namespace services::cloudwatch
