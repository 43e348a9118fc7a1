// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal_text.h"

#include <gtest/gtest.h>

namespace cli {
namespace {

TEST(TerminalText, EscapeSequencesLoseTheirEscape) {
  EXPECT_EQ(terminal_text("a\x1b[2Jb"), "a?[2Jb");
  EXPECT_EQ(terminal_text("a\rb\nc\td\x07"), "a?b?c?d?");
  EXPECT_EQ(terminal_text("a\x7f"), "a?");
}

TEST(TerminalText, ControlCharactersOfTwoBytesAreReplaced) {
  EXPECT_EQ(terminal_text("a\xc2\x9b" "2J"), "a?2J");  // CSI as one character
}

TEST(TerminalText, CharactersThatTurnTheDirectionAreReplaced) {
  EXPECT_EQ(terminal_text("photo\xe2\x80\xae" "gnp.exe"), "photo?gnp.exe");
}

TEST(TerminalText, InvalidBytesAreReplacedOneByOne) {
  EXPECT_EQ(terminal_text("a\xff\xc3"), "a??");
}

TEST(TerminalText, TextOfOtherLanguagesIsKept) {
  EXPECT_EQ(terminal_text("r\xc3\xa9sum\xc3\xa9.png"), "r\xc3\xa9sum\xc3\xa9.png");
}

TEST(TerminalText, WideCharactersTakeTwoColumnsAndCombiningOnesNone) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("\xe4\xb8\xad\xe6\x96\x87"), 4u);
  EXPECT_EQ(display_width("e\xcc\x81"), 1u);
}

TEST(TerminalText, ALongTextIsCutToItsColumns) {
  EXPECT_EQ(cut("abcdefghijkl", 10), "abcdefg...");
  EXPECT_EQ(cut("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(cut("abcdefghij", 4), "abcd");
  EXPECT_EQ(cut("\xe4\xb8\xad\xe6\x96\x87", 3), "\xe4\xb8\xad");
}

TEST(TerminalText, AFieldHasExactlyItsColumns) {
  EXPECT_EQ(fit_left("ab", 4), "ab  ");
  EXPECT_EQ(fit_right("ab", 4), "  ab");
  EXPECT_EQ(fit_left("\xe4\xb8\xad\xe6\x96\x87", 3), "\xe4\xb8\xad ");
  EXPECT_EQ(fit_left("ab", 0), "");
}

}  // namespace
}  // namespace cli
