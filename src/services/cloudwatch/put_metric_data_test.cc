// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "services/cloudwatch/cloudwatch_fixture.h"

namespace services::cloudwatch {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class PutMetricDataTest : public CloudWatchTest {
 protected:
  std::string rejected(const MetricDatum& datum) {
    return error_of([&] { put(datum); });
  }
  telemetry::Metric latency() const { return {"111111111111", "us-east-1", "Jobs", "Latency", {}}; }
  std::vector<telemetry::UnitBuckets> read_minute() {
    std::vector<telemetry::UnitBuckets> result;
    const telemetry::ReadRange range{.from = now_, .until = now_ + std::chrono::minutes(1), .period_s = 60, .values = true};
    with_call([&](Call& call) { result = points().read(call.tx, latency(), range); });
    return result;
  }
};

TEST_F(PutMetricDataTest, PointsOfAMinuteAreCombined) {
  put(datum(3, now_));
  put(datum(1, now_ + std::chrono::seconds(59)));
  put(datum(9, now_ + std::chrono::seconds(60)));
  const auto units = read_minute();
  ASSERT_EQ(units.size(), 1u);
  ASSERT_EQ(units[0].buckets.size(), 1u);
  const telemetry::Aggregate& minute = units[0].buckets[0].aggregate;
  EXPECT_EQ(minute, (telemetry::Aggregate{2, 4, 1, 3, {{1, 1}, {3, 1}}}));
  EXPECT_EQ(units[0].buckets[0].start_s, base::to_seconds(now_));
}

TEST_F(PutMetricDataTest, AcknowledgedPointsAreThereAfterARestart) {
  put(datum(3, now_));
  MetricDatum set = datum(0, now_);
  set.Value.reset();
  set.StatisticValues = {.SampleCount = 4, .Sum = 10, .Minimum = 1, .Maximum = 5};
  put(set);
  open();
  const auto units = read_minute();
  ASSERT_EQ(units.size(), 1u);
  EXPECT_EQ(units[0].buckets.at(0).aggregate, (telemetry::Aggregate{5, 13, 1, 5, {}}));
}

TEST_F(PutMetricDataTest, UnitsAreKeptApart) {
  MetricDatum seconds = datum(1, now_);
  seconds.Unit = "Seconds";
  put(seconds);
  put(datum(2, now_));
  EXPECT_EQ(read_minute().size(), 2u);
}

TEST_F(PutMetricDataTest, ValuesAreWeightedByTheirCounts) {
  MetricDatum values = datum(0, now_);
  values.Value.reset();
  values.Values = {1, 10};
  values.Counts = {2, 4};
  put(values);
  const auto units = read_minute();
  ASSERT_EQ(units.size(), 1u);
  EXPECT_EQ(units[0].buckets.at(0).aggregate, (telemetry::Aggregate{6, 42, 1, 10, {{1, 2}, {10, 4}}}));
}

TEST_F(PutMetricDataTest, InvalidNumbersAreNamedAsAmazonPrintsThem) {
  EXPECT_EQ(rejected(datum(std::nan(""), now_)),
            "InvalidParameterValue: The value NaN for parameter MetricData.member.1.Value is invalid.");
  EXPECT_THAT(rejected(datum(HUGE_VAL, now_)), HasSubstr("The value ∞ for"));
  EXPECT_THAT(rejected(datum(-1e120, now_)), HasSubstr("The value -1,000,000,000,"));
  EXPECT_THAT(rejected(datum(1e-120, now_)), HasSubstr("The value 0 for"));
  EXPECT_EQ(rejected(datum(std::ldexp(1.0, 360), now_)), "");
  EXPECT_EQ(rejected(datum(0, now_)), "");
}

TEST_F(PutMetricDataTest, TimesFromTwoWeeksAgoToTwoHoursAheadAreAccepted) {
  const auto weeks = std::chrono::hours(14 * 24);
  EXPECT_EQ(rejected(datum(1, now_ - weeks)), "");
  EXPECT_THAT(rejected(datum(1, now_ - weeks - base::Duration(1))), HasSubstr("must specify a time within the past two weeks."));
  EXPECT_EQ(rejected(datum(1, now_ + std::chrono::hours(2))), "");
  EXPECT_THAT(rejected(datum(1, now_ + std::chrono::hours(2) + base::Duration(1))),
              HasSubstr("no more than two hours in the future."));
}

TEST_F(PutMetricDataTest, MembersThatExcludeEachOtherAreRejected) {
  MetricDatum both = datum(1, now_);
  both.Values = {1, 2};
  EXPECT_EQ(rejected(both),
            "InvalidParameterCombination: The parameters MetricData.member.1.Value and MetricData.member.1.Values are "
            "mutually exclusive and you have specified both.");
  MetricDatum uneven = datum(1, now_);
  uneven.Value.reset();
  uneven.Values = {1, 2};
  uneven.Counts = {1};
  EXPECT_THAT(rejected(uneven), HasSubstr("Values and MetricData.member.1.Counts must be of the same size."));
  MetricDatum none = datum(1, now_);
  none.Value.reset();
  EXPECT_THAT(rejected(none), StartsWith("MissingParameter: At least one of the parameters MetricData.member.1.Value"));
}

TEST_F(PutMetricDataTest, OneInvalidDatumRejectsAll) {
  PutMetricDataInput input{.Namespace = "Jobs", .MetricData = {{datum(1, now_), datum(std::nan(""), now_)}}};
  EXPECT_THAT(error_of([&] { put(input); }), HasSubstr("MetricData.member.2.Value"));
  EXPECT_TRUE(read_minute().empty());
}

TEST_F(PutMetricDataTest, AmazonsNamespacesAreForServicesOnly) {
  PutMetricDataInput input{.Namespace = "AWS/SQS", .MetricData = {{datum(1, now_)}}};
  EXPECT_EQ(error_of([&] { put(input); }),
            "InvalidParameterValue: The value AWS/ for parameter Namespace is invalid.");
  caller_.service = "sqs.amazonaws.com";
  EXPECT_EQ(error_of([&] { put(input); }), "");
}

TEST_F(PutMetricDataTest, APointOfAWatchedMetricIsMarkedAndWakesTheAlarms) {
  put(datum(1, now_));
  ASSERT_EQ(wakes_.size(), 1u) << "the first point wakes the loop that seals";
  EXPECT_EQ(wakes_[0].topic, "cloudwatch/seal");
  put(datum(1, now_));
  EXPECT_TRUE(wakes_.empty());
  WatchedSeries& watching = locals_->get<WatchedSeries>();
  watching.watch(telemetry::metric_key(latency()));
  put(datum(1, now_));
  ASSERT_EQ(wakes_.size(), 1u);
  EXPECT_EQ(wakes_[0].topic, kAlarmsTopic);
  EXPECT_EQ(watching.take_marked(), std::vector{telemetry::metric_key(latency())});
  EXPECT_TRUE(watching.take_marked().empty());
}

}  // namespace
}  // namespace services::cloudwatch
