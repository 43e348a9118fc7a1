// SPDX-License-Identifier: Apache-2.0
#include "services/logs/patterns/json_tape.h"

#include <gtest/gtest.h>

namespace services::logs {
namespace {

TEST(JsonTape, KeepsTheTextOfNumbersAndDecodesStrings) {
  JsonTape tape;
  ASSERT_TRUE(tape.parse(R"( {"a":12.50,"b":["x\n\u00e4\ud83d\ude00",null,true],"a":1e3} )"));
  EXPECT_EQ(tape.node(*tape.member(0, "a")).text, "1e3");
  const auto list = *tape.member(0, "b");
  EXPECT_EQ(tape.node(*tape.element(list, 0)).text, "x\n\xC3\xA4\xF0\x9F\x98\x80");
  EXPECT_EQ(tape.node(*tape.element(list, 1)).kind, JsonNode::Kind::Null);
  EXPECT_EQ(tape.element(list, 3), std::nullopt);
  EXPECT_EQ(tape.node(list).text, R"(["x\n\u00e4\ud83d\ude00",null,true])");
}

TEST(JsonTape, RejectsWhatIsNoJson) {
  JsonTape tape;
  for (const char* bad : {"", "{", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "[1,]", "01", "1.", "-", "1e", "tru", "\"\\x\"", "\"\\ud800\"",
                          "\"\n\"", "{} {}", "{a:1}", "\"\\u12\"", "nan"}) {
    EXPECT_FALSE(tape.parse(bad)) << bad;
  }
  EXPECT_FALSE(tape.parse_object("[1]"));
  EXPECT_FALSE(tape.parse(std::string(100, '[') + std::string(100, ']')));
  EXPECT_TRUE(tape.parse(std::string(60, '[') + std::string(60, ']')));
}

TEST(Numbers, AreReadWholeAndWrittenShort) {
  EXPECT_EQ(parse_number("+1.5"), 1.5);
  EXPECT_EQ(parse_number("1x"), std::nullopt);
  EXPECT_EQ(parse_number("nan"), std::nullopt);
  EXPECT_EQ(parse_number("-inf"), std::nullopt);
  EXPECT_EQ(parse_number("1e999"), std::nullopt);
  EXPECT_EQ(parse_number(""), std::nullopt);
  EXPECT_EQ(number_text(100000), "100000");
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(-2.5), "-2.5");
}

}  // namespace
}  // namespace services::logs
