// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>
#include <chrono>

#include "base/bytes.h"
#include "scheduler/expression.h"
#include "scheduler/expression_pattern.h"

namespace scheduler {
namespace {

struct SyntaxError {
  std::size_t position;
  std::string message;
};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.' || c == '/' || c == '\\' || c == ':';
}

struct OperatorName {
  std::string_view text;
  Operator op;
  bool negated;
};

// A symbol comes before its own prefixes.
constexpr OperatorName kSymbols[] = {
    {"==", Operator::Equals, false}, {"!=", Operator::Equals, true},        {"=~", Operator::Matches, false},
    {"!~", Operator::Matches, true}, {">=", Operator::GreaterEqual, false}, {"<=", Operator::LessEqual, false},
    {">", Operator::Greater, false}, {"<", Operator::Less, false},          {"=", Operator::Equals, false},
};

constexpr OperatorName kWords[] = {
    {"equals", Operator::Equals, false},
    {"not_equals", Operator::Equals, true},
    {"greater_than", Operator::Greater, false},
    {"greater_than_equal", Operator::GreaterEqual, false},
    {"less_than", Operator::Less, false},
    {"less_than_equal", Operator::LessEqual, false},
    {"exists", Operator::Exists, false},
    {"not_exists", Operator::Exists, true},
    {"in", Operator::In, false},
    {"not_in", Operator::In, true},
    {"matches", Operator::Matches, false},
    {"not_matches", Operator::Matches, true},
};

struct SubjectName {
  std::string_view text;
  Subject subject;
};

constexpr SubjectName kSubjects[] = {
    {"agentConnected", Subject::AgentConnected},       {"agentVersion", Subject::AgentVersion},
    {"ec2InstanceId", Subject::Ec2InstanceId},         {"registeredAt", Subject::RegisteredAt},
    {"runningTasksCount", Subject::RunningTasksCount}, {"task:group", Subject::TaskGroup},
    {"task:startedBy", Subject::TaskStartedBy},
};

constexpr std::string_view kAttribute = "attribute:";

// The developer guide's "Valid operators" of each subject.
bool takes(Subject subject, Operator op) {
  bool is_order =
      op == Operator::Greater || op == Operator::GreaterEqual || op == Operator::Less || op == Operator::LessEqual;
  bool is_text = op == Operator::In || op == Operator::Matches;
  switch (subject) {
    case Subject::AgentConnected:
    case Subject::Ec2InstanceId: return !is_order;
    case Subject::AgentVersion:
    case Subject::RegisteredAt:
    case Subject::RunningTasksCount: return !is_text;
    case Subject::Attribute:
    case Subject::TaskGroup:
    case Subject::TaskStartedBy: return true;
  }
  return false;
}

}  // namespace

