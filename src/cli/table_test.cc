// SPDX-License-Identifier: Apache-2.0
#include "cli/table.h"

#include <gtest/gtest.h>

#include <sstream>

namespace cli {
namespace {

std::string printed(const std::vector<std::vector<std::string>>& rows) {
  std::ostringstream out;
  print_table(out, rows);
  return out.str();
}

TEST(Table, ColumnsAreAlignedWithoutTrailingSpaces) {
  EXPECT_EQ(printed({{"A", "B", "C"}, {"long name", "1", ""}, {"x", "22", "end"}}),
            "A          B   C\n"
            "long name  1\n"
            "x          22  end\n");
  EXPECT_EQ(printed({{"A", "B"}}), "A  B\n");
  EXPECT_EQ(printed({}), "");
}

TEST(Table, LinesOfWordsFitTheScreen) {
  std::ostringstream out;
  print_wrapped(out, std::string(40, 'a') + " " + std::string(35, 'b') + " " + std::string(100, 'c'), 4);
  EXPECT_EQ(out.str(), "    " + std::string(40, 'a') + " " + std::string(35, 'b') + "\n    " + std::string(37, 'c') + "..." +
                           std::string(36, 'c') + "\n");
  EXPECT_EQ(shortened("TargetTracking-web-AlarmHigh", 11), "Targ...High");
  EXPECT_EQ(shortened("short", 5), "short");
}

TEST(Table, AnEscapeSequenceInACellIsNotPrinted) {
  EXPECT_EQ(printed({{"NAME", "X"}, {"a\x1b[31m", "1"}, {"r\xc3\xa9sum\xc3\xa9", "2"}}),
            "NAME    X\n"
            "a?[31m  1\n"
            "r\xc3\xa9sum\xc3\xa9  2\n");
}

}  // namespace
}  // namespace cli
