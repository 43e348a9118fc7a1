// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/statistic.h"

#include <gtest/gtest.h>

namespace services::cloudwatch {
namespace {

telemetry::Aggregate one_to(int last) {
  telemetry::Combiner combiner;
  for (int i = last; i >= 1; --i) combiner.add(i);
  return combiner.take();
}

double value_of(std::string_view name, const telemetry::Aggregate& aggregate) {
  const auto statistic = parse_statistic(name);
  EXPECT_TRUE(statistic) << name;
  return statistic ? compute(*statistic, aggregate).value_or(-1) : -2;
}

TEST(Statistic, EachOfAHundredSamplesHasItsPercentile) {
  const auto samples = one_to(100);
  const std::pair<std::string_view, double> expected[] = {
      {"SampleCount", 100}, {"Sum", 5050},   {"Average", 50.5}, {"Minimum", 1},      {"Maximum", 100},
      {"p0", 1},            {"p1", 1},       {"p50", 50},       {"p99.9", 100},      {"p100", 100},
      {"p100.99", 100},     {"tm90", 45.5},  {"tc90", 90},      {"ts90", 4095},      {"TM(10%:90%)", 50.5},
      {"TM(:90%)", 45.5},   {"TM(10%:)", 55.5}, {"TC(20:30)", 10}, {"TS(20:30)", 255}, {"TM(20:30)", 25.5},
      {"IQM", 50.5},        {"PR(:30)", 30}, {"PR(30:)", 70},   {"PR(10:30)", 20},   {"wm90", 49.95},
      {"WM(10%:90%)", 50.5}, {"WM(:50)", 37.75},
  };
  for (const auto& [name, value] : expected) EXPECT_DOUBLE_EQ(value_of(name, samples), value) << name;
}

TEST(Statistic, ASingleSampleIsNotTrimmedAway) {
  const auto one = telemetry::Aggregate::of(7);
  for (auto name : {"p1", "p99", "tm90", "tm1", "IQM", "wm10"}) EXPECT_EQ(value_of(name, one), 7) << name;
}

TEST(Statistic, PercentilesNeedSamplesThatAreNotNegative) {
  const telemetry::Aggregate set{.count = 3, .sum = 6, .min = 1, .max = 3};
  const auto negative = telemetry::Aggregate::of(-1);
  for (auto name : {"p50", "tm90", "PR(:3)"}) {
    EXPECT_EQ(compute(*parse_statistic(name), set), std::nullopt) << name;
    EXPECT_EQ(compute(*parse_statistic(name), negative), std::nullopt) << name;
  }
  EXPECT_EQ(value_of("Average", set), 2);
}

TEST(Statistic, NoSampleWithinTheBoundsHasNoMean) {
  EXPECT_EQ(compute(*parse_statistic("TM(200:300)"), one_to(100)), std::nullopt);
  EXPECT_EQ(value_of("TC(200:300)", one_to(100)), 0);
}

TEST(Statistic, OtherNamesAreNone) {
  for (auto name : {"", "average", "p", "p101", "p-1", "p1.12345678901", "P50", "tm", "tm(", "tm()", "TM(:)", "TM(10%:90)",
                    "TM(90%:10%)", "TM(10%)", "pr90", "PR(10%:20%)", "p5e1", "xx90", "TM(1:2:3)"}) {
    EXPECT_FALSE(parse_statistic(name)) << name;
  }
}

}  // namespace
}  // namespace services::cloudwatch
