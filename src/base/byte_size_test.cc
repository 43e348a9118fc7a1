// SPDX-License-Identifier: Apache-2.0
#include "base/byte_size.h"

#include <gtest/gtest.h>

namespace base {
namespace {

TEST(ByteSize, HasUnitsOf1024) {
  EXPECT_EQ(parse_size("0"), 0u);
  EXPECT_EQ(parse_size("4096"), 4096u);
  EXPECT_EQ(parse_size("64M"), 64u << 20);
  EXPECT_EQ(parse_size("1T"), 1ull << 40);
  EXPECT_EQ(parse_size("500GiB"), 500ull << 30);
  for (const char* text : {"", "M", "-1", "1X", "1MB", "1Mi", "1iB", "1MiB ", "1 M", "99999999999999T", "18446744073709551616"}) {
    EXPECT_EQ(parse_size(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace base
