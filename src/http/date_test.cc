// SPDX-License-Identifier: Apache-2.0
#include "http/date.h"

#include <gtest/gtest.h>

#include "base/date_text.h"

namespace http {
namespace {

TEST(Date, LiesBetweenTheClockBeforeAndAfter) {
  const base::Time before = base::SystemClock().now();
  const std::string shown(current_date());
  const base::Time after = base::SystemClock().now();
  bool found = false;
  for (std::int64_t s = base::to_seconds(before); s <= base::to_seconds(after); ++s) {
    found = found || shown == base::to_date_text(base::from_seconds(s));
  }
  EXPECT_TRUE(found) << shown;
}

}  // namespace
}  // namespace http
