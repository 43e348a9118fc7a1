// SPDX-License-Identifier: Apache-2.0
#include "services/logs/insights/value.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "services/logs/patterns/json_tape.h"

namespace services::logs::insights {
namespace {

bool is_digit_character(char c) { return c >= '0' && c <= '9'; }

template <class T>
int order_of(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

std::string_view digit_run(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit_character(text[end])) ++end;
  while (at + 1 < end && text[at] == '0') ++at;
  return text.substr(at, end - at);
}

int natural_text_order(std::string_view a, std::string_view b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit_character(a[i]) && is_digit_character(b[j])) {
      const std::string_view left = digit_run(a, i), right = digit_run(b, j);
      if (left.size() != right.size()) return order_of(left.size(), right.size());
      if (const int order = left.compare(right)) return order;
      i = static_cast<std::size_t>(left.data() + left.size() - a.data());
      j = static_cast<std::size_t>(right.data() + right.size() - b.data());
      continue;
    }
    // UTF-8 has the order of code points.
    if (a[i] != b[j]) return order_of(static_cast<unsigned char>(a[i]), static_cast<unsigned char>(b[j]));
    ++i, ++j;
  }
  if (a.size() - i != b.size() - j) return order_of(a.size() - i, b.size() - j);
  return order_of(a, b);  // "01" and "1"
}

}  // namespace

void check_text_size(std::size_t bytes) {
  if (bytes > kMaxTextBytes) {
    throw QueryTooLarge{"A value of the query is longer than " + std::to_string(kMaxTextBytes >> 20) + " MiB"};
  }
}

std::optional<double> Value::as_number() const {
  switch (kind) {
    case Kind::Null: return std::nullopt;
    case Kind::Text: return parse_number(text);
    default: return number;
  }
}

std::string Value::as_text() const { return kind == Kind::Text ? text : is_null() ? "" : number_text(number); }

std::string Value::shown() const { return kind == Kind::Time ? date_text(number) : as_text(); }

bool Value::holds() const {
  switch (kind) {
    case Kind::Null: return false;
    case Kind::Text: return !text.empty() && text != "0" && text != "false";
    default: return number != 0;
  }
}

bool equals(const Value& a, const Value& b) {
  if (a.is_null() || b.is_null()) return false;
  const auto left = a.as_number(), right = b.as_number();
  if (left && right) return *left == *right;
  return !left == !right && a.as_text() == b.as_text();
}

std::optional<int> compare(const Value& a, const Value& b) {
  if (a.is_null() || b.is_null()) return std::nullopt;
  const auto left = a.as_number(), right = b.as_number();
  if (left && right) return order_of(*left, *right);
  if (left || right) return std::nullopt;
  return order_of(a.as_text(), b.as_text());
}

int natural_order(const Value& a, const Value& b) {
  if (a.is_null() || b.is_null()) return order_of(!a.is_null(), !b.is_null());
  const auto left = a.as_number(), right = b.as_number();
  if (left && right) return order_of(*left, *right);
  if (left || right) return left ? 1 : -1;
  return natural_text_order(a.as_text(), b.as_text());
}

std::string date_text(double millis) {
  if (!std::isfinite(millis) || std::abs(millis) > 2.5e14) return number_text(millis);
  using namespace std::chrono;
  const sys_time<milliseconds> time{milliseconds{static_cast<std::int64_t>(std::floor(millis))}};
  const auto day = floor<days>(time);
  const year_month_day date{day};
  const hh_mm_ss clock{time - day};
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count(), clock.subseconds().count());
}

}  // namespace services::logs::insights
