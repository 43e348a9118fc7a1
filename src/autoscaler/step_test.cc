// SPDX-License-Identifier: Apache-2.0
#include "autoscaler/step.h"

#include <gtest/gtest.h>

#include <array>

namespace autoscaler {
namespace {

using std::chrono::seconds;

constexpr base::Time kNow = base::from_seconds(1800000000);

// The sample of Amazon's guide: threshold 50.
const std::vector<Step> kOut = {{0, 10, 0}, {10, 20, 10}, {20, {}, 30}};
const std::vector<Step> kIn = {{-10, 0, 0}, {-20, -10, -10}, {{}, -20, -30}};

int percent(int capacity, int amount, int least = 0) {
  return adjusted_capacity(capacity, {AdjustmentType::PercentChangeInCapacity, amount, least});
}

TEST(Step, TheSampleOfTheGuide) {
  EXPECT_EQ(percent(10, find_step(kOut, 60 - 50, Side::Above)->adjustment), 11);
  EXPECT_EQ(percent(11, find_step(kOut, 70 - 50, Side::Above)->adjustment), 14);
  EXPECT_EQ(percent(14, find_step(kIn, 40 - 50, Side::Below)->adjustment), 13);
  EXPECT_EQ(percent(13, find_step(kIn, 30 - 50, Side::Below)->adjustment), 10);
}

TEST(Step, BoundsIncludeTheEndThatIsNearerToTheThreshold) {
  EXPECT_EQ(find_step(kOut, 9.99, Side::Above)->adjustment, 0);
  EXPECT_EQ(find_step(kOut, 10, Side::Above)->adjustment, 10);
  EXPECT_EQ(find_step(kIn, -9.99, Side::Below)->adjustment, 0);
  EXPECT_EQ(find_step(kIn, -10, Side::Below)->adjustment, -10);
  EXPECT_EQ(find_step(kOut, -1, Side::Above), nullptr);
  EXPECT_EQ(find_step(kIn, 1, Side::Below), nullptr);
}

TEST(Step, AMetricThatEqualsItsThresholdSelectsTheStepOfTheAlarmsSide) {
  const std::vector<Step> both = {{0, {}, 1}, {{}, 0, -1}};
  EXPECT_EQ(find_step(both, 0, Side::Above)->adjustment, 1);
  EXPECT_EQ(find_step(both, 0, Side::Below)->adjustment, -1);
  EXPECT_EQ(find_step(std::array{both[0]}, 0, Side::Below)->adjustment, 1);
  EXPECT_EQ(find_step(std::array{both[1]}, 0, Side::Above)->adjustment, -1);
  EXPECT_EQ(find_step(std::array{Step{1, {}, 1}}, 0, Side::Above), nullptr);
  EXPECT_EQ(side_of("LessThanOrEqualToThreshold"), Side::Below);
  EXPECT_EQ(side_of("GreaterThanThreshold"), Side::Above);
}

TEST(Step, AQueueThatScalesBetweenZeroAndTwo) {
  const std::vector<Step> steps = {{0, 1, 0}, {1, 100, 1}, {100, {}, 2}};
  for (const auto& [messages, capacity] : {std::pair{0, 0}, {1, 1}, {99, 1}, {100, 2}, {5000, 2}}) {
    EXPECT_EQ(find_step(steps, messages, Side::Below)->adjustment, capacity) << messages;
  }
}

TEST(Step, PointsAreAggregated) {
  const std::vector<double> points = {1, 2, 6};
  EXPECT_EQ(aggregate(points, Aggregation::Average), 3);
  EXPECT_EQ(aggregate(points, Aggregation::Minimum), 1);
  EXPECT_EQ(aggregate(points, Aggregation::Maximum), 6);
  EXPECT_EQ(aggregate({}, Aggregation::Average), std::nullopt);
  EXPECT_EQ(parse_aggregation("Maximum"), Aggregation::Maximum);
  EXPECT_EQ(parse_aggregation("Sum"), std::nullopt);
}

TEST(Adjustment, PercentagesAreRoundedTowardsZeroButNeverToIt) {
  EXPECT_EQ(percent(100, 12), 112);
  EXPECT_EQ(percent(127, 10), 139);  // 12.7 -> 12
  EXPECT_EQ(percent(3, 10), 4);      // 0.3 -> 1
  EXPECT_EQ(percent(3, -10), 2);
  EXPECT_EQ(percent(20, -33), 14);  // -6.6 -> -6
  EXPECT_EQ(percent(0, 50), 0);
  EXPECT_EQ(percent(10, 0, 4), 10);
}

TEST(Adjustment, APercentageChangesByAtLeastTheMinimum) {
  EXPECT_EQ(percent(4, 25, 2), 6);
  EXPECT_EQ(percent(20, 25, 2), 25);
  EXPECT_EQ(percent(4, -25, 2), 2);
  EXPECT_EQ(percent(0, 25, 2), 2);
}

TEST(Adjustment, CapacityIsNeverNegative) {
  EXPECT_EQ(adjusted_capacity(1, {AdjustmentType::ChangeInCapacity, -3}), 0);
  EXPECT_EQ(adjusted_capacity(2000000000, {AdjustmentType::ChangeInCapacity, 2000000000}), 2147483647);
  EXPECT_EQ(adjusted_capacity(7, {AdjustmentType::ExactCapacity, 3}), 3);
  EXPECT_EQ(parse_adjustment_type("PercentChangeInCapacity"), AdjustmentType::PercentChangeInCapacity);
  EXPECT_EQ(parse_adjustment_type("Other"), std::nullopt);
}

TEST(Bounds, ACapacityOutsideOfThemOnlyMovesTowardsThem) {
  const Bounds bounds{2, 5};
  EXPECT_EQ(bounded_capacity(3, 9, Direction::Out, bounds), 5);
  EXPECT_EQ(bounded_capacity(3, 0, Direction::In, bounds), 2);
  EXPECT_EQ(bounded_capacity(0, 1, Direction::Out, bounds), 2);
  EXPECT_EQ(bounded_capacity(8, 7, Direction::In, bounds), 5);
  EXPECT_EQ(bounded_capacity(8, 9, Direction::Out, bounds), 8);
  EXPECT_EQ(bounded_capacity(0, 0, Direction::In, bounds), 0);
}

TEST(StepGroup, InstancesThatWarmUpCountAsPartOfTheAdjustment) {
  GroupCapacity group{.desired = 10, .warm = 10, .warming = false, .bounds = {0, 100}};
  const Adjustment ten{AdjustmentType::PercentChangeInCapacity, 10}, thirty{AdjustmentType::PercentChangeInCapacity, 30};
  EXPECT_EQ(step_group(group, ten), 11);
  group.desired = 11;
  group.warming = true;
  EXPECT_EQ(step_group(group, ten), 11);
  EXPECT_EQ(step_group(group, thirty), 13);
}

TEST(StepGroup, ScalingInWaitsForTheWarmUp) {
  GroupCapacity group{.desired = 10, .warm = 9, .warming = true, .bounds = {0, 100}};
  const Adjustment less{AdjustmentType::ChangeInCapacity, -2};
  EXPECT_EQ(step_group(group, less), 10);
  group.warming = false;
  group.warm = 10;
  EXPECT_EQ(step_group(group, less), 8);
  EXPECT_EQ(step_group(group, {AdjustmentType::ExactCapacity, 0}), 0);
  group.bounds.min = 9;
  EXPECT_EQ(step_group(group, less), 9);
}

TEST(StepGroup, ASimplePolicyAppliesToTheDesiredCapacity) {
  const GroupCapacity group{.desired = 10, .warm = 2, .warming = true, .bounds = {0, 11}};
  EXPECT_EQ(adjust_group(group, {AdjustmentType::ChangeInCapacity, 5}), 11);
  EXPECT_EQ(adjust_group(group, {AdjustmentType::ChangeInCapacity, -1}), 9);
  EXPECT_EQ(adjust_group({.desired = 0, .warm = 0, .warming = false, .bounds = {2, 9}},
                         {AdjustmentType::ChangeInCapacity, 1}), 3);
}

TEST(StepGroup, TheWarmUpIsThePolicysOrTheGroupsOrTheCooldown) {
  EXPECT_EQ(warm_up_time(10, 20, 300), seconds(10));
  EXPECT_EQ(warm_up_time({}, 0, 300), seconds(0));
  EXPECT_EQ(warm_up_time({}, {}, 300), seconds(300));
}

TEST(SimpleCooldown, WaitsForActivitiesAndThenForItsLength) {
  EXPECT_TRUE(is_over({}, kNow));
  EXPECT_FALSE(is_over({.activity_in_progress = true}, kNow));
  EXPECT_FALSE(is_over({.last_activity_end = kNow - seconds(299), .length = seconds(300)}, kNow));
  EXPECT_TRUE(is_over({.last_activity_end = kNow - seconds(300), .length = seconds(300)}, kNow));
}

TEST(StepTarget, DuringACooldownOnlyTheExcessIsAdded) {
  TargetCapacity target{.desired = 4, .running = 4, .bounds = {0, 10}, .cooling = Cooling{2, 4, kNow, seconds(300)}};
  const Scaled three = step_target(target, {AdjustmentType::ChangeInCapacity, 3}, kNow + seconds(60));
  EXPECT_EQ(three.verdict, Scaled::Verdict::Changed);
  EXPECT_EQ(three.desired, 5);
  EXPECT_EQ(step_target(target, {AdjustmentType::ChangeInCapacity, 2}, kNow + seconds(60)).verdict,
            Scaled::Verdict::AtDesired);
  EXPECT_EQ(step_target(target, {AdjustmentType::ChangeInCapacity, 2}, kNow + seconds(300)).desired, 6);
}

TEST(StepTarget, DuringACooldownScalingInIsBlockedAndScalingOutIsNot) {
  TargetCapacity target{.desired = 2, .running = 2, .bounds = {0, 10}, .cooling = Cooling{4, 2, kNow, seconds(300)}};
  EXPECT_EQ(step_target(target, {AdjustmentType::ChangeInCapacity, -1}, kNow).verdict, Scaled::Verdict::Cooling);
  EXPECT_EQ(step_target(target, {AdjustmentType::ChangeInCapacity, 1}, kNow).desired, 3);
  EXPECT_EQ(step_target(target, {AdjustmentType::ChangeInCapacity, -1}, kNow + seconds(300)).desired, 1);
}

TEST(StepTarget, TasksThatHaveNotStartedAreNotAddedTwice) {
  const TargetCapacity target{.desired = 3, .running = 1, .bounds = {0, 10}};
  EXPECT_EQ(step_target(target, {AdjustmentType::ChangeInCapacity, 2}, kNow).verdict, Scaled::Verdict::AtDesired);
}

TEST(StepTarget, NamesTheBoundThatItReached) {
  const TargetCapacity target{.desired = 3, .running = 3, .bounds = {3, 3}};
  EXPECT_EQ(step_target(target, {AdjustmentType::ChangeInCapacity, 1}, kNow).verdict, Scaled::Verdict::AtMax);
  EXPECT_EQ(step_target(target, {AdjustmentType::ChangeInCapacity, -1}, kNow).verdict, Scaled::Verdict::AtMin);
  EXPECT_EQ(step_target(target, {AdjustmentType::ExactCapacity, 3}, kNow).verdict, Scaled::Verdict::AtDesired);
}

TEST(StepTarget, BelowTheMinimumItGoesThereFirst) {
  const TargetCapacity target{.desired = 0, .running = 0, .bounds = {2, 9}};
  EXPECT_EQ(step_target(target, {AdjustmentType::ChangeInCapacity, 1}, kNow).desired, 3);
}

}  // namespace
}  // namespace autoscaler
