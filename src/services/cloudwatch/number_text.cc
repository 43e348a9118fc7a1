// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/number_text.h"

#include <charconv>
#include <cmath>

namespace services::cloudwatch {
namespace {

// The shortest digits that identify the value, and the exponent of the first: 1.5e3 -> "15", 3.
struct Digits {
  std::string digits;
  int exponent = 0;
};

Digits shortest_digits(double magnitude) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, magnitude, std::chars_format::scientific).ptr;
  const std::string_view all(text, static_cast<std::size_t>(end - text));
  const std::size_t e = all.find('e');
  Digits result;
  for (char c : all.substr(0, e)) {
    if (c != '.') result.digits += c;
  }
  result.exponent = std::stoi(std::string(all.substr(e + 1)));
  return result;
}

// At most this many digits follow the point.
constexpr int kFractionDigits = 3;

}  // namespace

std::string grouped_number(double value) {
  if (std::isnan(value)) return "NaN";
  const std::string sign = std::signbit(value) ? "-" : "";
  if (std::isinf(value)) return sign + "∞";
  if (std::abs(value) < 0.0005) return sign + "0";
  auto [digits, exponent] = shortest_digits(std::abs(value));
  if (exponent < 0) {
    digits.insert(0, static_cast<std::size_t>(-exponent), '0');
    exponent = 0;
  }
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() < whole) digits.append(whole - digits.size(), '0');
  std::string out = sign;
  for (std::size_t i = 0; i < whole; ++i) {
    out += digits[i];
    if (const std::size_t left = whole - i - 1; left > 0 && left % 3 == 0) out += ',';
  }
  const std::string fraction = digits.substr(whole, kFractionDigits);
  return fraction.empty() ? out : out + "." + fraction;
}

}  // namespace services::cloudwatch
