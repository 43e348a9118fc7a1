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

std::string printed_in(std::size_t columns, const Rows& rows) {
  std::ostringstream out;
  print_table(out, rows, {columns, false});
  return out.str();
}

TEST(Table, TheWidestColumnsAreCutToTheScreen) {
  EXPECT_EQ(printed_in(32, {{"TASK", "FAMILY", "MACHINE"}, {"0123456789ab", "a-very-long-name:1", "m"}}),
            "TASK          FAMILY     MACHINE\n"
            "0123456789ab  a-very...  m\n")
      << "the first column keeps 12 columns as long as possible";
  EXPECT_EQ(printed_in(40, {{"TASK", "FAMILY", "X"}, {"0123456789ab", "a-very-long-name-of-a-family:1", "1"}}),
            "TASK          FAMILY                   X\n"
            "0123456789ab  a-very-long-name-of-...  1\n");
  EXPECT_EQ(printed_in(10, {{"TASK", "A HEADING"}, {"0123456789ab", "1"}}),
            "TASK      A HEADING\n"
            "01234...  1\n")
      << "neither below 8 columns nor below the heading";
}

TEST(Table, TextInTheLastColumnContinuesOnTheNextLine) {
  EXPECT_EQ(printed_in(40, {{"TASK", "REASON"}, {"0123456789ab", "the image could not be pulled: no such host"}, {"1", "x"}}),
            "TASK          REASON\n"
            "0123456789ab  the image could not be\n"
            "              pulled: no such host\n"
            "1             x\n");
}

TEST(Table, WidthsCountColumnsAndNotBytes) {
  EXPECT_EQ(printed_in(80, {{"NAME", "X"}, {"\xe6\x97\xa5\xe6\x9c\xac", "1"}, {"ab", "2"}}),
            "NAME  X\n"
            "\xe6\x97\xa5\xe6\x9c\xac  1\n"
            "ab    2\n");
}

TEST(Table, AnEscapeSequenceInACellIsNotPrinted) {
  EXPECT_EQ(printed({{"NAME", "X"}, {"a\x1b[31m", "1"}, {"r\xc3\xa9sum\xc3\xa9", "2"}}),
            "NAME    X\n"
            "a?[31m  1\n"
            "r\xc3\xa9sum\xc3\xa9  2\n");
}

}  // namespace
}  // namespace cli
