// SPDX-License-Identifier: Apache-2.0
#include "wire/timestamp.h"

#include <gtest/gtest.h>

namespace wire {
namespace {

constexpr base::Time kTime = base::from_millis(1793871010000);

std::string epoch(base::Time time) {
  std::string out;
  append_epoch(out, time);
  return out;
}

TEST(Timestamp, WritesThreeFormats) {
  EXPECT_EQ(to_iso8601(kTime), "2026-11-05T09:30:10Z");
  EXPECT_EQ(to_iso8601(kTime, true), "2026-11-05T09:30:10.000Z");
  EXPECT_EQ(to_iso8601(kTime + base::Duration(7)), "2026-11-05T09:30:10.007Z");
  EXPECT_EQ(to_rfc822(kTime), "Thu, 05 Nov 2026 09:30:10 GMT");
  EXPECT_EQ(epoch(kTime), "1793871010");
  EXPECT_EQ(epoch(kTime + base::Duration(50)), "1793871010.05");
  EXPECT_EQ(epoch(base::from_millis(-1500)), "-1.5");
  EXPECT_EQ(to_iso8601(base::from_millis(-1)), "1969-12-31T23:59:59.999Z");
}

TEST(Timestamp, ReadsIsoWithFractionsAndZones) {
  EXPECT_EQ(from_iso8601("2026-11-05T09:30:10Z"), kTime);
  EXPECT_EQ(from_iso8601("2026-11-05T10:30:10+01:00"), kTime);
  EXPECT_EQ(from_iso8601("2026-11-05T04:00:10-0530"), kTime);
  EXPECT_EQ(from_iso8601("2026-11-05T09:30:10"), kTime);
  EXPECT_EQ(from_iso8601("2026-11-05T09:30:10.123456Z"), kTime + base::Duration(123));
  EXPECT_EQ(from_iso8601("2026-11-05"), base::from_millis(1793836800000));
  for (const char* text :
       {"", "2026", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-11-05T24:00:00Z", "2026-11-05T09:30:10.Z",
        "2026-11-05T09:30:10Zx", "-026-11-05T09:30:10Z", "2026-11-05T09:30:10+99:00"}) {
    EXPECT_FALSE(from_iso8601(text)) << text;
  }
}

TEST(Timestamp, ReadsHttpDates) {
  EXPECT_EQ(from_rfc822("Thu, 05 Nov 2026 09:30:10 GMT"), kTime);
  EXPECT_EQ(from_rfc822("Thu, 05 Nov 2026 09:30:10.5 GMT"), kTime + base::Duration(500));
  EXPECT_EQ(from_rfc822("Thu, 05 Nov 2026 10:30:10 +0100"), kTime);
  EXPECT_FALSE(from_rfc822("Thu, 5 Nov 2026"));
  EXPECT_FALSE(from_rfc822("Thu, 05 Xxx 2026 09:30:10 GMT"));
}

TEST(Timestamp, ReadsObsoleteHttpDates) {
  const base::Time then = base::from_seconds(784111777);
  EXPECT_EQ(from_rfc822("Sunday, 06-Nov-94 08:49:37 GMT"), then);
  EXPECT_EQ(from_rfc822("Sun Nov  6 08:49:37 1994"), then);
  EXPECT_EQ(from_rfc822("Thursday, 05-Nov-26 09:30:10 GMT"), kTime);
  EXPECT_EQ(from_rfc822("Thu Nov 05 09:30:10 2026"), kTime);
  for (const char* bad :
       {"Sunday, 06-Nov-1994 08:49:37 GMT", "Sundae, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37",
        "Sun Nov 6 08:49:37 1994", "Sunday, 06-Nov-94 08:49:37", "Sun", "Sun, ", "Sun ", "Sun Nov 31 08:49:37 1994"}) {
    EXPECT_FALSE(from_rfc822(bad)) << bad;
  }
}

TEST(Timestamp, ReadsEpochSecondsOfYearsWithFourDigits) {
  EXPECT_EQ(from_epoch("1793871010.25"), kTime + base::Duration(250));
  EXPECT_FALSE(from_epoch("1e30"));
  EXPECT_FALSE(from_epoch("nan"));
  EXPECT_FALSE(from_epoch("12x"));
  EXPECT_FALSE(from_epoch(253402300800.0));
}

}  // namespace
}  // namespace wire
