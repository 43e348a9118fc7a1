// SPDX-License-Identifier: Apache-2.0
#include "autoscaler/cron.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string>

namespace autoscaler {
namespace {

using std::chrono::local_days;
using std::chrono::year_month_day;

constexpr std::size_t kMaxExpression = 1600;
constexpr std::array<std::string_view, 12> kMonths = {"JAN", "FEB", "MAR", "APR", "MAY", "JUN",
                                                      "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
constexpr std::array<std::string_view, 7> kWeekdays = {"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"};

// What a field may contain.
struct FieldRules {
  int least = 0, most = 0;
  std::span<const std::string_view> names = {};
  int first_name = 0;
  bool wraps = false;  // "FRI-MON"
};

std::vector<std::string_view> split_at(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> fields_of(std::string_view text) {
  std::vector<std::string_view> fields = split_at(text, ' ');
  std::erase_if(fields, [](std::string_view field) { return field.empty(); });
  return fields;
}

std::optional<int> plain_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || text[0] == '-') return std::nullopt;
  return value;
}

bool same_name(std::string_view text, std::string_view name) {
  return std::equal(text.begin(), text.end(), name.begin(), name.end(),
                    [](char a, char b) { return (a >= 'a' && a <= 'z' ? a - 'a' + 'A' : a) == b; });
}

std::optional<int> field_value(std::string_view text, const FieldRules& rules) {
  for (std::size_t i = 0; i < rules.names.size(); ++i) {
    if (same_name(text, rules.names[i])) return static_cast<int>(i) + rules.first_name;
  }
  const auto value = plain_number(text);
  if (!value || *value < rules.least || *value > rules.most) return std::nullopt;
  return value;
}

// The values of "5", "1-5", "*", "*/10", "5/10" or "1-20/5"; none for other text.
std::vector<int> range_values(std::string_view text, const FieldRules& rules) {
  const auto parts = split_at(text, '/');
  if (parts.size() > 2) return {};
  int step = 1;
  if (parts.size() == 2) {
    const auto number = plain_number(parts[1]);
    if (!number || *number < 1) return {};
    step = std::min(*number, kLastYear);
  }
  int from = rules.least, to = rules.most;
  if (parts[0] != "*") {
    const auto ends = split_at(parts[0], '-');
    const auto first = field_value(ends[0], rules);
    const auto last = ends.size() == 2 ? field_value(ends[1], rules) : first;
    if (!first || !last || ends.size() > 2) return {};
    from = *first;
    to = ends.size() == 1 && parts.size() == 2 ? rules.most : *last;
  }
  const int count = rules.most - rules.least + 1;
  if (to < from && !rules.wraps) return {};
  if (to < from) to += count;
  std::vector<int> values;
  for (int value = from; value <= to; value += step) values.push_back(value > rules.most ? value - count : value);
  return values;
}

// Sets the values of a list; `offset` is subtracted. False for an invalid one.
template <std::size_t Size>
bool read_field(std::string_view text, const FieldRules& rules, std::bitset<Size>& into, int offset = 0) {
  into.reset();
  for (const std::string_view part : split_at(text, ',')) {
    const auto values = range_values(part, rules);
    if (values.empty()) return false;
    for (const int value : values) into.set(static_cast<std::size_t>(value - offset));
  }
  return true;
}

bool is_any_day(std::string_view field) { return field.starts_with("*"); }

// "L", "LW", "L-3", "15W".
std::optional<Cron::NearDay> read_near_day(std::string_view text) {
  Cron::NearDay day;
  if (text.ends_with('W')) {
    day.nearest_weekday = true;
    text.remove_suffix(1);
  }
  if (text.starts_with('L')) {
    text.remove_prefix(1);
    if (text.empty()) return day;
    const auto before = text.starts_with('-') ? plain_number(text.substr(1)) : std::nullopt;
    if (!before || *before > 30) return std::nullopt;
    day.before_last = *before;
    return day;
  }
  const auto number = plain_number(text);
  if (!number || *number < 1 || *number > 31 || !day.nearest_weekday) return std::nullopt;
  day.day = *number;
  return day;
}

bool read_application_days(std::string_view text, Cron& cron) {
  const FieldRules rules{.least = 1, .most = 31, .wraps = true};
  for (const std::string_view part : split_at(text, ',')) {
    if (part.find_first_of("LW") != part.npos) {
      const auto day = read_near_day(part);
      if (!day) return false;
      cron.near_days.push_back(*day);
      continue;
    }
    std::bitset<32> days;
    if (!read_field(part, rules, days)) return false;
    cron.days |= days;
  }
  return true;
}

bool read_application_weekdays(std::string_view text, Cron& cron) {
  const FieldRules rules{.least = 1, .most = 7, .names = kWeekdays, .first_name = 1, .wraps = true};
  for (const std::string_view part : split_at(text, ',')) {
    const std::size_t hash = part.find('#');
    if (part == "L") {
      cron.weekdays.set(6);
    } else if (hash != part.npos) {
      const auto day = field_value(part.substr(0, hash), rules);
      const auto which = plain_number(part.substr(hash + 1));
      if (!day || !which || *which < 1 || *which > 5) return false;
      cron.weekdays_of_month.push_back({*day - 1, *which});
    } else if (part.size() > 1 && part.ends_with('L')) {
      const auto day = field_value(part.substr(0, part.size() - 1), rules);
      if (!day) return false;
      cron.weekdays_of_month.push_back({*day - 1, 0});
    } else {
      std::bitset<7> days;
      if (!read_field(part, rules, days, 1)) return false;
      cron.weekdays |= days;
    }
  }
  return true;
}

int day_in_month(const Cron::NearDay& near, local_days first, int last) {
  int day = near.day ? near.day : last - near.before_last;
  if (day < 1 || day > last) return 0;
  if (!near.nearest_weekday) return day;
  const std::chrono::weekday on(first + std::chrono::days(day - 1));
  if (on == std::chrono::Saturday) return day > 1 ? day - 1 : day + 2;
  if (on == std::chrono::Sunday) return day < last ? day + 1 : day - 2;
  return day;
}

bool matches_day(const Cron& cron, local_days date) {
  const year_month_day parts(date);
  const int day = static_cast<int>(static_cast<unsigned>(parts.day()));
  const auto end = std::chrono::year_month_day_last(parts.year(), std::chrono::month_day_last(parts.month()));
  const int last = static_cast<int>(static_cast<unsigned>(end.day()));
  const local_days first = date - std::chrono::days(day - 1);
  const int weekday = static_cast<int>(std::chrono::weekday(date).c_encoding());
  const bool by_day = cron.days.test(static_cast<std::size_t>(day)) ||
                      std::any_of(cron.near_days.begin(), cron.near_days.end(), [&](const Cron::NearDay& near) {
                        return day_in_month(near, first, last) == day;
                      });
  const bool by_weekday =
      cron.weekdays.test(static_cast<std::size_t>(weekday)) ||
      std::any_of(cron.weekdays_of_month.begin(), cron.weekdays_of_month.end(),
                  [&](const Cron::WeekdayOfMonth& one) {
                    return one.weekday == weekday &&
                           (one.which == 0 ? day + 7 > last : (day - 1) / 7 + 1 == one.which);
                  });
  return cron.either_day ? by_day || by_weekday : by_day && by_weekday;
}

// The first second of the day from `from` on that matches, or -1.
int second_of_day(const Cron& cron, int from) {
  for (int hour = from / 3600; hour < 24; ++hour) {
    if (!cron.hours.test(static_cast<std::size_t>(hour))) continue;
    for (int minute = 0; minute < 60; ++minute) {
      const int start = hour * 3600 + minute * 60;
      if (start + 59 < from || !cron.minutes.test(static_cast<std::size_t>(minute))) continue;
      for (int second = std::max(0, from - start); second < 60; ++second) {
        if (cron.seconds.test(static_cast<std::size_t>(second))) return start + second;
      }
    }
  }
  return -1;
}

// The first day from `date` on that matches; nullopt beyond the last year.
std::optional<local_days> next_day(const Cron& cron, local_days date) {
  while (true) {
    const year_month_day parts(date);
    const int year = static_cast<int>(parts.year());
    if (year > kLastYear) return std::nullopt;
    if (year < kFirstYear || !cron.years.test(static_cast<std::size_t>(year - kFirstYear))) {
      date = local_days(std::chrono::year(year + 1) / std::chrono::January / 1);
    } else if (!cron.months.test(static_cast<unsigned>(parts.month()))) {
      date = local_days((parts.year() / parts.month() + std::chrono::months(1)) / 1);
    } else if (!matches_day(cron, date)) {
      date += std::chrono::days(1);
    } else {
      return date;
    }
  }
}

}  // namespace

std::optional<Cron> parse_group_cron(std::string_view text) {
  if (text.size() > kMaxExpression) return std::nullopt;
  const auto fields = fields_of(text);
  if (fields.size() != 5) return std::nullopt;
  Cron cron;
  cron.years.set();
  std::bitset<8> weekdays;
  const bool valid = read_field(fields[0], {.least = 0, .most = 59}, cron.minutes) &&
                     read_field(fields[1], {.least = 0, .most = 23}, cron.hours) &&
                     read_field(fields[2], {.least = 1, .most = 31}, cron.days) &&
                     read_field(fields[3], {.least = 1, .most = 12, .names = kMonths, .first_name = 1}, cron.months) &&
                     read_field(fields[4], {.least = 0, .most = 7, .names = kWeekdays, .first_name = 0}, weekdays);
  if (!valid) return std::nullopt;
  for (std::size_t day = 0; day < 8; ++day) {
    if (weekdays.test(day)) cron.weekdays.set(day % 7);
  }
  cron.either_day = !is_any_day(fields[2]) && !is_any_day(fields[4]);
  return cron;
}

std::optional<Cron> parse_application_cron(std::string_view text) {
  if (text.size() > kMaxExpression) return std::nullopt;
  auto fields = fields_of(text);
  if (fields.size() < 5 || fields.size() > 7) return std::nullopt;
  Cron cron;
  cron.years.set();
  if (fields.size() == 7) {
    if (!read_field(fields[0], {.least = 0, .most = 59, .wraps = true}, cron.seconds)) return std::nullopt;
    fields.erase(fields.begin());
  }
  const bool any_day = fields[2] == "?", any_weekday = fields[4] == "?";
  if (any_day == any_weekday) return std::nullopt;
  const FieldRules months{.least = 1, .most = 12, .names = kMonths, .first_name = 1, .wraps = true};
  const bool valid = read_field(fields[0], {.least = 0, .most = 59, .wraps = true}, cron.minutes) &&
                     read_field(fields[1], {.least = 0, .most = 23, .wraps = true}, cron.hours) &&
                     read_field(fields[3], months, cron.months) &&
                     (any_day || read_application_days(fields[2], cron)) &&
                     (any_weekday || read_application_weekdays(fields[4], cron)) &&
                     (fields.size() == 5 ||
                      read_field(fields[5], {.least = kFirstYear, .most = kLastYear}, cron.years, kFirstYear));
  if (!valid) return std::nullopt;
  if (any_day) cron.days.set();
  if (any_weekday) cron.weekdays.set();
  return cron;
}

std::optional<base::Time> next_after(const Cron& cron, const base::TimeZone& zone, base::Time after) {
  using std::chrono::seconds;
  auto from = std::chrono::floor<seconds>(zone.to_local(after)) + seconds(1);
  while (true) {
    const auto start = std::chrono::floor<std::chrono::days>(from);
    const auto day = next_day(cron, start);
    if (!day) return std::nullopt;
    const int earliest = *day == start ? static_cast<int>((from - start).count()) : 0;
    const int second = second_of_day(cron, earliest);
    if (second < 0) {
      from = *day + std::chrono::days(1);
      continue;
    }
    const auto local = *day + seconds(second);
    const auto time = zone.to_utc(base::LocalTime(local.time_since_epoch()));
    // In the repeated hour the first of two equal local times may be before `after`.
    if (time && *time > after) return time;
    from = local + seconds(1);
  }
}

}  // namespace autoscaler
