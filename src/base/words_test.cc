// SPDX-License-Identifier: Apache-2.0
#include "base/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace base {
namespace {

using testing::ElementsAre, testing::IsEmpty;

TEST(Words, AreSplitLikeAShellDoes) {
  EXPECT_THAT(split_words(R"( a  'b c' d\ e "f \" g"h '')"), ElementsAre("a", "b c", "d e", "f \" gh", ""));
  EXPECT_THAT(split_words("  "), IsEmpty());
}

TEST(Words, AreQuotedWhereAShellNeedsIt) {
  EXPECT_EQ(shell_word("--name=a/b.c"), "--name=a/b.c");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("it's $(here)"), R"('it'\''s $(here)')");
  EXPECT_EQ(shell_quoted("plain"), "'plain'");
}

TEST(Words, SurviveQuotingAndSplitting) {
  const std::string odd = "a 'b' \"c\" \\ $d\n;*";
  EXPECT_THAT(split_words(shell_quoted(odd) + " " + shell_word(odd)), ElementsAre(odd, odd));
}

}  // namespace
}  // namespace base
