// SPDX-License-Identifier: Apache-2.0
// ECS's cluster query language: `attribute:ecs.instance-type =~ g2.* and not(task:group == db)`.
//
//   or    = and  { ("||" | "or") and }
//   and   = not  { ("&&" | "and") not }
//   not   = ("!" | "not") not | "(" or ")" | test
//   test  = subject operator [argument | "[" argument { "," argument } "]"]
//
// The developer guide defines the subjects and the operators of each; task:startedBy is our extension. Keywords
// ignore case, names and values do not. A pattern must match the whole value, like Java's matches().
//
// Where the guide is silent: `!=`, `!in` and `!~` are true exactly if `==`, `in` and `=~` are false, so also if the
// attribute is absent. Two attribute values are compared as numbers if both are numbers, else as text.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/instance.h"

namespace scheduler {

inline constexpr std::size_t kMaxExpressionLength = 2000;  // Amazon's
inline constexpr int kMaxExpressionDepth = 32;

enum class Subject {
  AgentConnected,
  AgentVersion,
  Attribute,
  Ec2InstanceId,
  RegisteredAt,
  RunningTasksCount,
  TaskGroup,
  TaskStartedBy
};
enum class Operator { Equals, Greater, GreaterEqual, Less, LessEqual, Exists, In, Matches };

// A compiled regular expression. Defined in expression_pattern.h, because its engine's header is large.
struct Pattern;

// `subject operator arguments`, or its negation.
struct Test {
  Subject subject = Subject::Attribute;
  Operator op = Operator::Equals;
  bool negated = false;
  std::string attribute;                   // Subject::Attribute's name
  std::vector<std::string> arguments;      // none for Exists, several for In
  std::shared_ptr<const Pattern> pattern;  // Matches; copies of an expression share it
  std::int64_t number = 0;                 // RunningTasksCount; RegisteredAt in seconds
};

class Expression {
 public:
  // An error names the column, counted from 1.
  static base::Result<Expression> parse(std::string_view text);

  bool matches(const model::Instance& instance, std::span<const model::TaskHold> tasks) const;

  const std::string& text() const { return text_; }

 private:
  friend class ExpressionParser;

  struct Node {
    enum class Kind { Test, Not, And, Or };
    Kind kind = Kind::Test;
    std::size_t test = 0;               // index into tests_
    std::vector<std::size_t> children;  // indices into nodes_
  };

  bool holds(std::size_t node, const model::Instance& instance, std::span<const model::TaskHold> tasks) const;

  std::string text_;
  std::vector<Test> tests_;
  std::vector<Node> nodes_;
  std::size_t root_ = 0;
};

// 2018-06-18T22:28:28+00:00, 2018-06-18T22:28:28Z, 2018-06-18T22:28:28, 2018-06-18.
std::optional<base::Time> parse_date(std::string_view text);

// -1, 0 or 1: "1.9" is before "1.14.5". Parts that are not numbers are compared as text.
int compare_versions(std::string_view a, std::string_view b);

}  // namespace scheduler
