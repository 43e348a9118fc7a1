// SPDX-License-Identifier: Apache-2.0
#include "base/time_zone.h"

#include <algorithm>
#include <array>
#include <system_error>

#include "base/file.h"

namespace base {
namespace {

constexpr char kFolder[] = "/usr/share/zoneinfo/";
constexpr std::size_t kMaxZoneFile = 256 * 1024;
constexpr std::size_t kHeaderSize = 44;
constexpr std::int64_t kDay = 86400;
constexpr std::int64_t kMaxOffset = 26 * 3600;

// Reads big-endian numbers. After a read beyond the end, `ok` is false and all values are 0.
struct Cursor {
  std::string_view bytes;
  bool ok = true;

  std::string_view take(std::size_t size) {
    if (size > bytes.size()) ok = false;
    if (!ok) return {};
    const std::string_view out = bytes.substr(0, size);
    bytes.remove_prefix(size);
    return out;
  }
  std::int64_t number(std::size_t size) {
    const std::string_view text = take(size);
    std::uint64_t value = !text.empty() && (text[0] & 0x80) ? ~std::uint64_t{0} : 0;
    for (const char c : text) value = value << 8 | static_cast<unsigned char>(c);
    return static_cast<std::int64_t>(value);
  }
};

struct ZoneHeader {
  char version = 0;
  std::size_t utc_flags = 0, standard_flags = 0, leaps = 0, transitions = 0, types = 0, names = 0;

  std::size_t data_size(std::size_t time_size) const {
    return transitions * (time_size + 1) + types * 6 + names + leaps * (time_size + 4) + standard_flags + utc_flags;
  }
};

std::optional<ZoneHeader> read_header(Cursor& cursor) {
  if (cursor.take(4) != "TZif") return std::nullopt;
  ZoneHeader header;
  const std::string_view version = cursor.take(1);
  cursor.take(15);
  std::array<std::size_t*, 6> counts = {&header.utc_flags,   &header.standard_flags, &header.leaps,
                                        &header.transitions, &header.types,          &header.names};
  for (std::size_t* count : counts) {
    const std::int64_t value = cursor.number(4);
    if (value < 0 || value > static_cast<std::int64_t>(kMaxZoneFile)) return std::nullopt;
    *count = static_cast<std::size_t>(value);
  }
  if (!cursor.ok || header.types == 0) return std::nullopt;
  header.version = version[0];
  return header;
}

// The rule's text, from left to right. A function that fails returns nullopt.
struct RuleText {
  std::string_view rest;

  bool skip(char c) {
    if (rest.empty() || rest.front() != c) return false;
    rest.remove_prefix(1);
    return true;
  }
  std::optional<std::int64_t> number(std::int64_t most) {
    std::int64_t value = 0;
    std::size_t digits = 0;
    while (digits < rest.size() && digits < 4 && rest[digits] >= '0' && rest[digits] <= '9') {
      value = value * 10 + (rest[digits++] - '0');
    }
    if (digits == 0 || value > most) return std::nullopt;
    rest.remove_prefix(digits);
    return value;
  }
  bool name() {
    if (skip('<')) {
      const std::size_t end = rest.find('>');
      if (end == rest.npos) return false;
      rest.remove_prefix(end + 1);
      return true;
    }
    std::size_t size = 0;
    while (size < rest.size() && ((rest[size] | 0x20) >= 'a' && (rest[size] | 0x20) <= 'z')) ++size;
    rest.remove_prefix(size);
    return size >= 3;
  }
  // [+-]hh[:mm[:ss]]
  std::optional<std::int64_t> seconds() {
    const bool negative = skip('-');
    if (!negative) skip('+');
    const auto hours = number(167);
    if (!hours) return std::nullopt;
    std::int64_t value = *hours * 3600;
    for (const std::int64_t unit : {60, 1}) {
      if (!skip(':')) break;
      const auto part = number(59);
      if (!part) return std::nullopt;
      value += *part * unit;
    }
    return negative ? -value : value;
  }
};

std::optional<ZoneRule::Change> read_change(RuleText& text) {
  using Kind = ZoneRule::Change::Kind;
  ZoneRule::Change change;
  if (text.skip('M')) {
    const auto month = text.number(12);
    if (!month || *month < 1 || !text.skip('.')) return std::nullopt;
    const auto week = text.number(5);
    if (!week || *week < 1 || !text.skip('.')) return std::nullopt;
    const auto day = text.number(6);
    if (!day) return std::nullopt;
    change.month = static_cast<int>(*month);
    change.week = static_cast<int>(*week);
    change.day = static_cast<int>(*day);
  } else {
    change.kind = text.skip('J') ? Kind::JulianDay : Kind::Day;
    const auto day = text.number(365);
    if (!day) return std::nullopt;
    change.day = static_cast<int>(*day);
  }
  if (text.skip('/')) {
    const auto second = text.seconds();
    if (!second) return std::nullopt;
    change.second = *second;
  }
  return change;
}

std::optional<ZoneRule> read_rule(std::string_view footer) {
  RuleText text{footer};
  ZoneRule rule;
  if (!text.name()) return std::nullopt;
  const auto standard = text.seconds();
  if (!standard) return std::nullopt;
  rule.standard_s = rule.summer_s = -*standard;
  if (text.rest.empty()) return rule;
  if (!text.name()) return std::nullopt;
  rule.summer_s = rule.standard_s + 3600;
  if (!text.rest.empty() && text.rest.front() != ',') {
    const auto summer = text.seconds();
    if (!summer) return std::nullopt;
    rule.summer_s = -*summer;
  }
  if (!text.skip(',')) return std::nullopt;
  rule.to_summer = read_change(text);
  if (!rule.to_summer || !text.skip(',')) return std::nullopt;
  rule.to_standard = read_change(text);
  if (!rule.to_standard || !text.rest.empty()) return std::nullopt;
  return rule;
}

// Seconds since the epoch at which the change happens, on a clock that shows the time before it.
std::int64_t change_in(const ZoneRule::Change& change, std::chrono::year year) {
  using namespace std::chrono;
  const auto epoch_day = [](sys_days day) { return static_cast<std::int64_t>(day.time_since_epoch().count()); };
  std::int64_t day = epoch_day(sys_days(year / January / 1));
  if (change.kind == ZoneRule::Change::Kind::MonthWeekDay) {
    const month in(static_cast<unsigned>(change.month));
    const weekday on(static_cast<unsigned>(change.day));
    day = change.week == 5 ? epoch_day(sys_days(year / in / on[last]))
                           : epoch_day(sys_days(year / in / on[static_cast<unsigned>(change.week)]));
  } else if (change.kind == ZoneRule::Change::Kind::JulianDay) {
    day += change.day - 1 + (year.is_leap() && change.day >= 60 ? 1 : 0);
  } else {
    day += change.day;
  }
  return day * kDay + change.second;
}

std::int64_t rule_offset(const ZoneRule& rule, std::int64_t utc_s) {
  using namespace std::chrono;
  if (!rule.to_summer || !rule.to_standard) return rule.standard_s;
  const sys_seconds local{seconds(utc_s + rule.standard_s)};
  const year in = year_month_day(floor<days>(local)).year();
  const std::int64_t summer = change_in(*rule.to_summer, in) - rule.standard_s;
  const std::int64_t standard = change_in(*rule.to_standard, in) - rule.summer_s;
  const bool is_summer = summer < standard ? summer <= utc_s && utc_s < standard : utc_s < standard || summer <= utc_s;
  return is_summer ? rule.summer_s : rule.standard_s;
}

bool is_zone_name(std::string_view name) {
  if (name.empty() || name.size() > 255 || name.front() == '/') return false;
  const bool clean = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '+' || c == '/';
  });
  // "posix" and "right" are whole copies of the database, the latter with leap seconds.
  return clean && !name.starts_with("right/") && !name.starts_with("posix/");
}

}  // namespace

