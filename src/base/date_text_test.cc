// SPDX-License-Identifier: Apache-2.0
#include "base/date_text.h"

#include <gtest/gtest.h>

namespace base {
namespace {

TEST(DateText, IsInTheFormatOfHttp) {
  EXPECT_EQ(to_date_text(from_seconds(0)), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(to_date_text(from_seconds(784111777)), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(to_date_text(from_millis(1'709'210'096'789)), "Thu, 29 Feb 2024 12:34:56 GMT");
}

}  // namespace
}  // namespace base
