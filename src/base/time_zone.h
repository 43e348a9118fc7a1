// SPDX-License-Identifier: Apache-2.0
// Time zones of the IANA database, read from the compiled files (TZif, RFC 8536) of the operating system. The C
// library's own functions know only one zone per process.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace base {

using LocalTime = std::chrono::local_time<Duration>;

// The yearly rule after a file's last transition: "CET-1CEST,M3.5.0,M10.5.0/3".
struct ZoneRule {
  struct Change {
    enum class Kind { MonthWeekDay, JulianDay, Day };
    Kind kind = Kind::MonthWeekDay;
    int month = 0, week = 0, day = 0;
    std::int64_t second = 7200;  // of the day, in the time before the change
  };
  std::int64_t standard_s = 0, summer_s = 0;  // east of UTC
  std::optional<Change> to_summer = {}, to_standard = {};
};

class TimeZone {
 public:
  TimeZone() = default;  // UTC

  // nullopt for a name that the database does not have.
  static std::optional<TimeZone> load(std::string_view name);
  // nullopt for bytes that are not a TZif file.
  static std::optional<TimeZone> parse(std::string_view bytes);

  LocalTime to_local(Time time) const;
  // The earlier of two times where clocks were set back; nullopt for a time that was skipped.
  std::optional<Time> to_utc(LocalTime local) const;

 private:
  struct Transition {
    std::int64_t at_s = 0, offset_s = 0;
  };
  std::int64_t offset_s(std::int64_t utc_s) const;

  std::int64_t first_offset_s_ = 0;
  std::vector<Transition> transitions_;
  std::optional<ZoneRule> rule_;
};

}  // namespace base
