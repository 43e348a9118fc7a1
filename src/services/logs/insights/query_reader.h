// SPDX-License-Identifier: Apache-2.0
// Characters, words and errors of a query's text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "services/logs/insights/query_regex.h"

namespace services::logs::insights {

// The message of Amazon's MalformedQueryException.
struct QueryError {
  std::string message;
};

class QueryReader {
 public:
  explicit QueryReader(std::string_view text) : text_(text) {}

  std::size_t at() const { return at_; }
  void move_to(std::size_t at) { at_ = at; }
  std::string_view from(std::size_t begin) const;  // without blanks at its end
  bool at_end();
  char peek();  // after blanks and comments; '\0' at the end
  // Skips a symbol or a keyword if it is next. Keywords in any case, and whole.
  bool take(std::string_view symbol);
  bool take_word(std::string_view word);
  bool sees_word(std::string_view word);
  void expect(std::string_view symbol);
  void expect_word(std::string_view word);

  // A name of letters, digits, '@', '.', '_', or anything in backticks; "" if none follows.
  std::string name();
  // A name that must follow.
  std::string required_name();
  std::string keyword();  // letters only, in lower case; "" if none follows
  std::optional<std::string> quoted();
  std::optional<QueryRegex> regex();  // /.../
  // Compiles an expression of the query, which may have kMaxRegexes.
  static constexpr int kMaxRegexes = 32;
  QueryRegex compile(std::string_view expression);
  std::optional<double> number();
  std::size_t integer();

  // "unexpected symbol found X at line 1 and position 12", of what is next.
  [[noreturn]] void fail();
  [[noreturn]] void fail_at(std::size_t at);

 private:
  void blanks();

  std::string_view text_;
  std::size_t at_ = 0;
  int regexes_ = 0;
};

}  // namespace services::logs::insights
