// SPDX-License-Identifier: Apache-2.0
#include "base/bytes.h"

#include <gtest/gtest.h>

namespace base {
namespace {

TEST(Hex, DecodesWhatItEncoded) {
  std::string bytes("\x00\x7f\xff", 3);
  EXPECT_EQ(to_hex(bytes), "007fff");
  EXPECT_EQ(from_hex("007FfF"), bytes);
  EXPECT_EQ(from_hex("0"), std::nullopt);
  EXPECT_EQ(from_hex("0g"), std::nullopt);
}

TEST(Base64, EncodesTheExamplesOfTheRfc) {
  EXPECT_EQ(to_base64(""), "");
  EXPECT_EQ(to_base64("f"), "Zg==");
  EXPECT_EQ(to_base64("fo"), "Zm8=");
  EXPECT_EQ(to_base64("foo"), "Zm9v");
  EXPECT_EQ(to_base64("foobar"), "Zm9vYmFy");
}

TEST(Base64, DecodesWhatItEncodedAndRejectsInvalidText) {
  for (std::string text : {"", "f", "fo", "foo", "foob"}) EXPECT_EQ(from_base64(to_base64(text)), text);
  EXPECT_EQ(from_base64("Zg="), std::nullopt);
  EXPECT_EQ(from_base64("Z"), std::nullopt);
  EXPECT_EQ(from_base64("Zg==Zg=="), std::nullopt);
  EXPECT_EQ(from_base64("Zm9\n"), std::nullopt);
  EXPECT_EQ(from_base64("===="), std::nullopt);
}

TEST(Percent, EncodesAsSigV4Requires) {
  EXPECT_EQ(percent_encode("a b/\xc3\xa9~"), "a%20b%2F%C3%A9~");
  EXPECT_EQ(percent_encode("a/b", true), "a/b");
}

TEST(Percent, RejectsAnInvalidEscape) {
  EXPECT_EQ(percent_decode("a%20b"), "a b");
  EXPECT_EQ(percent_decode("a+b"), "a+b");
  EXPECT_EQ(percent_decode("a+b", true), "a b");
  EXPECT_EQ(percent_decode("%4"), std::nullopt);
  EXPECT_EQ(percent_decode("%"), std::nullopt);
  EXPECT_EQ(percent_decode("%zz"), std::nullopt);
  EXPECT_EQ(percent_decode("%41"), "A");
}

TEST(Compare, IgnoresCaseButNotLength) {
  EXPECT_TRUE(equals_ignoring_case("Content-Type", "content-type"));
  EXPECT_FALSE(equals_ignoring_case("a", "ab"));
  EXPECT_TRUE(equals_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equals_in_constant_time("abc", "abd"));
  EXPECT_FALSE(equals_in_constant_time("abc", "abcd"));
}

}  // namespace
}  // namespace base
