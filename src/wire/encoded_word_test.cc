// SPDX-License-Identifier: Apache-2.0
#include "wire/encoded_word.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wire {
namespace {

TEST(EncodedWord, AsciiIsUnchanged) {
  EXPECT_EQ(to_encoded_words(""), "");
  EXPECT_EQ(to_encoded_words("a = b? c_d"), "a = b? c_d");
  EXPECT_EQ(to_encoded_words("=?UTF-8?B?w7Y=?="), "=?UTF-8?B?w7Y=?=");
}

// The first two are published recordings of Amazon's responses.
TEST(EncodedWord, UsesTheQEncodingIfMostCharactersAreAscii) {
  EXPECT_EQ(to_encoded_words("MiniÃ¶"), "=?UTF-8?Q?Mini=C3=83=C2=B6?=");
  EXPECT_EQ(to_encoded_words("Ã¶"), "=?UTF-8?B?w4PCtg==?=");
  EXPECT_EQ(to_encoded_words("a b_c=d?ö"), "=?UTF-8?Q?a_b=5Fc=3Dd=3F=C3=B6?=");
  EXPECT_EQ(to_encoded_words("ö"), "=?UTF-8?B?w7Y=?=");
  EXPECT_EQ(to_encoded_words("aö"), "=?UTF-8?B?YcO2?=");
}

TEST(EncodedWord, HalvesALongTextUntilItFits) {
  const std::string text = std::string(60, 'a') + "ö" + std::string(10, 'b');
  EXPECT_EQ(to_encoded_words(text), "=?UTF-8?Q?" + std::string(35, 'a') + "?= =?UTF-8?Q?" + std::string(25, 'a') +
                                        "=C3=B6" + std::string(10, 'b') + "?=");
}

TEST(EncodedWord, DoesNotSplitACharacter) {
  std::string text;
  for (int i = 0; i < 101; ++i) text += "📈";
  const std::string words = to_encoded_words(text);
  EXPECT_THAT(words, testing::StartsWith("=?UTF-8?B?8J+TiPCfk4jwn5OI"));
  for (std::size_t at = 0; at < words.size();) {
    const std::string word = words.substr(at, words.find(' ', at) - at);
    EXPECT_LE(word.size(), 75u);
    EXPECT_EQ(word.substr(0, 15), "=?UTF-8?B?8J+Ti");
    at += word.size() + 1;
  }
}

TEST(EncodedWord, AreDecoded) {
  EXPECT_EQ(from_encoded_words("=?UTF-8?B?w6TDtg==?="), "\u00e4\u00f6");
  EXPECT_EQ(from_encoded_words("=?utf-8?q?caf=C3=A9_au_lait?="), "caf\u00e9 au lait");
  EXPECT_EQ(from_encoded_words("=?UTF-8?Q?one?= =?UTF-8?B?IHR3bw==?="), "one two");
}

TEST(EncodedWord, OtherTextHasNone) {
  for (const char* text : {"", "plain", "=?", "=?UTF-8", "=?UTF-8?B", "=?UTF-8?B?", "=?UTF-8?B?w6Q=", "=?UTF-8?X?a?=",
                           "=?UTF-8?B?***?=", "=?UTF-8?Q?=C?=", "=?UTF-8?Q?=ZZ?=", "=?UTF-8?Q?=FF?=", "=?KOI8-R?B?1A==?=",
                           "=?UTF-8?Q?a=0Ab?=", "=?UTF-8?Q?a?= b", "a =?UTF-8?Q?a?="}) {
    EXPECT_EQ(from_encoded_words(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace wire
