// SPDX-License-Identifier: Apache-2.0
#include "cli/checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cli {
namespace {

using testing::HasSubstr;

TEST(Checks, AnAccountHasTwelveDigits) {
  EXPECT_EQ(check_account("000000000000"), "");
  EXPECT_EQ(check_account("123456789012"), "");
  for (const char* account : {"", "12345678901", "1234567890123", "12345678901a", "-12345678901", " 12345678901"}) {
    EXPECT_THAT(check_account(account), HasSubstr("12 digits")) << account;
  }
}

TEST(Checks, ADurationHasANumberAndAUnit) {
  for (const char* text : {"90s", "65m", "2h", "1d"}) EXPECT_EQ(check_duration(text), "") << text;
  for (const char* text : {"", "90", "s", "-5m", "5 m", "5y"}) {
    EXPECT_EQ(check_duration(text), "invalid duration '" + std::string(text) + "': use 90s, 65m, 2h or 1d");
  }
}

TEST(Checks, AnEndpointIsAnHttpUrl) {
  EXPECT_EQ(check_endpoint("http://127.0.0.1:9000"), "");
  EXPECT_EQ(check_endpoint("https://s3.eu-west-1.amazonaws.com"), "");
  for (const char* url : {"", "127.0.0.1:9000", "ftp://host", "http://", "http://host:port"}) {
    EXPECT_NE(check_endpoint(url), "") << url;
  }
}

}  // namespace
}  // namespace cli
