// SPDX-License-Identifier: Apache-2.0
// Values of Logs Insights. Fields have no declared types: a text that looks like a number counts as one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace services::logs::insights {

// The query needs more memory or work than it may use.
struct QueryTooLarge {
  std::string message;
};

// Of a value that a function makes.
inline constexpr std::size_t kMaxTextBytes = 4u << 20;
void check_text_size(std::size_t bytes);  // throws QueryTooLarge

struct Value {
  enum class Kind : std::uint8_t { Null, Text, Number, Time };  // Time: milliseconds, shown as a date

  Kind kind = Kind::Null;
  double number = 0;
  std::string text = {};

  static Value null() { return {}; }
  static Value of(std::string_view text) { return {Kind::Text, 0, std::string(text)}; }
  static Value of(double number) { return {Kind::Number, number, {}}; }
  static Value of(bool value) { return {Kind::Number, value ? 1.0 : 0.0, {}}; }
  static Value time(double millis) { return {Kind::Time, millis, {}}; }

  bool is_null() const { return kind == Kind::Null; }
  std::optional<double> as_number() const;
  // As an argument of functions: a time is its milliseconds.
  std::string as_text() const;
  // As a result: a time is a date.
  std::string shown() const;
  // As a condition: neither null, nor zero, nor "".
  bool holds() const;
};

// Numbers by value, other texts by their bytes. Null equals nothing.
bool equals(const Value& a, const Value& b);
// Negative, zero, positive; nullopt where they can't be compared.
std::optional<int> compare(const Value& a, const Value& b);
// The order of `sort`: null, then other texts (digit runs by their value, the rest by code points), then numbers.
int natural_order(const Value& a, const Value& b);

// "2022-07-18 12:34:31.195", UTC.
std::string date_text(double millis);

}  // namespace services::logs::insights
