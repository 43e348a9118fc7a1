// SPDX-License-Identifier: Apache-2.0
#include "http/date.h"

#include <fmt/format.h>

#include <chrono>

namespace http {
namespace {

constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
constexpr std::string_view kDays = "SunMonTueWedThuFriSat";

}  // namespace

std::string to_date(base::Time time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss<std::chrono::seconds> clock(std::chrono::floor<std::chrono::seconds>(time - day));
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
                     kDays.substr(std::chrono::weekday(day).c_encoding() * 3, 3), static_cast<unsigned>(date.day()),
                     kMonths.substr((static_cast<unsigned>(date.month()) - 1) * 3, 3), static_cast<int>(date.year()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

std::string_view current_date() {
  thread_local std::int64_t second = -1;
  thread_local std::string text;
  const base::Time now = base::SystemClock().now();
  if (base::to_seconds(now) != second) {
    second = base::to_seconds(now);
    text = to_date(now);
  }
  return text;
}

}  // namespace http
