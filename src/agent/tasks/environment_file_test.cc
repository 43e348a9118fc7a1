// SPDX-License-Identifier: Apache-2.0
#include "agent/tasks/environment_file.h"

#include <gtest/gtest.h>

namespace agent {
namespace {

Variables read(std::string_view text) {
  base::Result<Variables> variables = parse_environment_file(text);
  EXPECT_TRUE(variables) << variables.error();
  return variables ? *variables : Variables();
}

TEST(EnvironmentFile, EachLineSetsAVariable) {
  EXPECT_EQ(read("A=1\nB=two words\n"), (Variables{{"A", "1"}, {"B", "two words"}}));
  EXPECT_EQ(read("A=1\nB=2"), (Variables{{"A", "1"}, {"B", "2"}}));
  EXPECT_EQ(read(""), Variables());
}

TEST(EnvironmentFile, CommentsAndLinesWithoutAVariableAreIgnored) {
  EXPECT_EQ(read("#A=1\n\nexport\n=x\n   \nB=2\n"), (Variables{{"B", "2"}}));
}

TEST(EnvironmentFile, TheValueIsEverythingAfterTheFirstEqualsSign) {
  EXPECT_EQ(read("A=x=y\nB=\"q\"\nC= '$A' # no\nD=\n"),
            (Variables{{"A", "x=y"}, {"B", "\"q\""}, {"C", " '$A' # no"}, {"D", ""}}));
}

TEST(EnvironmentFile, WindowsLineEndingsAndAByteOrderMarkAreRemoved) {
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "A=1\r\nB=2\r\n"),
            (Variables{{"A", "1"}, {"B", "2"}}));
  EXPECT_EQ(read("A=1\r"), (Variables{{"A", "1"}}));
  EXPECT_EQ(read("A=1\r\r\n"), (Variables{{"A", "1\r"}}));
}

TEST(EnvironmentFile, TheLastValueOfANameWins) { EXPECT_EQ(read("A=1\nA=2\n"), (Variables{{"A", "2"}})); }

TEST(EnvironmentFile, AnInvalidLineIsAnErrorThatNamesTheLine) {
  EXPECT_EQ(parse_environment_file("A=1\nB=\xff\n").error(), "invalid utf8 bytes at line 2");
  EXPECT_EQ(parse_environment_file(std::string_view("A=\0", 3)).error(), "a NUL byte at line 1");
  const std::string longest = "A=" + std::string(kMaxEnvironmentLine - 2, 'x');
  EXPECT_EQ(read(longest).at("A").size(), kMaxEnvironmentLine - 2);
  EXPECT_EQ(parse_environment_file(longest + "x").error(), "token too long at line 1");
}

}  // namespace
}  // namespace agent
