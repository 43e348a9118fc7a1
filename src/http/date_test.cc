// SPDX-License-Identifier: Apache-2.0
#include "http/date.h"

#include <gtest/gtest.h>

namespace http {
namespace {

TEST(Date, IsWrittenAsHttpWantsIt) {
  EXPECT_EQ(to_date(base::from_seconds(0)), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(to_date(base::from_seconds(784111777)), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(to_date(base::from_millis(1'709'210'096'789)), "Thu, 29 Feb 2024 12:34:56 GMT");
}

TEST(Date, OfNowIsBetweenWhatTheClockSaidBeforeAndSaysAfter) {
  const base::Time before = base::SystemClock().now();
  const std::string shown(current_date());
  const base::Time after = base::SystemClock().now();
  bool found = false;
  for (std::int64_t s = base::to_seconds(before); s <= base::to_seconds(after); ++s) {
    found = found || shown == to_date(base::from_seconds(s));
  }
  EXPECT_TRUE(found) << shown;
}

}  // namespace
}  // namespace http
