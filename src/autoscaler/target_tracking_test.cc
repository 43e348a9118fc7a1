// SPDX-License-Identifier: Apache-2.0
#include "autoscaler/target_tracking.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace autoscaler {
namespace {

TEST(TargetTracking, CapacityFollowsTheMetricAndRoundsUp) {
  EXPECT_EQ(tracked_capacity({.capacity = 10, .metric = 70, .target = 50}), 14);
  EXPECT_EQ(tracked_capacity({.capacity = 3, .metric = 51, .target = 50}), 4);
  EXPECT_EQ(tracked_capacity({.capacity = 10, .metric = 42.5, .target = 50}), 9);  // 1.5 fewer -> 1 fewer
  EXPECT_EQ(tracked_capacity({.capacity = 3, .metric = 70, .target = 70}), 3);
  EXPECT_EQ(tracked_capacity({.capacity = 7, .metric = 0.1 + 0.2, .target = 0.3}), 7);
  EXPECT_EQ(tracked_capacity({.capacity = 1, .metric = 1, .target = 50}), 1);
  EXPECT_EQ(tracked_capacity({.capacity = 1000000, .metric = 1e12, .target = 1}), 2147483647);
}

TEST(TargetTracking, FromZeroAServiceStartsWithOneAndAGroupCountsAsOne) {
  EXPECT_EQ(tracked_capacity({.capacity = 0, .metric = 500, .target = 100}), 1);
  EXPECT_EQ(tracked_capacity({.capacity = 0, .metric = 200, .target = 100, .from_zero = FromZero::CountAsOne}), 2);
}

TEST(TargetTracking, OnlyAMetricOfZeroScalesToZero) {
  EXPECT_EQ(tracked_capacity({.capacity = 5, .metric = 0, .target = 100}), 0);
  EXPECT_EQ(tracked_capacity({.capacity = 5, .metric = 0.001, .target = 100}), 1);
  EXPECT_EQ(tracked_capacity({.capacity = 0, .metric = 0, .target = 100, .from_zero = FromZero::CountAsOne}), 0);
}

TEST(TargetTracking, ScalingInGoesByTheHighestPoint) {
  // Ten minutes ago 10 tasks were at 16; now 4 tasks are at 40, and all of them are needed.
  const std::vector<double> points = {16, 16, 16, 40};
  EXPECT_EQ(tracking_metric(points, Direction::In), 40);
  EXPECT_EQ(tracking_metric(points, Direction::Out), 22);
  EXPECT_EQ(tracked_capacity({.capacity = 4, .metric = tracking_metric(points, Direction::In), .target = 50}), 4);
}

TEST(TargetTracking, AScaleInAtACapacityProvidersPaceRemovesLessThanHalfAndAtLeastOne) {
  const std::array<int, 8> lowest = {0, 0, 1, 2, 3, 3, 4, 4};
  for (int capacity = 1; capacity < 8; ++capacity) {
    EXPECT_EQ(paced_scale_in(capacity, 0), lowest[static_cast<std::size_t>(capacity)]) << capacity;
  }
  EXPECT_EQ(paced_scale_in(10, 0), 6);
  EXPECT_EQ(paced_scale_in(10, 9), 9);
  EXPECT_EQ(paced_scale_in(0, 0), 0);
}

TEST(TargetTracking, PoliciesScaleInOnlyTogetherAndToTheLargestCapacity) {
  const TrackingVote two{true, true, 2}, three{true, true, 3}, busy{true, false, 9}, out_only{false, false, 9};
  EXPECT_EQ(agreed_scale_in(std::array{two, three}), 3);
  EXPECT_EQ(agreed_scale_in(std::array{two, busy}), std::nullopt);
  EXPECT_EQ(agreed_scale_in(std::array{two, out_only}), 2);
}

TEST(TrackingAlarms, OfAGroup) {
  const TrackingAlarmTerms terms{.tracker = Tracker::Group, .subject = "workers", .target = 40};
  const TrackingAlarm high = alarm_high(terms, "u1"), low = alarm_low(terms, "u2");
  EXPECT_EQ(high.name, "TargetTracking-workers-AlarmHigh-u1");
  EXPECT_EQ(high.comparison, "GreaterThanThreshold");
  EXPECT_EQ(high.threshold, 40);
  EXPECT_EQ(high.evaluation_periods, 3);
  EXPECT_EQ(low.name, "TargetTracking-workers-AlarmLow-u2");
  EXPECT_EQ(low.comparison, "LessThanThreshold");
  EXPECT_EQ(low.threshold, 28);
  EXPECT_EQ(low.evaluation_periods, 15);
  EXPECT_EQ(low.period_s, 60);
}

TEST(TrackingAlarms, RecordedThresholds) {
  const auto low = [](Tracker tracker, double target) {
    return alarm_low({.tracker = tracker, .subject = "x", .target = target}, "u").threshold;
  };
  EXPECT_EQ(low(Tracker::Application, 70), 63);
  EXPECT_EQ(low(Tracker::Application, 30), 27);
  EXPECT_EQ(low(Tracker::Group, 50), 35);
  EXPECT_EQ(low(Tracker::Group, 75), 52.5);
  EXPECT_EQ(low(Tracker::Group, 20), 14);
  EXPECT_EQ(low(Tracker::Group, 30), 21);
}

TEST(TrackingAlarms, TheReservationOfACapacityProviderHasNoGapAndReactsAtOnce) {
  const TrackingAlarmTerms terms{
      .tracker = Tracker::Group, .subject = "workers", .target = 90, .capacity_provider_reservation = true};
  EXPECT_EQ(alarm_high(terms, "u").evaluation_periods, 1);
  EXPECT_EQ(alarm_low(terms, "u").threshold, 90);
  EXPECT_EQ(alarm_low(terms, "u").evaluation_periods, 15);
  EXPECT_TRUE(is_capacity_provider_reservation("AWS/ECS/ManagedScaling", "CapacityProviderReservation"));
  EXPECT_FALSE(is_capacity_provider_reservation("AWS/ECS", "CapacityProviderReservation"));
}

TEST(TrackingAlarms, TheDescriptionOfAGroupsAlarmIsCut) {
  EXPECT_EQ(tracking_alarm_description(Tracker::Group, "arn:x"),
            "DO NOT EDIT OR DELETE. For TargetTrackingScaling policy arn:x.");
  EXPECT_EQ(tracking_alarm_description(Tracker::Group, std::string(300, 'x')).size(), 255u);
  EXPECT_EQ(tracking_alarm_description(Tracker::Application, std::string(300, 'x')).size(), 357u);
}

}  // namespace
}  // namespace autoscaler
