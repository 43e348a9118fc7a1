// SPDX-License-Identifier: Apache-2.0
// The comparison of one field with a value, in JSON and in space-delimited patterns.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "services/logs/patterns/regex.h"

namespace services::logs {

enum class Operator { Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual };

// The right-hand side. `*` is a wildcard at its start and end; a star in the middle never matches.
struct Comparison {
  Operator op = Operator::Equal;
  std::string text = {};              // without wildcards at its ends
  bool open_start = false, open_end = false;
  bool impossible = false;            // a star in the middle
  std::optional<double> number = {};  // an unquoted number
  std::optional<Regex> regex = {};

  bool matches_string(std::string_view field) const;
  // `field` is the text of a number: compared by value with an unquoted number, else by text.
  bool matches_number(std::string_view field) const;
  // A field of a line: either, by what it looks like.
  bool matches_word(std::string_view field) const;
  // Bytes that a matching string contains, or "".
  std::string literal() const;

 private:
  bool equals_text(std::string_view field) const;
};

// A parser of patterns fails with Amazon's text.
struct PatternError {
  std::string message;
};

// Reads patterns from left to right. Its functions throw PatternError; Pattern::parse catches it.
class PatternReader {
 public:
  explicit PatternReader(std::string_view text) : text_(text) {}

  std::size_t at() const { return at_; }
  bool at_end() const { return at_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  std::string_view rest() const { return text_.substr(at_); }
  std::string_view from(std::size_t begin) const { return text_.substr(begin, at_ - begin); }
  void skip(std::size_t count) { at_ += count; }
  void blanks();
  bool at_blank() const;  // or at the end
  // Skips blanks, then the token if it follows.
  bool take(std::string_view token);
  // The same for a word, which a letter or digit must not follow.
  bool take_word(std::string_view word);
  void expect(std::string_view token);

  std::string quoted();
  Regex regex();
  Operator read_operator();
  Comparison comparison();
  // Letters, digits, '-' and '_'. Invalid characters are reported with the term from `begin`.
  std::string name(std::size_t begin);

  int regexes() const { return regexes_; }

  [[noreturn]] static void fail();
  // "Invalid character(s) in term '...'", from `begin` to the current character and including it.
  [[noreturn]] void fail_term(std::size_t begin) const;

 private:
  void read_value(Comparison& out);
  void read_bare(Comparison& out);

  std::string_view text_;
  std::size_t at_ = 0;
  int regexes_ = 0;
};

}  // namespace services::logs
