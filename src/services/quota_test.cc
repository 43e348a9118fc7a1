// SPDX-License-Identifier: Apache-2.0
#include "services/quota.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace services {
namespace {

using testing::HasSubstr;

TEST(Quota, IsReadFromText) {
  const auto quota = parse_quota("222222222222:bytes=1T,queues=50");
  ASSERT_TRUE(quota);
  EXPECT_EQ(quota->first, "222222222222");
  EXPECT_EQ(quota->second, (Quota{.bytes = std::int64_t{1} << 40, .queues = 50}));
  EXPECT_EQ(parse_quota("222222222222:objects=0")->second, Quota{.objects = 0});
}

TEST(Quota, TextThatIsNoQuotaIsRejectedWithAnExample) {
  for (const char* text : {"", "222222222222", "222222222222:", "2222:bytes=1", "222222222222:bytes", "222222222222:bytes=",
                           "222222222222:bytes=-1", "222222222222:queues=1K", "222222222222:files=1",
                           "222222222222:bytes=1,", "222222222222:bytes=99999999999999T"}) {
    const auto quota = parse_quota(text);
    ASSERT_FALSE(quota) << text;
    EXPECT_THAT(quota.error(), HasSubstr("222222222222:bytes=1T,queues=50"));
  }
}

TEST(Quota, OfOneAccountReplacesWhatItStates) {
  Quotas quotas{.each = {.bytes = 10, .queues = 5}};
  const auto own = parse_quota("222222222222:bytes=unlimited,objects=7");
  quotas.accounts.insert(*own);
  EXPECT_EQ(quotas.of("111111111111"), (Quota{.bytes = 10, .queues = 5}));
  EXPECT_EQ(quotas.of("222222222222"), (Quota{.queues = 5, .objects = 7}));
  EXPECT_TRUE(Quotas().empty());
  EXPECT_TRUE(Quotas().of("111111111111").empty());
}

}  // namespace
}  // namespace services
