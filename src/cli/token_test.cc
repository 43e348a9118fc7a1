// SPDX-License-Identifier: Apache-2.0
#include "cli/token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cli {
namespace {

TEST(Token, EncodesAKeyAsOneWord) {
  EXPECT_EQ(encode_token({"AKIA", "s3cret"}), "stk1.QUtJQTpzM2NyZXQ");
  for (const char* secret : {"a", "ab", "abc", ">>>~~~/+=:?", "with:colons:in:it"}) {
    const std::string token = encode_token({"AKIAEXAMPLE", secret});
    EXPECT_EQ(token.find_first_of("+/= "), token.npos) << token;
    const auto decoded = decode_token(token);
    ASSERT_TRUE(decoded) << token;
    EXPECT_EQ(decoded->access_key, "AKIAEXAMPLE");
    EXPECT_EQ(decoded->secret_key, secret);
  }
}

TEST(Token, AnInvalidTokenIsRejectedAndNotRepeated) {
  for (const char* token :
       {"", "stk1.", "stk1.QUtJQQ", "stk1.QUtJQTo", "stk1.OnNlY3JldA", "stk1.!!!", "stk2.QUtJQTpzM2NyZXQ",
        "QUtJQTpzM2NyZXQ", "stk1.QUtJQTpzM2NyZXQ=", "stk1.QUtJQTpz+2NyZXQ"}) {
    const auto decoded = decode_token(token);
    ASSERT_FALSE(decoded) << token;
    EXPECT_THAT(decoded.error(), testing::Not(testing::HasSubstr("QUtJQT")));
  }
}

}  // namespace
}  // namespace cli