// Recursive descent. Throws SyntaxError only.
class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text) : text_(text) {}

  Expression parse() {
    expression_.text_ = std::string(text_);
    expression_.root_ = parse_or(0);
    skip_space();
    if (at_ < text_.size()) fail("expected the end, 'and' or 'or'");
    return std::move(expression_);
  }

 private:
  using Node = Expression::Node;
  using Level = std::size_t (ExpressionParser::*)(int);

  [[noreturn]] void fail(std::string message) const { throw SyntaxError{at_, std::move(message)}; }

  std::string_view rest() const { return text_.substr(at_); }

  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  bool take(std::string_view symbol) {
    skip_space();
    if (!rest().starts_with(symbol)) return false;
    at_ += symbol.size();
    return true;
  }

  // The next word, without consuming it.
  std::string_view peek_word() {
    skip_space();
    std::size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }

  bool take_word(std::string_view word) {
    if (!base::equals_ignoring_case(peek_word(), word)) return false;
    at_ += word.size();
    return true;
  }

  std::size_t add(Node node) {
    expression_.nodes_.push_back(std::move(node));
    return expression_.nodes_.size() - 1;
  }

  std::size_t parse_or(int depth) {
    return parse_chain(depth, Node::Kind::Or, "||", "or", &ExpressionParser::parse_and);
  }
  std::size_t parse_and(int depth) {
    return parse_chain(depth, Node::Kind::And, "&&", "and", &ExpressionParser::parse_not);
  }

  std::size_t parse_chain(int depth, Node::Kind kind, std::string_view symbol, std::string_view word, Level next) {
    std::vector<std::size_t> children = {(this->*next)(depth)};
    while (take(symbol) || take_word(word)) children.push_back((this->*next)(depth));
    if (children.size() == 1) return children[0];
    return add({.kind = kind, .children = std::move(children)});
  }

  std::size_t parse_not(int depth) {
    if (depth == kMaxExpressionDepth)
      fail("nested too deeply: " + std::to_string(kMaxExpressionDepth) + " levels at most");
    if (take("!") || take_word("not")) {
      std::size_t child = parse_not(depth + 1);
      return add({.kind = Node::Kind::Not, .children = {child}});
    }
    if (take("(")) {
      std::size_t inner = parse_or(depth + 1);
      if (!take(")")) fail("expected ')'");
      return inner;
    }
    expression_.tests_.push_back(parse_test());
    return add({.kind = Node::Kind::Test, .test = expression_.tests_.size() - 1});
  }

  Test parse_test() {
    Test test;
    parse_subject(test);
    std::size_t operator_at = at_;
    parse_operator(test);
    if (!takes(test.subject, test.op)) {
      at_ = operator_at;
      skip_space();
      fail("this subject does not take this operator");
    }
    parse_arguments(test);
    return test;
  }

  void parse_subject(Test& test) {
    std::string_view word = peek_word();
    if (word.starts_with(kAttribute) && word.size() > kAttribute.size()) {
      test.attribute = std::string(word.substr(kAttribute.size()));
      at_ += word.size();
      return;
    }
    for (const SubjectName& name : kSubjects) {
      if (name.text != word) continue;
      test.subject = name.subject;
      at_ += word.size();
      return;
    }
    if (word.empty()) fail("expected a subject, as attribute:<name> or task:group");
    fail("no such subject: '" + std::string(word) + "'");
  }

  void parse_operator(Test& test) {
    skip_space();
    auto set = [&](const OperatorName& name, bool negated) {
      test.op = name.op;
      test.negated = negated;
    };
    for (const OperatorName& name : kSymbols) {
      if (take(name.text)) return set(name, name.negated);
    }
    // !exists and !in; the bare words are in the table.
    std::size_t start = at_;
    bool negated = take("!");
    std::string_view word = peek_word();
    for (const OperatorName& name : kWords) {
      if (!base::equals_ignoring_case(name.text, word)) continue;
      if (negated && name.op != Operator::Exists && name.op != Operator::In) break;
      if (negated && name.negated) break;
      at_ += word.size();
      return set(name, name.negated || negated);
    }
    at_ = start;
    fail("expected an operator, as ==, !=, in, =~ or exists");
  }

  void parse_arguments(Test& test) {
    if (test.op == Operator::Exists) return;
    if (test.op == Operator::In) return parse_list(test);
    skip_space();
    std::size_t argument_at = at_;
    test.arguments.push_back(parse_argument(test.op == Operator::Matches));
    std::size_t end = at_;
    at_ = argument_at;  // errors point to where the argument begins
    if (test.op == Operator::Matches) {
      compile(test);
    } else if (test.subject == Subject::RunningTasksCount || test.subject == Subject::RegisteredAt) {
      read_number(test);
    }
    at_ = end;
  }

  void parse_list(Test& test) {
    if (!take("[")) fail("expected '[' and a list");
    do {
      test.arguments.push_back(parse_argument(false));
    } while (take(","));
    if (!take("]")) fail("expected ',' or ']'");
  }

  // An unquoted pattern may contain brackets and commas. A pattern with parentheses must be quoted: "a single
  // expression can't contain parentheses".
  std::string parse_argument(bool is_pattern) {
    skip_space();
    if (at_ < text_.size() && (text_[at_] == '\'' || text_[at_] == '"')) return parse_quoted(text_[at_]);
    std::size_t start = at_;
    while (at_ < text_.size() && !is_space(text_[at_])) {
      char c = text_[at_];
      if (c == '(' || c == ')' || rest().starts_with("&&") || rest().starts_with("||")) break;
      if (!is_pattern && (c == '[' || c == ']' || c == ',')) break;
      ++at_;
    }
    if (at_ == start) fail("expected a value");
    return std::string(text_.substr(start, at_ - start));
  }

  std::string parse_quoted(char quote) {
    std::size_t start = at_ + 1;
    std::size_t end = text_.find(quote, start);
    if (end == std::string_view::npos) fail("this quote is not closed");
    at_ = end + 1;
    return std::string(text_.substr(start, end - start));
  }

  void compile(Test& test) {
    auto pattern = std::make_shared<const Pattern>(test.arguments[0]);
    if (!pattern->regex.ok()) fail("not a regular expression: " + pattern->regex.error());
    test.pattern = std::move(pattern);
  }

  void read_number(Test& test) {
    const std::string& text = test.arguments[0];
    if (test.subject == Subject::RegisteredAt) {
      auto date = parse_date(text);
      if (!date) fail("expected a date, as 2018-06-18 or 2018-06-18T22:28:28Z");
      test.number = base::to_seconds(*date);
      return;
    }
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), test.number);
    if (error != std::errc{} || end != text.data() + text.size()) fail("expected a whole number");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Expression expression_;
};

