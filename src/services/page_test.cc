// SPDX-License-Identifier: Apache-2.0
#include "services/page.h"

#include <gtest/gtest.h>

namespace services {
namespace {

Page read(std::optional<std::int32_t> size, std::optional<std::string> token) {
  return read_page(size, token,
                   {.most = 3,
                    .invalid_size = [](std::int32_t s) { return wire::ApiError("Size", std::to_string(s)); },
                    .invalid_token = [](const std::string& t) { return wire::ApiError("Token", t); }});
}

std::string error_of(std::optional<std::int32_t> size, std::optional<std::string> token) {
  try {
    read(size, token);
  } catch (const wire::ApiError& error) {
    return error.code() + " " + error.message();
  }
  return "";
}

TEST(Page, ContinuesAfterTheLastKeyOfTheOneBeforeIt) {
  const Page first = read(2, {});
  EXPECT_EQ(first.after, "");
  std::vector<std::string> keys = {"a", "b", "c"};
  const auto token = cut_page(keys, first);
  EXPECT_EQ(keys, (std::vector<std::string>{"a", "b"}));
  ASSERT_TRUE(token);
  EXPECT_EQ(read(2, token).after, "b");
}

TEST(Page, HasNoTokenWhereItIsTheLast) {
  std::vector<std::string> keys = {"a", "b"};
  EXPECT_FALSE(cut_page(keys, read(2, {})));
  EXPECT_EQ(keys.size(), 2u);
}

TEST(Page, IsAsLargeAsAllowedWithoutASize) { EXPECT_EQ(read({}, "").size, 3); }

TEST(Page, RejectsInvalidSizesAndTokensInTheServicesWords) {
  EXPECT_EQ(error_of(0, {}), "Size 0");
  EXPECT_EQ(error_of(4, {}), "Size 4");
  EXPECT_EQ(error_of(3, "***"), "Token ***");
  EXPECT_EQ(error_of(3, "AAAA"), "Token AAAA") << "zero bytes";
  EXPECT_EQ(error_of(3, "////"), "Token ////") << "not UTF-8";
  EXPECT_EQ(error_of(1, {}), "");
}

}  // namespace
}  // namespace services
