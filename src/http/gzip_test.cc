// SPDX-License-Identifier: Apache-2.0
#include "http/gzip.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace http {
namespace {

TEST(Gunzip, ReturnsWhatWasCompressed) {
  for (const std::string& bytes :
       {std::string(), std::string("hello"), std::string(300'000, 'x'), base::random_bytes(200'000)}) {
    auto result = gunzip(gzip(bytes), 1'000'000);
    ASSERT_TRUE(result) << result.error();
    EXPECT_EQ(*result, bytes);
  }
}

TEST(Gunzip, ReadsAFileOfSeveralMembers) {
  auto result = gunzip(gzip("one") + gzip("two"), 100);
  ASSERT_TRUE(result);
  EXPECT_EQ(*result, "onetwo");
}

TEST(Gunzip, StopsAtItsLimit) {
  std::string bomb = gzip(std::string(10'000'000, 'x'));
  EXPECT_LT(bomb.size(), 20'000u);
  EXPECT_FALSE(gunzip(bomb, 9'999'999));
  EXPECT_TRUE(gunzip(bomb, 10'000'000));
  EXPECT_FALSE(gunzip(gzip("one") + gzip("two"), 5));
  EXPECT_FALSE(gunzip(gzip("x"), 0));
}

TEST(Gunzip, RejectsInvalidGzip) {
  EXPECT_FALSE(gunzip("", 100));
  EXPECT_FALSE(gunzip("hello", 100));
  std::string whole = gzip("hello, hello, hello");
  for (std::size_t size = 1; size < whole.size(); ++size) EXPECT_FALSE(gunzip(whole.substr(0, size), 100)) << size;
  EXPECT_FALSE(gunzip(whole + "more", 100));
  whole[whole.size() - 6] ^= 1;  // the checksum
  EXPECT_FALSE(gunzip(whole, 100));
}

}  // namespace
}  // namespace http