std::optional<TimeZone> TimeZone::load(std::string_view name) {
  if (name == "UTC" || name == "Etc/UTC") return TimeZone();
  if (!is_zone_name(name)) return std::nullopt;
  try {
    const File file = File::open(kFolder + std::string(name));
    std::string bytes(std::min<std::uint64_t>(file.size(), kMaxZoneFile), '\0');
    bytes.resize(file.pread(bytes.data(), bytes.size(), 0));
    return parse(bytes);
  } catch (const std::system_error&) {
    return std::nullopt;
  }
}

std::optional<TimeZone> TimeZone::parse(std::string_view bytes) {
  Cursor cursor{bytes};
  auto header = read_header(cursor);
  if (!header) return std::nullopt;
  std::size_t time_size = 4;
  if (header->version >= '2') {
    // The data of version 1 comes first, for old readers.
    cursor.take(header->data_size(4));
    header = read_header(cursor);
    if (!header) return std::nullopt;
    time_size = 8;
  }
  if (header->data_size(time_size) > cursor.bytes.size()) return std::nullopt;
  TimeZone zone;
  zone.transitions_.resize(header->transitions);
  for (Transition& transition : zone.transitions_) transition.at_s = cursor.number(time_size);
  const std::string_view types = cursor.take(header->transitions);
  std::vector<std::int64_t> offsets(header->types);
  for (std::int64_t& offset : offsets) {
    offset = cursor.number(4);
    cursor.take(2);
    if (offset < -kMaxOffset || offset > kMaxOffset) return std::nullopt;
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    const auto type = static_cast<unsigned char>(types[i]);
    if (type >= offsets.size()) return std::nullopt;
    zone.transitions_[i].offset_s = offsets[type];
    if (i > 0 && zone.transitions_[i].at_s <= zone.transitions_[i - 1].at_s) return std::nullopt;
  }
  zone.first_offset_s_ = offsets.front();
  cursor.take(header->names + header->leaps * (time_size + 4) + header->standard_flags + header->utc_flags);
  if (time_size == 8 && cursor.take(1) == "\n") {
    const std::size_t end = cursor.bytes.find('\n');
    if (end != cursor.bytes.npos && end > 0) zone.rule_ = read_rule(cursor.bytes.substr(0, end));
  }
  if (!cursor.ok) return std::nullopt;
  return zone;
}

std::int64_t TimeZone::offset_s(std::int64_t utc_s) const {
  const auto after = std::upper_bound(transitions_.begin(), transitions_.end(), utc_s,
                                      [](std::int64_t at, const Transition& one) { return at < one.at_s; });
  if (after == transitions_.end() && rule_) return rule_offset(*rule_, utc_s);
  return after == transitions_.begin() ? first_offset_s_ : std::prev(after)->offset_s;
}

LocalTime TimeZone::to_local(Time time) const {
  const std::int64_t utc_s = std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
  return LocalTime(time.time_since_epoch() + std::chrono::seconds(offset_s(utc_s)));
}

std::optional<Time> TimeZone::to_utc(LocalTime local) const {
  const std::int64_t local_s = std::chrono::floor<std::chrono::seconds>(local).time_since_epoch().count();
  // Any offset that applies within a day of the time: one of them, or none, maps to this local time.
  std::optional<Time> earliest;
  for (const std::int64_t near : {local_s - kDay, local_s + kDay}) {
    const std::int64_t offset = offset_s(near);
    const Time time(local.time_since_epoch() - std::chrono::seconds(offset));
    if (to_local(time) == local && (!earliest || time < *earliest)) earliest = time;
  }
  return earliest;
}

}  // namespace base
