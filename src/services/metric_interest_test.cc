// SPDX-License-Identifier: Apache-2.0
#include "services/metric_interest.h"

#include <gtest/gtest.h>

namespace services {
namespace {

MetricKey depth_of(const std::string& queue) {
  return {"111111111111", "us-east-1", "AWS/SQS", "ApproximateNumberOfMessagesVisible", {{"QueueName", queue}}};
}

const base::Time kNow = base::from_seconds(1800000000);

TEST(MetricInterest, AMetricIsOfInterestForAQuarterOfAnHourAfterItsLastUse) {
  MetricInterest interest;
  EXPECT_TRUE(interest.add(depth_of("q"), kNow));
  EXPECT_FALSE(interest.add(depth_of("q"), kNow + std::chrono::minutes(10)));
  EXPECT_EQ(interest.current(kNow + std::chrono::minutes(24)), std::set<MetricKey>{depth_of("q")});
  EXPECT_TRUE(interest.current(kNow + std::chrono::minutes(25)).empty());
  EXPECT_TRUE(interest.add(depth_of("q"), kNow + std::chrono::minutes(26)));
}

TEST(MetricInterest, ItsNumberIsBoundedAndExpiredOnesMakeRoom) {
  MetricInterest interest;
  for (std::size_t i = 0; i < MetricInterest::kMost; ++i) interest.add(depth_of(std::to_string(i)), kNow);
  EXPECT_FALSE(interest.add(depth_of("one more"), kNow));
  EXPECT_EQ(interest.current(kNow).size(), MetricInterest::kMost);
  EXPECT_TRUE(interest.add(depth_of("one more"), kNow + MetricInterest::kLasts));
  EXPECT_EQ(interest.current(kNow + MetricInterest::kLasts).size(), 1u);
}

}  // namespace
}  // namespace services
