// SPDX-License-Identifier: Apache-2.0
#include "services/tags.h"

#include <gtest/gtest.h>

#include <string>

namespace services {
namespace {

std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(Tags, MayHaveLettersOfAnyScriptAndSomePunctuation) {
  EXPECT_EQ(find_tag_problems("team +-=._:/@", ""), TagProblems{});
  EXPECT_EQ(find_tag_problems("\xc3\xa9quipe", "\xe7\xb5\x84"), TagProblems{});
  for (const char* text : {"a*b", "a\nb", "a\tb", "a\\b", "\xff"}) {
    EXPECT_EQ(find_tag_problems(text, "v"), TagProblems{.key_characters = true}) << text;
    EXPECT_EQ(find_tag_problems("k", text), TagProblems{.value_characters = true}) << text;
  }
}

TEST(Tags, HaveALimitedLengthInUtf16CodeUnits) {
  EXPECT_EQ(find_tag_problems("", "v"), TagProblems{.empty_key = true});
  EXPECT_EQ(find_tag_problems(repeated("\xc3\xa9", 128), repeated("\xc3\xa9", 256)), TagProblems{});
  EXPECT_EQ(find_tag_problems(repeated("k", 129), "v"), TagProblems{.long_key = true});
  EXPECT_EQ(find_tag_problems("k", repeated("v", 257)), TagProblems{.long_value = true});
  EXPECT_EQ(find_tag_problems(repeated("\xf0\x9f\x98\x80", 64), ""), TagProblems{});
  EXPECT_EQ(find_tag_problems(repeated("\xf0\x9f\x98\x80", 65), ""), TagProblems{.long_key = true});
}

TEST(Tags, OfAmazonsOwnAreReservedInAnyCase) {
  EXPECT_TRUE(is_reserved_tag("aws:team"));
  EXPECT_TRUE(is_reserved_tag("AWS:team"));
  EXPECT_FALSE(is_reserved_tag("aws"));
  EXPECT_FALSE(is_reserved_tag("my-aws:"));
}

}  // namespace
}  // namespace services
