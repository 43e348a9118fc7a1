// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/alarms/alarm_text.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

namespace services::cloudwatch {
namespace {

struct CivilTime {
  int year;
  unsigned month, day, weekday;  // weekday 0 is Sunday
  int hour, minute, second, millisecond;
};

CivilTime civil(base::Time time) {
  namespace chrono = std::chrono;
  const auto day = chrono::floor<chrono::days>(time);
  const chrono::year_month_day date{day};
  const chrono::hh_mm_ss clock{time - day};
  return {static_cast<int>(date.year()),
          static_cast<unsigned>(date.month()),
          static_cast<unsigned>(date.day()),
          chrono::weekday(day).c_encoding(),
          static_cast<int>(clock.hours().count()),
          static_cast<int>(clock.minutes().count()),
          static_cast<int>(clock.seconds().count()),
          static_cast<int>(clock.subseconds().count())};
}

constexpr std::array<const char*, 7> kWeekdays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                  "Thursday", "Friday", "Saturday"};
constexpr std::array<const char*, 12> kMonths = {"January", "February", "March",     "April",   "May",      "June",
                                                 "July",    "August",   "September", "October", "November", "December"};

}  // namespace

std::string number_in_reason(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  const double size = std::abs(value);
  const bool plain = value == 0 || (size >= 1e-3 && size < 1e7);
  std::array<char, 400> buffer{};
  const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format).ptr;
  std::string text(buffer.data(), end);
  if (plain) return text.find('.') == text.npos ? text + ".0" : text;
  const std::size_t e = text.find('e');
  std::string digits = text.substr(0, e);
  if (digits.find('.') == digits.npos) digits += ".0";
  return digits + "E" + std::to_string(std::stoi(text.substr(e + 1)));
}

std::string time_in_reason(base::Time time) {
  const CivilTime t = civil(time);
  return fmt::format("{:02}/{:02}/{:02} {:02}:{:02}:{:02}", t.day, t.month, t.year % 100, t.hour, t.minute, t.second);
}

std::string time_in_data(base::Time time) {
  const CivilTime t = civil(time);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}+0000", t.year, t.month, t.day, t.hour, t.minute,
                     t.second, t.millisecond);
}

std::string time_in_sentence(base::Time time) {
  const CivilTime t = civil(time);
  return fmt::format("{} {:02} {}, {} {:02}:{:02}:{:02} UTC", kWeekdays[t.weekday], t.day, kMonths[t.month - 1], t.year,
                     t.hour, t.minute, t.second);
}

std::string count_of(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace services::cloudwatch
