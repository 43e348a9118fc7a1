// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <gtest/gtest.h>

namespace base {
namespace {

TEST(Utf8, ReadsCharactersOfEveryLength) {
  const std::string text = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80";
  std::size_t at = 0;
  EXPECT_EQ(next_character(text, at), 'a');
  EXPECT_EQ(next_character(text, at), 0xe9);
  EXPECT_EQ(next_character(text, at), 0x20ac);
  EXPECT_EQ(next_character(text, at), 0x1f600);
  EXPECT_EQ(at, text.size());
  EXPECT_EQ(count_characters(text), 4u);
}

TEST(Utf8, RejectsInvalidBytes) {
  for (std::string text :
       {"\x80", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff", "\xe2\x82"}) {
    std::size_t at = 0;
    EXPECT_EQ(next_character(text, at), -1);
    EXPECT_EQ(at, 1u);
  }
}

TEST(Utf8, MakesAnythingPrintable) {
  EXPECT_EQ(to_printable("fine \xc3\xa9\n"), "fine \xc3\xa9\n");
  EXPECT_EQ(to_printable(std::string("a\0b", 3)),
            "a\xef\xbf\xbd"
            "b");
  EXPECT_EQ(to_printable("\xff\x01"), "\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(to_printable("\xef\xbf\xbf"), "\xef\xbf\xbd");
}

}  // namespace
}  // namespace base
