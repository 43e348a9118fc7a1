// SPDX-License-Identifier: Apache-2.0
#include "base/date_text.h"

#include <fmt/format.h>

#include <chrono>
#include <string_view>

namespace base {
namespace {

constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
constexpr std::string_view kDays = "SunMonTueWedThuFriSat";

}  // namespace

std::string to_date_text(Time time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss<std::chrono::seconds> clock(std::chrono::floor<std::chrono::seconds>(time - day));
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
                     kDays.substr(std::chrono::weekday(day).c_encoding() * 3, 3), static_cast<unsigned>(date.day()),
                     kMonths.substr((static_cast<unsigned>(date.month()) - 1) * 3, 3), static_cast<int>(date.year()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

}  // namespace base
