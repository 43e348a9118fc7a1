// SPDX-License-Identifier: Apache-2.0
// Cron expressions, in the two dialects of Amazon's scaling services, and when they are due.
#pragma once

#include <bitset>
#include <optional>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "base/time_zone.h"

namespace autoscaler {

inline constexpr int kFirstYear = 1970, kLastYear = 2199;

// A set of points in local time. Weekdays count from 0, Sunday.
struct Cron {
  std::bitset<60> seconds = 1, minutes;
  std::bitset<24> hours;
  std::bitset<32> days;    // of the month
  std::bitset<13> months;  // 1 to 12
  std::bitset<7> weekdays;
  std::bitset<kLastYear - kFirstYear + 1> years;

  // Days of the month that depend on the month.
  struct NearDay {
    int day = 0;  // 0: counted from the month's last day
    int before_last = 0;
    bool nearest_weekday = false;  // moves to the nearest day from Monday to Friday of the same month
  };
  std::vector<NearDay> near_days = {};
  struct WeekdayOfMonth {
    int weekday = 0;
    int which = 0;  // 1 to 5; 0: the last of the month
  };
  std::vector<WeekdayOfMonth> weekdays_of_month = {};
  // A day must match one field of the two, not both: groups' expressions that restrict both.
  bool either_day = false;
};

// Five fields of EC2 Auto Scaling: "0 6 * * 1-5". Days of the week are 0 to 7; 0 and 7 are Sunday.
std::optional<Cron> parse_group_cron(std::string_view text);
// What is inside of Application Auto Scaling's cron(): "0 6 ? * MON-FRI *". Six fields, seven with leading seconds, or
// five without the year; days of the week are 1 to 7, from Sunday; one of the day fields is "?".
std::optional<Cron> parse_application_cron(std::string_view text);

// The first time after `after`. A local time that is skipped when clocks are set forward does not occur, one that is
// repeated when they are set back occurs once. nullopt: never again.
std::optional<base::Time> next_after(const Cron& cron, const base::TimeZone& zone, base::Time after);

}  // namespace autoscaler
