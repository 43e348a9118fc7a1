// SPDX-License-Identifier: Apache-2.0
#include "autoscaler/schedule.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace autoscaler {
namespace {

constexpr std::int64_t kMaxRate = 1000000;  // of any unit

// What is inside of "name(...)".
std::optional<std::string_view> argument_of(std::string_view text, std::string_view name) {
  if (!text.starts_with(name) || !text.ends_with(')')) return std::nullopt;
  text.remove_prefix(name.size());
  if (!text.starts_with('(')) return std::nullopt;
  return text.substr(1, text.size() - 2);
}

std::optional<int> digits_at(std::string_view text, std::size_t from, std::size_t size) {
  int value = 0;
  const char* begin = text.data() + from;
  const auto [end, error] = std::from_chars(begin, begin + size, value);
  if (error != std::errc() || end != begin + size || *begin == '-') return std::nullopt;
  return value;
}

// "2026-11-18T09:00:00", with or without seconds.
std::optional<base::LocalTime> read_local_time(std::string_view text) {
  using namespace std::chrono;
  const bool with_seconds = text.size() == 19;
  if (!with_seconds && text.size() != 16) return std::nullopt;
  if (text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':') return std::nullopt;
  if (with_seconds && text[16] != ':') return std::nullopt;
  const auto y = digits_at(text, 0, 4), m = digits_at(text, 5, 2), d = digits_at(text, 8, 2);
  const auto hour = digits_at(text, 11, 2), minute = digits_at(text, 14, 2);
  const auto second = with_seconds ? digits_at(text, 17, 2) : std::optional<int>(0);
  if (!y || !m || !d || !hour || !minute || !second) return std::nullopt;
  const year_month_day date{year(*y), month(static_cast<unsigned>(*m)), day(static_cast<unsigned>(*d))};
  if (!date.ok() || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
  return base::LocalTime(local_days(date).time_since_epoch() + hours(*hour) + minutes(*minute) + seconds(*second));
}

// "5 minutes".
std::optional<base::Duration> read_rate(std::string_view text) {
  struct Unit {
    std::string_view one, many;
    std::int64_t seconds;
  };
  constexpr std::array<Unit, 3> kUnits = {{{"minute", "minutes", 60}, {"hour", "hours", 3600}, {"day", "days", 86400}}};
  const std::size_t space = text.find(' ');
  if (space == text.npos || space == 0 || space > 7) return std::nullopt;
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + space, count);
  if (error != std::errc() || end != text.data() + space || count < 1 || count > kMaxRate) return std::nullopt;
  const std::string_view unit = text.substr(space + 1);
  for (const Unit& one : kUnits) {
    if (unit == one.one || unit == one.many) return std::chrono::seconds(count * one.seconds);
  }
  return std::nullopt;
}

std::optional<base::Time> next_of_rate(base::Duration every, base::Time anchor, base::Time after) {
  if (after < anchor) return anchor;
  return anchor + every * ((after - anchor) / every + 1);
}

}  // namespace

base::Result<Schedule> parse_schedule(std::string_view text) {
  if (const auto at = argument_of(text, "at")) {
    const auto time = read_local_time(*at);
    if (!time) return base::Error{"Invalid schedule at DateTime expression"};
    return Schedule(*time);
  }
  if (const auto cron = argument_of(text, "cron")) {
    auto parsed = parse_application_cron(*cron);
    if (!parsed) return base::Error{"Invalid CRON expression"};
    return Schedule(std::move(*parsed));
  }
  const auto rate = argument_of(text, "rate");
  const auto every = rate ? read_rate(*rate) : std::nullopt;
  if (!every) return base::Error{"Invalid schedule expression"};
  return Schedule(*every);
}

std::optional<base::Time> next_due(const Schedule& schedule, const base::TimeZone& zone, const ScheduleWindow& window,
                                   base::Time after) {
  // A due time that equals the start counts.
  if (window.start) after = std::max(after, *window.start - base::Duration(1));
  std::optional<base::Time> due;
  if (const auto* at = std::get_if<base::LocalTime>(&schedule)) {
    due = zone.to_utc(*at);
    if (due && *due <= after) due.reset();
  } else if (const auto* every = std::get_if<base::Duration>(&schedule)) {
    due = next_of_rate(*every, window.anchor, after);
  } else {
    due = next_after(std::get<Cron>(schedule), zone, after);
  }
  if (due && window.end && *due > *window.end) due.reset();
  return due;
}

}  // namespace autoscaler
