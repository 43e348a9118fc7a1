// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdint>

#include "services/logs/insights/functions.h"

namespace services::logs::insights {
namespace {

using Arguments = std::vector<Value>;
using namespace std::chrono;

constexpr double kLastTime = 2.5e14;  // milliseconds; years with four digits end before

std::optional<std::int64_t> millis_of(const Value& value) {
  const auto number = value.as_number();
  if (!number || std::abs(*number) > kLastTime) return std::nullopt;
  return static_cast<std::int64_t>(std::floor(*number));
}

sys_days month_start(std::int64_t months) {  // since January of year 0
  return sys_days{year{static_cast<int>(months / 12)} / month{static_cast<unsigned>(months % 12 + 1)} / 1};
}

// The start of the period that contains the time, or with `ceiling` of the first one not before it.
Value boundary(const Expression& call, const Arguments& arguments, bool ceiling) {
  const auto millis = millis_of(arguments[0]);
  if (!millis || (arguments.size() > 1 && arguments[1].is_null())) return {};
  if (call.period_months > 0) {
    const sys_time<milliseconds> time{milliseconds{*millis}};
    const year_month_day date{floor<days>(time)};
    std::int64_t months = static_cast<int>(date.year()) * 12 + static_cast<int>(static_cast<unsigned>(date.month())) - 1;
    months -= months % call.period_months;
    if (ceiling && month_start(months) < time) months += call.period_months;
    return Value::time(static_cast<double>(sys_time<milliseconds>(month_start(months)).time_since_epoch().count()));
  }
  const double at = static_cast<double>(*millis), period = call.period_ms;
  return Value::time((ceiling ? std::ceil(at / period) : std::floor(at / period)) * period);
}

Value date_floor(const Expression& call, const Arguments& arguments) { return boundary(call, arguments, false); }
Value date_ceil(const Expression& call, const Arguments& arguments) { return boundary(call, arguments, true); }

Value from_millis(const Expression&, const Arguments& arguments) {
  const auto number = arguments[0].as_number();
  return number ? Value::time(*number) : Value::null();
}
Value to_millis(const Expression&, const Arguments& arguments) {
  const auto number = arguments[0].as_number();
  return number ? Value::of(*number) : Value::null();
}

// The letters of Java's date formats: a run of one letter, or other text.
struct FormatPart {
  char letter = 0;
  std::size_t count = 0;
  std::string text = {};
};

std::vector<FormatPart> split_format(std::string_view format) {
  std::vector<FormatPart> parts;
  for (std::size_t i = 0; i < format.size();) {
    const char c = format[i];
    if (c == '\'') {
      const std::size_t end = std::min(format.find('\'', i + 1), format.size());
      parts.push_back({.text = end == i + 1 ? "'" : std::string(format.substr(i + 1, end - i - 1))});
      i = end + 1;
    } else if (std::isalpha(static_cast<unsigned char>(c))) {
      std::size_t end = i;
      while (end < format.size() && format[end] == c) ++end;
      parts.push_back({.letter = c, .count = end - i});
      i = end;
    } else {
      parts.push_back({.text = std::string(1, c)});
      ++i;
    }
  }
  return parts;
}

constexpr std::string_view kMonths[] = {"January", "February", "March", "April", "May", "June",
                                        "July", "August", "September", "October", "November", "December"};
constexpr std::string_view kDays[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};

struct DateFields {
  int year = 1970;
  unsigned month = 1, day = 1;
  std::int64_t hour = 0, minute = 0, second = 0, millisecond = 0;
  bool afternoon = false, twelve_hours = false;
  std::int64_t offset_minutes = 0;
};

std::optional<std::string> format_part(const FormatPart& part, const DateFields& d, unsigned weekday) {
  const auto padded = [&](std::int64_t value) { return fmt::format("{:0{}}", value, part.count); };
  switch (part.letter) {
    case 0: return part.text;
    case 'y': return part.count == 2 ? fmt::format("{:02}", d.year % 100) : padded(d.year);
    case 'M':
      if (part.count >= 3) return std::string(kMonths[d.month - 1].substr(0, part.count == 3 ? 3 : 20));
      return padded(d.month);
    case 'd': return padded(d.day);
    case 'H': return padded(d.hour);
    case 'h': return padded(d.hour % 12 == 0 ? 12 : d.hour % 12);
    case 'm': return padded(d.minute);
    case 's': return padded(d.second);
    case 'S': return fmt::format("{:03}", d.millisecond).substr(0, part.count);
    case 'a': return d.hour < 12 ? "AM" : "PM";
    case 'E': return std::string(kDays[weekday].substr(0, part.count <= 3 ? 3 : 20));
    case 'X': return "Z";
    case 'Z': return "+0000";
    case 'z': return "UTC";
    default: return std::nullopt;
  }
}

Value format_date(const Expression&, const Arguments& arguments) {
  const auto millis = millis_of(arguments[0]);
  if (!millis) return {};
  const sys_time<milliseconds> time{milliseconds{*millis}};
  const auto day = floor<days>(time);
  const year_month_day date{day};
  const hh_mm_ss clock{time - day};
  const DateFields fields{.year = static_cast<int>(date.year()),
                          .month = static_cast<unsigned>(date.month()),
                          .day = static_cast<unsigned>(date.day()),
                          .hour = clock.hours().count(),
                          .minute = clock.minutes().count(),
                          .second = clock.seconds().count(),
                          .millisecond = clock.subseconds().count()};
  std::string out;
  for (const FormatPart& part : split_format(arguments[1].as_text())) {
    const auto text = format_part(part, fields, weekday{day}.c_encoding());
    if (!text) return {};
    out += *text;
  }
  return Value::of(out);
}

class DateReader {
 public:
  explicit DateReader(std::string_view text) : text_(text) {}