base::Result<Expression> Expression::parse(std::string_view text) {
  if (text.size() > kMaxExpressionLength) {
    return base::Error{"an expression has " + std::to_string(kMaxExpressionLength) + " characters at most"};
  }
  try {
    return ExpressionParser(text).parse();
  } catch (const SyntaxError& error) {
    return base::Error{"column " + std::to_string(error.position + 1) + ": " + error.message};
  }
}

namespace {

// Consumes exactly `digits` digits.
std::optional<int> take_number(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  int value = 0;
  for (char c : text.substr(0, digits)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool take_char(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<std::chrono::seconds> take_clock(std::string_view& text, bool with_seconds) {
  auto hours = take_number(text, 2);
  if (!hours || *hours > 23 || !take_char(text, ':')) return std::nullopt;
  auto minutes = take_number(text, 2);
  if (!minutes || *minutes > 59) return std::nullopt;
  int seconds = 0;
  if (with_seconds) {
    if (!take_char(text, ':')) return std::nullopt;
    auto read = take_number(text, 2);
    if (!read || *read > 59) return std::nullopt;
    seconds = *read;
  }
  return std::chrono::hours(*hours) + std::chrono::minutes(*minutes) + std::chrono::seconds(seconds);
}

}  // namespace

std::optional<base::Time> parse_date(std::string_view text) {
  auto year = take_number(text, 4);
  if (!year || !take_char(text, '-')) return std::nullopt;
  auto month = take_number(text, 2);
  if (!month || !take_char(text, '-')) return std::nullopt;
  auto day = take_number(text, 2);
  if (!day) return std::nullopt;
  std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                   std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  base::Time time = std::chrono::sys_days(date);
  if (text.empty()) return time;
  if (!take_char(text, 'T')) return std::nullopt;
  auto clock = take_clock(text, true);
  if (!clock) return std::nullopt;
  time += *clock;
  if (text.empty() || text == "Z") return time;
  int sign = text[0] == '+' ? 1 : text[0] == '-' ? -1 : 0;
  text.remove_prefix(1);
  auto offset = take_clock(text, false);
  if (sign == 0 || !offset || !text.empty()) return std::nullopt;
  return time - sign * *offset;
}

}  // namespace scheduler
