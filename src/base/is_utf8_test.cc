// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/utf8.h"

namespace base {
namespace {

TEST(IsUtf8, AcceptsCharactersOfEveryLength) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"));
  EXPECT_TRUE(is_utf8("\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf"));  // around the surrogates, and the last one
}

TEST(IsUtf8, RejectsOverlongFormsSurrogatesAndIncompleteCharacters) {
  for (const std::string& text : std::vector<std::string>{"\x80", "\xc0\xaf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x8f\xbf\xbf",
                                 "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xe2\x82", "a\xe2\x28\xa1"}) {
    EXPECT_FALSE(is_utf8(text)) << text;
  }
}

}  // namespace
}  // namespace base
