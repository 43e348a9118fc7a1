// SPDX-License-Identifier: Apache-2.0
#include "wire/timestamp.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cmath>

#include "base/date_text.h"

namespace wire {
namespace {

constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
constexpr std::string_view kDays = "SunMonTueWedThuFriSat";
constexpr double kMaxSeconds = 253402300800.0;  // year 10000
constexpr double kMinSeconds = -62167219200.0;  // year 0

struct Parts {
  std::chrono::year_month_day date;
  std::chrono::hh_mm_ss<base::Duration> time;
};

Parts split(base::Time time) {
  auto day = std::chrono::floor<std::chrono::days>(time);
  return {std::chrono::year_month_day(day), std::chrono::hh_mm_ss<base::Duration>(time - day)};
}

struct Clock {
  int hour, minute, second, millis;
};

// Reads a timestamp part by part; after a missing part all later ones fail.
class TimeReader {
 public:
  explicit TimeReader(std::string_view text) : rest_(text) {}

  int digits(std::size_t count) {
    int value = 0;
    if (rest_.size() < count) return fail();
    auto [end, error] = std::from_chars(rest_.data(), rest_.data() + count, value);
    if (error != std::errc() || end != rest_.data() + count || rest_[0] == '-') return fail();
    rest_.remove_prefix(count);
    return value;
  }
  void expect(std::string_view what) {
    if (!accept(what)) fail();
  }
  bool accept(std::string_view what) {
    if (!rest_.starts_with(what)) return false;
    rest_.remove_prefix(what.size());
    return true;
  }
  // The number, from 1, of the three-letter name that is next.
  int name(std::string_view names) {
    std::size_t at = rest_.size() < 3 ? names.npos : names.find(rest_.substr(0, 3));
    if (at == names.npos || at % 3) return fail();
    rest_.remove_prefix(3);
    return static_cast<int>(at / 3 + 1);
  }
  // An optional ".52", as milliseconds
  int fraction() {
    if (!accept(".")) return 0;
    int millis = 0, scale = 100, count = 0;
    for (; !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9'; rest_.remove_prefix(1), ++count, scale /= 10) {
      millis += (rest_[0] - '0') * scale;
    }
    if (!count) fail();
    return millis;
  }
  // "Z", "+01:00", "-0500"
  std::chrono::minutes offset() {
    if (accept("Z") || accept("z")) return {};
    int sign = accept("+") ? 1 : -1;
    if (sign < 0) expect("-");
    int hours = digits(2);
    accept(":");
    int minutes = digits(2);
    if (hours > 23 || minutes > 59) fail();
    return std::chrono::minutes(sign * (hours * 60 + minutes));
  }
  // "08:49:37"
  Clock clock() {
    Clock read{};
    read.hour = digits(2);
    expect(":");
    read.minute = digits(2);
    expect(":");
    read.second = digits(2);
    return read;
  }
  bool done() const { return ok_ && rest_.empty(); }

 private:
  int fail() {
    ok_ = false;
    rest_ = {};
    return 0;
  }

