// SPDX-License-Identifier: Apache-2.0
#include "services/arn.h"

#include <gtest/gtest.h>

namespace services {
namespace {

TEST(Arn, HasTheSamePartsAfterParsing) {
  const std::string text = "arn:aws:ecs:us-east-1:111111111111:task/web/3f2a";
  const auto arn = parse_arn(text);
  ASSERT_TRUE(arn);
  EXPECT_EQ(arn->service, "ecs");
  EXPECT_EQ(arn->region, "us-east-1");
  EXPECT_EQ(arn->account, "111111111111");
  EXPECT_EQ(arn->resource, "task/web/3f2a");
  EXPECT_EQ(arn->str(), text);
}

TEST(Arn, MayHaveNoRegionAndAccountAndColonsInItsResource) {
  const auto arn = parse_arn("arn:aws:s3:::bucket/a:b");
  ASSERT_TRUE(arn);
  EXPECT_EQ(arn->region, "");
  EXPECT_EQ(arn->account, "");
  EXPECT_EQ(arn->resource, "bucket/a:b");
  EXPECT_EQ(parse_arn("arn:aws:ecs:r:1:task-definition/f:3")->resource, "task-definition/f:3");
}

TEST(Arn, IsRejectedInAnotherFormAndWhereAServiceIsGivenOfAnotherServiceOrPartition) {
  for (const char* text : {"", "jobs", "arn", "arn:aws", "arn:aws:sqs", "arn:aws:sqs:us-east-1:111111111111",
                           "ARN:aws:sqs:us-east-1:111111111111:jobs"}) {
    EXPECT_FALSE(parse_arn(text)) << text;
  }
  EXPECT_TRUE(parse_arn("arn:aws:sqs:us-east-1:111111111111:jobs", "sqs"));
  EXPECT_FALSE(parse_arn("arn:aws:sns:us-east-1:111111111111:jobs", "sqs"));
  EXPECT_FALSE(parse_arn("arn:aws-cn:sqs:cn-north-1:111111111111:jobs", "sqs"));
  EXPECT_EQ(parse_arn("arn:aws-cn:sqs:cn-north-1:111111111111:jobs")->partition, "aws-cn");
}

TEST(AccountId, IsTwelveDigits) {
  EXPECT_TRUE(is_account_id("012345678901"));
  for (const char* text : {"", "12345678901", "1234567890123", "12345678901a", "-12345678901"}) {
    EXPECT_FALSE(is_account_id(text)) << text;
  }
}

}  // namespace
}  // namespace services
