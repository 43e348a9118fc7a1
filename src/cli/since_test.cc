// SPDX-License-Identifier: Apache-2.0
#include "cli/since.h"

#include <gtest/gtest.h>

namespace cli {
namespace {

TEST(Since, IsADurationATimeOrSeconds) {
  const base::Time now = base::from_seconds(1'000'000);
  EXPECT_EQ(*parse_since("90s", now), base::from_seconds(999'910));
  EXPECT_EQ(*parse_since("10m", now), base::from_seconds(999'400));
  EXPECT_EQ(*parse_since("2h", now), base::from_seconds(992'800));
  EXPECT_EQ(*parse_since("1h30m", now), base::from_seconds(994'600));
  EXPECT_EQ(*parse_since("1d", now), base::from_seconds(913'600));
  EXPECT_EQ(*parse_since("1970-01-01T00:01:00Z", now), base::from_seconds(60));
  EXPECT_EQ(*parse_since("60", now), base::from_seconds(60));
  for (const char* invalid : {"", "m", "10x", "-5m", "10mm", "1h30", "1h-5m", "yesterday", "99999999999999999999", "9999999999d"}) {
    EXPECT_FALSE(parse_since(invalid, now)) << invalid;
  }
}

}  // namespace
}  // namespace cli
