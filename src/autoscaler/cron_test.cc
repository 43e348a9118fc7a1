// SPDX-License-Identifier: Apache-2.0
#include "autoscaler/cron.h"

#include <gtest/gtest.h>

#include <string>

#include "autoscaler/schedule.h"

namespace autoscaler {
namespace {

using namespace std::chrono;

// "2026-11-18 09:00:00", in UTC. 2026-11-18 is a Wednesday.
base::Time at(int y, int m, int d, int hour = 0, int minute = 0, int second = 0) {
  return base::Time(sys_days(year(y) / m / d).time_since_epoch() + hours(hour) + minutes(minute) + seconds(second));
}
const base::Time kWednesday = at(2026, 11, 18, 9, 0);

base::TimeZone zone(const std::string& name) {
  const auto found = base::TimeZone::load(name);
  EXPECT_TRUE(found) << name;
  return found.value_or(base::TimeZone());
}
std::optional<base::Time> group_next(const std::string& text, base::Time after, const std::string& in = "UTC") {
  const auto cron = parse_group_cron(text);
  EXPECT_TRUE(cron) << text;
  return cron ? next_after(*cron, zone(in), after) : std::nullopt;
}
std::optional<base::Time> application_next(const std::string& text, base::Time after, const std::string& in = "UTC") {
  const auto cron = parse_application_cron(text);
  EXPECT_TRUE(cron) << text;
  return cron ? next_after(*cron, zone(in), after) : std::nullopt;
}

TEST(GroupCron, FindsTheNextTime) {
  EXPECT_EQ(group_next("0 9 * * *", kWednesday), at(2026, 11, 19, 9));
  EXPECT_EQ(group_next("30 0 1 1,6,12 *", kWednesday), at(2026, 12, 1, 0, 30));
  EXPECT_EQ(group_next("*/10 * * * *", kWednesday), at(2026, 11, 18, 9, 10));
  EXPECT_EQ(group_next("5/20 * * * *", kWednesday), at(2026, 11, 18, 9, 5));
  EXPECT_EQ(group_next("0 22 * * 0", kWednesday), at(2026, 11, 22, 22));
  EXPECT_EQ(group_next("0 22 * * 7", kWednesday), at(2026, 11, 22, 22));
  EXPECT_EQ(group_next("0 6 * * MON-FRI", at(2026, 11, 20, 7)), at(2026, 11, 23, 6));
  EXPECT_EQ(group_next("0 0 29 2 *", kWednesday), at(2028, 2, 29));
  EXPECT_EQ(group_next("0 0 31 12 *", at(2026, 12, 31, 0)), at(2027, 12, 31));
  EXPECT_EQ(group_next("0 0 30 2 *", kWednesday), std::nullopt);
}

TEST(GroupCron, ADayNeedsToMatchOneOfTwoRestrictedFields) {
  EXPECT_EQ(group_next("0 0 20 * 0", kWednesday), at(2026, 11, 20));
  EXPECT_EQ(group_next("0 0 20 * 0", at(2026, 11, 20)), at(2026, 11, 22));
}

TEST(GroupCron, RejectsOtherText) {
  for (const char* text : {"", "* * * *", "* * * * * *", "60 * * * *", "0 24 * * *", "0 0 0 * *", "0 0 1 13 *",
                           "0 0 * * 8", "0 0 ? * *", "0 0 L * *", "5-1 * * * *", "*/0 * * * *", "1,,2 * * * *",
                           "cron(0 0 * * *)", "-1 * * * *", "a * * * *", "1/2/3 * * * *", "@daily"}) {
    EXPECT_FALSE(parse_group_cron(text)) << text;
  }
}

TEST(ApplicationCron, FindsTheNextTime) {
  EXPECT_EQ(application_next("0 10 * * ? *", kWednesday), at(2026, 11, 18, 10));
  EXPECT_EQ(application_next("15 12 * * ? *", kWednesday), at(2026, 11, 18, 12, 15));
  EXPECT_EQ(application_next("0 18 ? * MON-FRI *", at(2026, 11, 20, 18)), at(2026, 11, 23, 18));
  EXPECT_EQ(application_next("0 8 1 * ? *", kWednesday), at(2026, 12, 1, 8));
  EXPECT_EQ(application_next("0/5 8-17 ? * 2-6 *", kWednesday), at(2026, 11, 18, 9, 5));
  EXPECT_EQ(application_next("0 9 ? * 4 *", kWednesday), at(2026, 11, 25, 9));  // 1 is Sunday
  EXPECT_EQ(application_next("0 9 ? * FRI-MON *", kWednesday), at(2026, 11, 20, 9));
  EXPECT_EQ(application_next("0 0 1 JAN ? 2028", kWednesday), at(2028, 1, 1));
  EXPECT_EQ(application_next("0 0 1 JAN ? 2025", kWednesday), std::nullopt);
  EXPECT_EQ(application_next("30 0 10 * * ? *", kWednesday), at(2026, 11, 18, 10, 0, 30));
  EXPECT_EQ(application_next("0 10 * * ?", kWednesday), at(2026, 11, 18, 10));
}

TEST(ApplicationCron, LastDaysNearestWeekdaysAndNumberedWeekdays) {
  EXPECT_EQ(application_next("0 0 L * ? *", kWednesday), at(2026, 11, 30));
  EXPECT_EQ(application_next("0 0 L-3 * ? *", kWednesday), at(2026, 11, 27));
  EXPECT_EQ(application_next("0 0 LW FEB ? *", kWednesday), at(2027, 2, 26));   // the 28th is a Sunday
  EXPECT_EQ(application_next("0 0 21W * ? *", kWednesday), at(2026, 11, 20));   // a Saturday
  EXPECT_EQ(application_next("0 0 22W * ? *", kWednesday), at(2026, 11, 23));   // a Sunday
  EXPECT_EQ(application_next("0 0 1W AUG ? 2026-2030", at(2026, 1, 1)), at(2026, 8, 3));  // the 1st is a Saturday
  EXPECT_EQ(application_next("0 0 ? * L *", kWednesday), at(2026, 11, 21));
  EXPECT_EQ(application_next("0 0 ? * 6L *", kWednesday), at(2026, 11, 27));
  EXPECT_EQ(application_next("0 0 ? * TUE#1 *", kWednesday), at(2026, 12, 1));
  EXPECT_EQ(application_next("0 0 ? * 3#5 *", kWednesday), at(2026, 12, 29));
}

TEST(ApplicationCron, RejectsOtherText) {
  for (const char* text : {"", "0 10 * * * *", "0 10 ? * ? *", "0 10 * * ? * * *", "0 10 * *", "0 10 32 * ? *",
                           "0 10 ? * 0 *", "0 10 ? * 8 *", "0 10 * * ? 1969", "0 10 * * ? 2200", "0 10 W * ? *",
                           "0 10 ? * 2#6 *", "0 10 ? * #1 *", "0 10 L31 * ? *", "0 10 * FOO ? *", "60 10 * * ? *"}) {
    EXPECT_FALSE(parse_application_cron(text)) << text;
  }
}

TEST(Cron, FollowsTheClocksOfATimeZone) {
  // Berlin is at UTC+2 until 2026-10-25 01:00 UTC.
  EXPECT_EQ(group_next("0 9 * * *", at(2026, 10, 24, 0), "Europe/Berlin"), at(2026, 10, 24, 7));
  EXPECT_EQ(group_next("0 9 * * *", at(2026, 10, 24, 7), "Europe/Berlin"), at(2026, 10, 25, 8));
  EXPECT_EQ(group_next("0 9 * * *", kWednesday, "America/New_York"), at(2026, 11, 18, 14));
  EXPECT_EQ(group_next("0 9 * * *", kWednesday, "Asia/Kolkata"), at(2026, 11, 19, 3, 30));
  // Far in the future only the rule at the end of the file applies.
  EXPECT_EQ(group_next("0 9 1 7 *", at(2090, 1, 1), "Europe/Berlin"), at(2090, 7, 1, 7));
  EXPECT_EQ(group_next("0 9 1 1 *", at(2090, 7, 1), "Europe/Berlin"), at(2091, 1, 1, 8));
  EXPECT_EQ(group_next("0 9 1 1 *", at(2090, 7, 1), "Australia/Sydney"), at(2090, 12, 31, 22));
}

TEST(Cron, ASkippedHourDoesNotOccurAndARepeatedOneOccursOnce) {
  EXPECT_EQ(group_next("30 2 * * *", at(2026, 3, 28, 12), "Europe/Berlin"), at(2026, 3, 30, 0, 30));
  const auto first = group_next("30 2 * * *", at(2026, 10, 24, 12), "Europe/Berlin");
  EXPECT_EQ(first, at(2026, 10, 25, 0, 30));
  EXPECT_EQ(group_next("30 2 * * *", *first, "Europe/Berlin"), at(2026, 10, 26, 1, 30));
}

TEST(Schedule, AtRateAndCron) {
  const ScheduleWindow window{.anchor = kWednesday};
  const auto due = [&](const std::string& text, base::Time after, const std::string& in = "UTC") {
    const auto schedule = parse_schedule(text);
    EXPECT_TRUE(schedule) << text;
    return schedule ? next_due(*schedule, zone(in), window, after) : std::nullopt;
  };
  EXPECT_EQ(due("at(2026-11-18T10:00:00)", kWednesday), at(2026, 11, 18, 10));
  EXPECT_EQ(due("at(2026-11-18T10:00:00)", kWednesday, "Europe/Berlin"), std::nullopt);  // is 09:00 UTC
  EXPECT_EQ(due("at(2026-11-18T11:00)", kWednesday, "Europe/Berlin"), at(2026, 11, 18, 10));
  EXPECT_EQ(due("rate(5 minutes)", kWednesday), at(2026, 11, 18, 9, 5));
  EXPECT_EQ(due("rate(1 hour)", at(2026, 11, 18, 11, 30)), at(2026, 11, 18, 12));
  EXPECT_EQ(due("rate(2 days)", kWednesday), at(2026, 11, 20, 9));
  EXPECT_EQ(due("cron(0 10 * * ? *)", kWednesday), at(2026, 11, 18, 10));
}

TEST(Schedule, StaysWithinItsWindow) {
  const Schedule daily = *parse_schedule("cron(0 10 * * ? *)"), often = *parse_schedule("rate(10 minutes)");
  const base::Time start = at(2026, 12, 1, 10), end = at(2026, 12, 2, 9);
  const ScheduleWindow window{.anchor = start, .start = start, .end = end};
  EXPECT_EQ(next_due(daily, {}, window, kWednesday), start);
  EXPECT_EQ(next_due(daily, {}, window, start), std::nullopt);
  EXPECT_EQ(next_due(often, {}, window, kWednesday), start);
  EXPECT_EQ(next_due(often, {}, window, start), start + minutes(10));
}

TEST(Schedule, RejectsOtherTextInAmazonsWords) {
  EXPECT_EQ(parse_schedule("every day").error(), "Invalid schedule expression");
  EXPECT_EQ(parse_schedule("rate(0 minutes)").error(), "Invalid schedule expression");
  EXPECT_EQ(parse_schedule("rate(5 weeks)").error(), "Invalid schedule expression");
  EXPECT_EQ(parse_schedule("at(2026-13-01T00:00:00)").error(), "Invalid schedule at DateTime expression");
  EXPECT_EQ(parse_schedule("at(2026-11-18T10:00:00Z)").error(), "Invalid schedule at DateTime expression");
  EXPECT_EQ(parse_schedule("cron(0 10 * * * *)").error(), "Invalid CRON expression");
}

TEST(TimeZones, AreNamesOfTheDatabaseAndNothingElse) {
  for (const char* name : {"", "Nowhere/City", "/etc/passwd", "../../../etc/passwd", "Europe", "right/UTC", "tzdata.zi"}) {
    EXPECT_FALSE(base::TimeZone::load(name)) << name;
  }
  EXPECT_TRUE(base::TimeZone::load("Pacific/Tahiti"));
  EXPECT_FALSE(base::TimeZone::parse("TZif2"));
}

}  // namespace
}  // namespace autoscaler
