// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/alarms/alarm_rule.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/utf8.h"
#include "wire/error.h"

namespace services::cloudwatch {
namespace {

constexpr char kExpectedTerm[] = "'(', 'NOT', AT_LEAST, TRUE or FALSE, ALARM, OK, or INSUFFICIENT_DATA";

wire::ApiError rule_error(const std::string& text) {
  return wire::ApiError("ValidationError", "Error in AlarmRule [" + text + "]");
}

class RuleParser {
 public:
  explicit RuleParser(std::string_view text) : text_(text) {}

  RuleNode parse() {
    if (base::count_characters(text_) > kMaxRuleLength) throw rule_error("The rule is longer than 10240 characters");
    RuleNode rule = parse_or();
    if (!at_end()) refuse("'AND', 'OR' or the end of the rule");
    return rule;
  }

 private:
  bool at_end() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) {
      ++at_;
    }
    return at_ == text_.size();
  }

  static bool ends_word(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '(' || c == ')' || c == ','; }

  // The word or single sign at this place; "" at the end.
  std::string_view peek() {
    if (at_end()) return "";
    if (ends_word(text_[at_])) return text_.substr(at_, 1);
    std::size_t end = at_;
    while (end < text_.size() && !ends_word(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }

  bool take(std::string_view token) {
    if (peek() != token) return false;
    at_ += token.size();
    return true;
  }

  [[noreturn]] void refuse(const std::string& expected) {
    const std::string token(peek());
    throw rule_error("Unsupported token '" + token + "' at char " + std::to_string(at_) + ", must be: " + expected);
  }

  void expect(std::string_view token) {
    if (!take(token)) refuse("'" + std::string(token) + "'");
  }

  void enter() {
    if (++depth_ > kMaxRuleDepth) throw rule_error("The rule is nested too deeply");
  }

  RuleNode parse_or() {
    enter();
    RuleNode node = parse_chain("OR", RuleNode::Kind::Or, &RuleParser::parse_and);
    --depth_;
    return node;
  }
  RuleNode parse_and() { return parse_chain("AND", RuleNode::Kind::And, &RuleParser::parse_not); }

  RuleNode parse_chain(std::string_view word, RuleNode::Kind kind, RuleNode (RuleParser::*next)()) {
    RuleNode first = (this->*next)();
    if (peek() != word) return first;
    RuleNode node{.kind = kind};
    node.parts.push_back(std::move(first));
    while (take(word)) node.parts.push_back((this->*next)());
    return node;
  }

  RuleNode parse_not() {
    if (take("NOT")) {
      enter();
      RuleNode node{.kind = RuleNode::Kind::Not};
      node.parts.push_back(parse_not());
      --depth_;
      return node;
    }
    if (take("(")) {
      RuleNode inner = parse_or();
      expect(")");
      return inner;
    }
    count_element();
    if (take("TRUE")) return {.kind = RuleNode::Kind::Constant, .constant = true};
    if (take("FALSE")) return {.kind = RuleNode::Kind::Constant, .constant = false};
    if (take("AT_LEAST")) return parse_at_least();
    RuleNode node{.kind = RuleNode::Kind::State};
    if (!take_state(node)) refuse(kExpectedTerm);
    expect("(");
    node.alarms.push_back(read_alarm());
    expect(")");
    return node;
  }

  bool take_state(RuleNode& node) {
    const auto state = parse_alarm_state(peek());
    if (!state) return false;
    node.state = *state;
    at_ += peek().size();
    return true;
  }

  RuleNode parse_at_least() {
    RuleNode node{.kind = RuleNode::Kind::AtLeast};
    expect("(");
    std::string_view number = peek();
    const std::size_t length = number.size();
    node.percent = number.ends_with('%');
    if (node.percent) number.remove_suffix(1);
    int count = 0;
    const auto end = std::from_chars(number.data(), number.data() + number.size(), count);
    if (number.empty() || end.ec != std::errc() || end.ptr != number.data() + number.size() || count < 1 ||
        (node.percent && count > 100)) {
      refuse("a positive number or a percentage");
    }
    node.count = count;
    at_ += length;
    expect(",");
    node.negated = take("NOT");
    if (!take_state(node)) refuse("ALARM, OK, or INSUFFICIENT_DATA");
    expect(",");
    expect("(");
    do {
      count_element();
      node.alarms.push_back(read_alarm());
    } while (take(","));
    expect(")");
    expect(")");
    if (!node.percent && node.count > static_cast<double>(node.alarms.size())) {
      throw rule_error("AT_LEAST requires " + std::to_string(count) + " of " + std::to_string(node.alarms.size()) +
                       " alarms");
    }
    return node;
  }

  std::string read_alarm() {
    if (!peek().starts_with('"')) {
      const std::string_view word = peek();
      if (word.empty() || ends_word(word[0])) refuse("the name or ARN of an alarm");
      at_ += word.size();
      return std::string(word);
    }
    std::string out;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        ++at_;
        return out;
      }
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      out += text_[at_];
    }
    throw rule_error("The name of an alarm has no closing quote");
  }

  void count_element() {
    if (++elements_ > kMaxRuleElements) throw rule_error("The rule has more than 500 elements");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t elements_ = 0;
  int depth_ = 0;
};

void collect_alarms(const RuleNode& node, std::vector<std::string>& out) {
  for (const std::string& alarm : node.alarms) {
    if (std::find(out.begin(), out.end(), alarm) == out.end()) out.push_back(alarm);
  }
  for (const RuleNode& part : node.parts) collect_alarms(part, out);
}

}  // namespace

RuleNode parse_alarm_rule(std::string_view text) { return RuleParser(text).parse(); }

std::vector<std::string> alarms_of(const RuleNode& rule) {
  std::vector<std::string> out;
  collect_alarms(rule, out);
  return out;
}

bool rule_holds(const RuleNode& rule, const std::function<AlarmState(const std::string&)>& state_of) {
  const auto holds = [&](const RuleNode& part) { return rule_holds(part, state_of); };
  switch (rule.kind) {
    case RuleNode::Kind::Constant: return rule.constant;
    case RuleNode::Kind::Not: return !holds(rule.parts[0]);
    case RuleNode::Kind::And: return std::all_of(rule.parts.begin(), rule.parts.end(), holds);
    case RuleNode::Kind::Or: return std::any_of(rule.parts.begin(), rule.parts.end(), holds);
    case RuleNode::Kind::State: return state_of(rule.alarms[0]) == rule.state;
    case RuleNode::Kind::AtLeast: break;
  }
  const auto count = std::count_if(rule.alarms.begin(), rule.alarms.end(), [&](const std::string& alarm) {
    return (state_of(alarm) == rule.state) != rule.negated;
  });
  const double needed = rule.percent ? rule.count * static_cast<double>(rule.alarms.size()) / 100 : rule.count;
  return static_cast<double>(count) >= needed;
}

}  // namespace services::cloudwatch