  std::string_view rest_;
  bool ok_ = true;
};

std::optional<base::Time> join(int year, int month, int day, const Clock& clock) {
  std::chrono::year_month_day date(std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                   std::chrono::day(static_cast<unsigned>(day)));
  if (!date.ok() || clock.hour > 23 || clock.minute > 59 || clock.second > 60) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(clock.hour) + std::chrono::minutes(clock.minute) +
         std::chrono::seconds(clock.second) + base::Duration(clock.millis);
}

// HTTP's two obsolete formats, which servers must accept (RFC 9110 5.6.7).
// "Sun Nov  6 08:49:37 1994", from the month on
std::optional<base::Time> rest_of_asctime(TimeReader& in) {
  const int month = in.name(kMonths);
  in.expect(" ");
  const int day = in.digits(in.accept(" ") ? 1 : 2);
  in.expect(" ");
  const Clock clock = in.clock();
  in.expect(" ");
  const int year = in.digits(4);
  return in.done() ? join(year, month, day, clock) : std::nullopt;
}

// "Sunday, 06-Nov-94 08:49:37 GMT", after "Sun"
std::optional<base::Time> rest_of_rfc850(TimeReader& in) {
  for (std::string_view rest : {"day, ", "sday, ", "nesday, ", "rsday, ", "urday, "}) {
    if (!in.accept(rest)) continue;
    const int day = in.digits(2);
    in.expect("-");
    const int month = in.name(kMonths);
    in.expect("-");
    const int year = in.digits(2);
    in.expect(" ");
    const Clock clock = in.clock();
    in.expect(" GMT");
    return in.done() ? join(year < 70 ? 2000 + year : 1900 + year, month, day, clock) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::string to_iso8601(base::Time time, bool always_millis) {
  Parts p = split(time);
  std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(p.date.year()),
                                 static_cast<unsigned>(p.date.month()), static_cast<unsigned>(p.date.day()),
                                 p.time.hours().count(), p.time.minutes().count(), p.time.seconds().count());
  auto millis = p.time.subseconds().count();
  if (always_millis || millis) text += fmt::format(".{:03}", millis);
  return text + "Z";
}

std::string to_rfc822(base::Time time) { return base::to_date_text(time); }

void append_epoch(std::string& out, base::Time time) {
  std::int64_t millis = base::to_millis(time);
  auto absolute = millis < 0 ? 0 - static_cast<std::uint64_t>(millis) : static_cast<std::uint64_t>(millis);
  char buffer[32];
  char* at = buffer;
  if (millis < 0) *at++ = '-';
  at = std::to_chars(at, buffer + sizeof buffer, absolute / 1000).ptr;
  if (auto part = absolute % 1000) {
    *at++ = '.';
    for (unsigned scale = 100; part; scale /= 10) {
      *at++ = static_cast<char>('0' + part / scale);
      part %= scale;
    }
  }
  out.append(buffer, at);
}

std::optional<base::Time> from_iso8601(std::string_view text) {
  TimeReader in(text);
  int year = in.digits(4);
  in.expect("-");
  int month = in.digits(2);
  in.expect("-");
  int day = in.digits(2);
  Clock clock{};
  std::chrono::minutes offset{};
  if (!in.done()) {
    if (!in.accept("T") && !in.accept("t")) in.expect(" ");
    clock = in.clock();
    clock.millis = in.fraction();
    // Some clients leave out the zone and mean UTC.
    if (!in.done()) offset = in.offset();
  }
  if (!in.done()) return std::nullopt;
  auto local = join(year, month, day, clock);
  return local ? std::optional(*local - offset) : std::nullopt;
}

std::optional<base::Time> from_rfc822(std::string_view text) {
  TimeReader in(text);
  in.name(kDays);
  if (in.accept(" ")) return rest_of_asctime(in);
  if (!in.accept(", ")) return rest_of_rfc850(in);
  int day = in.digits(2);
  in.expect(" ");
  int month = in.name(kMonths);
  in.expect(" ");
  int year = in.digits(4);
  in.expect(" ");
  Clock clock = in.clock();
  clock.millis = in.fraction();
  in.expect(" ");
  if (!in.accept("GMT") && !in.accept("UTC")) {
    auto offset = in.offset();
    if (!in.done()) return std::nullopt;
    auto local = join(year, month, day, clock);
    return local ? std::optional(*local - offset) : std::nullopt;
  }
  return in.done() ? join(year, month, day, clock) : std::nullopt;
}

std::optional<base::Time> from_epoch(double seconds) {
  if (!(seconds >= kMinSeconds && seconds < kMaxSeconds)) return std::nullopt;
  return base::from_millis(std::llround(seconds * 1000));
}

std::optional<base::Time> from_epoch(std::string_view text) {
  double seconds = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return from_epoch(seconds);
}

}  // namespace wire
