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

TEST(ByteSize, TextHasThreeDigitsAndRoundsDown) {
  EXPECT_EQ(size_text(0), "0 B");
  EXPECT_EQ(size_text(1023), "1023 B");
  EXPECT_EQ(size_text(1024), "1.0 KiB");
  EXPECT_EQ(size_text((1 << 20) - 1), "1023 KiB");
  EXPECT_EQ(size_text(99'900 * 1024), "97.5 MiB");
  EXPECT_EQ(size_text(412 << 20), "412 MiB");
  EXPECT_EQ(size_text(1'300'000'000), "1.2 GiB");
  EXPECT_EQ(size_text((1ull << 40) - 1), "1023 GiB");
  EXPECT_EQ(size_text(UINT64_MAX), "15.9 EiB");
}

}  // namespace
}  // namespace base
