// SPDX-License-Identifier: Apache-2.0
#include "base/duration.h"

#include <gtest/gtest.h>

namespace base {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Duration, IsWrittenInItsTwoLargestUnits) {
  EXPECT_EQ(duration_text(milliseconds(0)), "0 s");
  EXPECT_EQ(duration_text(milliseconds(999)), "999 ms");
  EXPECT_EQ(duration_text(milliseconds(1999)), "1 s");
  EXPECT_EQ(duration_text(seconds(12)), "12 s");
  EXPECT_EQ(duration_text(seconds(60)), "1 min");
  EXPECT_EQ(duration_text(seconds(90)), "1 min 30 s");
  EXPECT_EQ(duration_text(seconds(3 * 86400 + 4 * 3600 + 5 * 60)), "3 d 4 h");
  EXPECT_EQ(duration_text(seconds(86400 + 59)), "1 d 59 s");
  EXPECT_EQ(duration_text(seconds(-5)), "0 s");
}

TEST(Duration, IsReadAsANumberWithItsUnit) {
  EXPECT_EQ(parse_duration("20ms"), milliseconds(20));
  EXPECT_EQ(parse_duration("90s"), seconds(90));
  EXPECT_EQ(parse_duration("65m"), seconds(3900));
  EXPECT_EQ(parse_duration("2h"), seconds(7200));
  EXPECT_EQ(parse_duration("1d"), seconds(86400));
  EXPECT_EQ(parse_duration("0s"), seconds(0));
}

TEST(Duration, RejectsInvalidText) {
  for (const char* text : {"", "65", "m", "-5s", "5 s", "5us", "1h30m", "99999999999999999999s", "9999999d"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

}  // namespace
}  // namespace base
