// SPDX-License-Identifier: Apache-2.0
// The text of a metric math expression as a tree: `100 * errors / FILL(requests, 0)`.
//
//   or         = and { ("OR" | "||") and }
//   and        = comparison { ("AND" | "&&") comparison }
//   comparison = sum { ("==" | "!=" | "<" | "<=" | ">" | ">=") sum }
//   sum        = product { ("+" | "-") product }
//   product    = unary { ("*" | "/") unary }
//   unary      = "-" unary | power
//   power      = primary [ "^" unary ]
//   primary    = number | id | text | word | NAME "(" [or { "," or }] ")" | "(" or ")" | "[" or { "," or } "]"
//
// An id starts with a lower case letter, a function's name and the words REPEAT, LINEAR, ASC, DESC and so on with an
// upper case one.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace services::cloudwatch {

inline constexpr std::size_t kMaxMathLength = 2048;  // Amazon's
inline constexpr int kMaxMathDepth = 64;

// An error in an expression. Its text goes behind "Error in expression 'e1': ".
class MathError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class MathOperator {
  Add,
  Subtract,
  Multiply,
  Divide,
  Power,
  Equal,
  NotEqual,
  Less,
  LessOrEqual,
  Greater,
  GreaterOrEqual,
  And,
  Or,
};

struct MathNode {
  enum class Kind { Number, Text, Id, Word, Negate, Binary, Call, Array };

  Kind kind = Kind::Number;
  double number = 0;
  std::string text = {};  // of a Text, an Id, a Word; the function's name of a Call
  MathOperator op = MathOperator::Add;
  std::vector<MathNode> parts = {};  // operands, arguments, elements
};

// Throws MathError.
MathNode parse_math(std::string_view text);

// The sign of an operator, for messages.
std::string_view sign_of(MathOperator op);

}  // namespace services::cloudwatch
