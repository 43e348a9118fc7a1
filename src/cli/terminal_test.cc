// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.h"

#include <gtest/gtest.h>

#include <map>

namespace cli {
namespace {

client::Environment environment(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const std::string& name) -> std::optional<std::string> {
    const auto found = values.find(name);
    return found == values.end() || found->second.empty() ? std::nullopt : std::optional(found->second);
  };
}

TEST(Terminal, TheWidthIsColumnsThenTheWindowsAndElseUnlimited) {
  EXPECT_EQ(describe_terminal(environment({}), 120).columns, 120U);
  EXPECT_EQ(describe_terminal(environment({}), std::nullopt).columns, kUnlimitedColumns) << "a name is not cut in a pipe";
  EXPECT_EQ(describe_terminal(environment({{"COLUMNS", "60"}}), std::nullopt).columns, 60U);
  EXPECT_EQ(describe_terminal(environment({{"COLUMNS", "200"}}), 120).columns, 200U);
  for (const char* invalid : {"0", "-1", "80x", "x", "99999999999999999999"}) {
    EXPECT_EQ(describe_terminal(environment({{"COLUMNS", invalid}}), 120).columns, 120U) << invalid;
  }
}

TEST(Terminal, ColoursAreForTerminalsUnlessTheEnvironmentSaysOtherwise) {
  EXPECT_TRUE(describe_terminal(environment({{"TERM", "xterm"}}), 80).colour);
  EXPECT_FALSE(describe_terminal(environment({{"TERM", "dumb"}}), 80).colour);
  EXPECT_FALSE(describe_terminal(environment({}), 80).colour);
  EXPECT_FALSE(describe_terminal(environment({{"TERM", "xterm"}}), std::nullopt).colour);
  EXPECT_FALSE(describe_terminal(environment({{"TERM", "xterm"}, {"NO_COLOR", "1"}}), 80).colour);
  EXPECT_TRUE(describe_terminal(environment({{"TERM", "xterm"}, {"NO_COLOR", ""}}), 80).colour);
  EXPECT_TRUE(describe_terminal(environment({{"FORCE_COLOR", "1"}}), std::nullopt).colour);
  EXPECT_FALSE(describe_terminal(environment({{"FORCE_COLOR", "1"}, {"NO_COLOR", "1"}}), std::nullopt).colour);
}

TEST(Terminal, StatusesHaveColours) {
  EXPECT_EQ(coloured("RUNNING", "RUNNING"), "\x1b[32mRUNNING\x1b[0m");
  EXPECT_EQ(coloured("lost for 5 s", "lost for 5 s"), "\x1b[31mlost for 5 s\x1b[0m");
  EXPECT_EQ(coloured("box-a", "box-a"), "box-a");
}

}  // namespace
}  // namespace cli