  bool read(const FormatPart& part) {
    switch (part.letter) {
      case 0: return skip(part.text);
      case 'y': return number(fields_.year, part.count == 2 ? 2 : 4) && (part.count != 2 || (fields_.year += 2000));
      case 'M': return part.count >= 3 ? month_name() : number(fields_.month, 2);
      case 'd': return number(fields_.day, 2);
      case 'h': fields_.twelve_hours = true; [[fallthrough]];
      case 'H': return number(fields_.hour, 2);
      case 'm': return number(fields_.minute, 2);
      case 's': return number(fields_.second, 2);
      case 'S': return fraction(part.count);
      case 'a': return half_day();
      case 'X': case 'Z': case 'z': return zone();
      default: return false;
    }
  }
  bool at_end() const { return text_.empty(); }

  std::optional<double> millis() const {
    const year_month_day date = year{fields_.year} / month{fields_.month} / day{fields_.day};
    if (!date.ok() || fields_.hour > 23 || fields_.minute > 59 || fields_.second > 59) return std::nullopt;
    std::int64_t hour = fields_.hour;
    if (fields_.twelve_hours) hour = hour % 12 + (fields_.afternoon ? 12 : 0);
    const auto seconds = sys_seconds{sys_days{date}}.time_since_epoch().count() + hour * 3600 + fields_.minute * 60 +
                         fields_.second - fields_.offset_minutes * 60;
    return static_cast<double>(seconds * 1000 + fields_.millisecond);
  }

 private:
  bool skip(std::string_view text) {
    if (!text_.starts_with(text)) return false;
    text_.remove_prefix(text.size());
    return true;
  }
  template <class T>
  bool number(T& out, std::size_t most) {
    std::size_t count = 0;
    T value = 0;
    while (count < most && count < text_.size() && text_[count] >= '0' && text_[count] <= '9') {
      value = value * 10 + static_cast<T>(text_[count++] - '0');
    }
    text_.remove_prefix(count);
    out = value;
    return count > 0;
  }
  bool fraction(std::size_t count) {
    std::string digits(text_.substr(0, count));
    if (digits.size() < count || digits.find_first_not_of("0123456789") != std::string::npos) return false;
    text_.remove_prefix(count);
    digits.resize(3, '0');
    fields_.millisecond = std::stoi(digits);
    return true;
  }
  bool month_name() {
    for (unsigned i = 0; i < 12; ++i) {
      if (skip(kMonths[i]) || skip(kMonths[i].substr(0, 3))) {
        fields_.month = i + 1;
        return true;
      }
    }
    return false;
  }
  bool half_day() {
    if (skip("AM")) return true;
    return fields_.afternoon = skip("PM");
  }
  bool zone() {
    if (skip("UTC") || skip("GMT") || skip("Z")) return true;
    const bool west = text_.starts_with('-');
    if (!west && !text_.starts_with('+')) return false;
    text_.remove_prefix(1);
    std::int64_t hours = 0, minutes = 0;
    if (!number(hours, 2)) return false;
    skip(":");
    number(minutes, 2);
    fields_.offset_minutes = (hours * 60 + minutes) * (west ? -1 : 1);
    return true;
  }

  std::string_view text_;
  DateFields fields_;
};

Value parse_date(const Expression&, const Arguments& arguments) {
  if (arguments[0].is_null()) return {};
  const std::string text = arguments[0].as_text();
  DateReader reader(text);
  for (const FormatPart& part : split_format(arguments[1].as_text())) {
    if (!reader.read(part)) return {};
  }
  const auto millis = reader.at_end() ? reader.millis() : std::nullopt;
  return millis ? Value::time(*millis) : Value::null();
}

}  // namespace

const std::vector<FunctionRow>& time_functions() {
  static const std::vector<FunctionRow> rows = {
      // The parser adds the first argument of bin, and turns the period of all three into members of the call.
      {"bin", 1, 1, &date_floor},
      {"datefloor", 1, 1, &date_floor},
      {"dateceil", 1, 1, &date_ceil},
      {"frommillis", 1, 1, &from_millis},
      {"tomillis", 1, 1, &to_millis},
      {"parsedate", 2, 2, &parse_date},
      {"formatdate", 2, 2, &format_date},
  };
  return rows;
}

}  // namespace services::logs::insights
