// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "services/cloudwatch/cloudwatch_fixture.h"

namespace services::cloudwatch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

class MetricQueryTest : public CloudWatchTest {
 protected:
  GetMetricStatisticsInput statistics(base::Duration back, std::int32_t period) const {
    GetMetricStatisticsInput input{.Namespace = "Jobs", .MetricName = "Latency"};
    input.StartTime = now_ - back;
    input.EndTime = now_;
    input.Period = period;
    input.Statistics = {"Sum"};
    return input;
  }
  std::vector<double> sums(const GetMetricStatisticsInput& input) {
    std::vector<double> sums;
    const auto output = run<GetMetricStatisticsOutput>("GetMetricStatistics", input);
    for (const Datapoint& point : *output.Datapoints) sums.push_back(*point.Sum);
    return sums;
  }
  MetricDataQuery query(const std::string& id, const std::string& stat = "Sum", std::int32_t period = 60) const {
    MetricDataQuery query{.Id = id};
    query.MetricStat.emplace();
    query.MetricStat->Metric.Namespace = "Jobs";
    query.MetricStat->Metric.MetricName = "Latency";
    query.MetricStat->Period = period;
    query.MetricStat->Stat = stat;
    return query;
  }
  MetricDataQuery expression(const std::string& id, const std::string& text) const {
    MetricDataQuery query{.Id = id};
    query.Expression = text;
    return query;
  }
  GetMetricDataInput last_hour(std::vector<MetricDataQuery> queries) const {
    return {.MetricDataQueries = std::move(queries), .StartTime = now_ - hours(1), .EndTime = now_};
  }
  GetMetricDataOutput get(const GetMetricDataInput& input) { return run<GetMetricDataOutput>("GetMetricData", input); }
};

TEST_F(MetricQueryTest, BucketsStepFromTheRoundedStart) {
  put(datum(1, now_ - minutes(6)));
  put(datum(2, now_ - minutes(5)));
  put(datum(4, now_ - minutes(1)));
  auto input = statistics(minutes(6), 300);
  input.StartTime += seconds(30);
  const auto output = run<GetMetricStatisticsOutput>("GetMetricStatistics", input);
  ASSERT_EQ(output.Datapoints->size(), 2u);
  EXPECT_EQ(*output.Datapoints->at(0).Timestamp, now_ - minutes(6));
  EXPECT_EQ(*output.Datapoints->at(0).Sum, 3);
  EXPECT_EQ(*output.Datapoints->at(1).Timestamp, now_ - minutes(1));
  EXPECT_EQ(*output.Datapoints->at(0).Unit, "None");
  EXPECT_EQ(*output.Label, "Latency");
}

TEST_F(MetricQueryTest, PeriodsTooFineForTheAgeOfTheDataHaveNoPoints) {
  put(datum(1, now_ - hours(4)));
  put(datum(2, now_ - hours(2)));
  EXPECT_THAT(sums(statistics(hours(5), 60)), ElementsAre(1, 2));
  EXPECT_THAT(sums(statistics(hours(5), 30)), ElementsAre(2));
}

TEST_F(MetricQueryTest, ErrorsOfGetMetricStatisticsAreWordedAsByAmazon) {
  const auto error = [&](const GetMetricStatisticsInput& input) {
    return error_of([&] { run<GetMetricStatisticsOutput>("GetMetricStatistics", input); });
  };
  auto both = statistics(hours(1), 60);
  both.Statistics = {{"Sum"}};
  both.ExtendedStatistics = {{"p50"}};
  EXPECT_EQ(error(both), "InvalidParameterCombination: Must specify either Statistics or ExtendedStatistics");
  EXPECT_EQ(error(statistics(hours(24), 1)),
            "InvalidParameterCombination: You have requested up to 86400 datapoints, which exceeds the limit of 1440. You "
            "may reduce the datapoints requested by increasing Period, or decreasing the time range.");
  EXPECT_EQ(error(statistics(seconds(0), 60)),
            "InvalidParameterValue: The parameter StartTime must be less than the parameter EndTime.");
  auto neither = statistics(hours(1), 60);
  neither.Statistics.reset();
  EXPECT_EQ(error(neither), "InvalidParameterCombination: Must specify either Statistics or ExtendedStatistics");
  auto unknown = statistics(hours(1), 60);
  unknown.ExtendedStatistics = {"p101"};
  EXPECT_THAT(error(unknown), HasSubstr("The value p101 for parameter ExtendedStatistics is not supported."));
  EXPECT_THAT(error(statistics(hours(1), 45)), HasSubstr("The parameter Period must be"));
}

TEST_F(MetricQueryTest, DimensionsMustMatchAsASet) {
  MetricDatum with = datum(5, now_ - minutes(1));
  with.Dimensions = std::vector<Dimension>{{"Queue", "a"}, {"Host", "b"}};
  put(with);
  EXPECT_TRUE(sums(statistics(hours(1), 60)).empty());
  auto input = statistics(hours(1), 60);
  input.Dimensions = std::vector<Dimension>{{"Host", "b"}, {"Queue", "a"}};
  EXPECT_THAT(sums(input), ElementsAre(5));
}

TEST_F(MetricQueryTest, ResultsAreDescendingUnlessScannedByTimestampAscending) {
  put(datum(1, now_ - minutes(2)));
  put(datum(2, now_ - minutes(1)));
  auto input = last_hour({query("m1")});
  EXPECT_THAT(*get(input).MetricDataResults->at(0).Values, ElementsAre(2, 1));
  input.ScanBy = "TimestampAscending";
  const auto ascending = get(input);
  EXPECT_THAT(*ascending.MetricDataResults->at(0).Values, ElementsAre(1, 2));
  EXPECT_EQ(*ascending.MetricDataResults->at(0).StatusCode, "Complete");
  EXPECT_TRUE(ascending.Messages->empty());
}

TEST_F(MetricQueryTest, PagesTogetherHaveAllPointsOnce) {
  for (int i = 1; i <= 5; ++i) put(datum(i, now_ - minutes(i)));
  auto input = last_hour({query("m1"), query("m2", "Maximum")});
  input.MaxDatapoints = 3;
  std::vector<double> values;
  std::vector<std::string> codes;
  for (int page = 0; page < 9; ++page) {
    const auto output = get(input);
    for (const MetricDataResult& result : *output.MetricDataResults) {
      codes.push_back(*result.Id + *result.StatusCode);
      values.insert(values.end(), result.Values->begin(), result.Values->end());
    }
    input.NextToken = output.NextToken;
    if (!input.NextToken) break;
  }
  EXPECT_THAT(values, ElementsAre(1, 2, 3, 4, 5, 1, 2, 3, 4, 5));
  EXPECT_THAT(codes, ElementsAre("m1PartialData", "m1Complete", "m2PartialData", "m2PartialData", "m2Complete"));
  input.NextToken = "bm9uc2Vuc2U=";
  EXPECT_THAT(error_of([&] { get(input); }), HasSubstr("NextToken is invalid"));
}

TEST_F(MetricQueryTest, ExpressionsUseTheMetricsOfTheRequest) {
  put(datum(3, now_ - minutes(2)));
  put(datum(5, now_ - minutes(1)));
  auto hidden = query("m1");
  hidden.ReturnData = false;
  const auto output = get(last_hour({hidden, expression("e1", "m1 * 10")}));
  ASSERT_EQ(output.MetricDataResults->size(), 1u);
  EXPECT_EQ(*output.MetricDataResults->at(0).Id, "e1");
  EXPECT_THAT(*output.MetricDataResults->at(0).Values, ElementsAre(50, 30));
  EXPECT_THAT(error_of([&] { get(last_hour({hidden, expression("e1", "SUM(m1)")})); }), HasSubstr("ValidationError"));
}

TEST_F(MetricQueryTest, ASearchFindsMetricsByTheirDimensions) {
  for (const char* queue : {"a", "b"}) {
    MetricDatum one = datum(queue[0], now_ - minutes(1));
    one.Dimensions = std::vector<Dimension>{{"Queue", queue}};
    put(one);
  }
  const auto output = get(last_hour({expression("e1", "SEARCH('{Jobs,Queue} MetricName=\"Latency\"', 'Sum', 60)")}));
  ASSERT_EQ(output.MetricDataResults->size(), 2u);
  EXPECT_EQ(*output.MetricDataResults->at(0).Label, "a");
  EXPECT_THAT(*output.MetricDataResults->at(1).Values, ElementsAre('b'));
}

TEST_F(MetricQueryTest, LabelsOfASearchShowThePropertiesOfEachMetric) {
  for (const char* queue : {"a", "b"}) {
    MetricDatum one = datum(1, now_ - minutes(1));
    one.Dimensions = std::vector<Dimension>{{"Queue", queue}};
    put(one);
  }
  const auto labels = [&](const std::string& text, const std::string& label) {
    auto search = expression("e1", text);
    search.Label = label;
    std::vector<std::string> out;
    const auto output = get(last_hour({search}));
    for (const MetricDataResult& one : *output.MetricDataResults) out.push_back(*one.Label);
    return out;
  };
  const std::string search = "SEARCH('{Jobs,Queue} Latency', 'Sum', 60)";
  EXPECT_THAT(labels(search, "${PROP('MetricName')} ${PROP('Stat')} ${PROP('Dim.Queue')} ${PROP('Period')}"),
              ElementsAre("Latency Sum a 60", "Latency Sum b 60"));
  EXPECT_THAT(labels("FILL(" + search + ", 0) * 2", "in ${PROP('Dim.Queue')}"), ElementsAre("in a", "in b"));
  EXPECT_THAT(labels(search, "Filled:"), ElementsAre("Filled: a", "Filled: b"));
}

TEST_F(MetricQueryTest, SeveralUnitsAreAnsweredWithOneAndAMessage) {
  for (const char* unit : {"Seconds", "Milliseconds"}) {
    MetricDatum one = datum(unit[0] == 'S' ? 1 : 1000, now_ - minutes(1));
    one.Unit = unit;
    put(one);
  }
  const auto result = get(last_hour({query("m1")})).MetricDataResults->at(0);
  EXPECT_THAT(*result.Values, ElementsAre(1000));
  EXPECT_EQ(*result.Messages->at(0).Value, "Multiple units returned: '[Milliseconds, Seconds]'");
  EXPECT_EQ(sums(statistics(hours(1), 60)).size(), 2u);
}

TEST_F(MetricQueryTest, DefaultLabelsTellMetricsApart) {
  const auto labels = [&](std::vector<MetricDataQuery> queries) {
    std::vector<std::string> labels;
    const auto output = get(last_hour(std::move(queries)));
    for (const auto& result : *output.MetricDataResults) labels.push_back(*result.Label);
    return labels;
  };
  EXPECT_THAT(labels({query("a"), query("b")}), ElementsAre("Latency", "Latency"));
  EXPECT_THAT(labels({query("a"), query("b", "p90")}), ElementsAre("Latency Sum", "Latency p90"));
  EXPECT_THAT(labels({query("a"), query("b", "p90", 300)}), ElementsAre("Latency Sum 60", "Latency p90 300"));
}

TEST_F(MetricQueryTest, LabelsHaveDynamicParts) {
  put(datum(3, now_ - minutes(2)));
  put(datum(5, now_ - minutes(1)));
  const auto label = [&](const std::string& text) {
    auto one = query("m1");
    one.Label = text;
    auto input = last_hour({one});
    input.LabelOptions = LabelOptions{.Timezone = "+0130"};
    return *get(input).MetricDataResults->at(0).Label;
  };
  EXPECT_EQ(label("plain"), "plain");
  EXPECT_EQ(label("${LABEL}: ${MAX}/${MIN}/${AVG}/${LAST}"), "Latency: 5/3/4/5");
  EXPECT_EQ(label("${PROP('Stat')} of ${PROP('Namespace')} ${MIN_MAX_RANGE}"), "Sum of Jobs 3-5");
  EXPECT_EQ(label("${LAST_TIME_RELATIVE}"), "1m ago");
  EXPECT_EQ(label("${LAST_TIME}"), "2027-01-15 09:29:00 +01:30");
  EXPECT_THAT(error_of([&] { label("${NOISE}"); }), HasSubstr("${NOISE}"));
  EXPECT_THAT(error_of([&] { label("${LABEL}${LABEL}"); }), HasSubstr("only once"));
  EXPECT_THAT(error_of([&] { label("${MAX"); }), HasSubstr("without an end"));
}

TEST_F(MetricQueryTest, MetricsAreListedInPagesAndByFilters) {
  PutMetricDataInput input{.Namespace = "Jobs", .MetricData = std::vector<MetricDatum>()};
  for (int i = 0; i < 600; ++i) {
    MetricDatum one = datum(1, now_);
    one.Dimensions = std::vector<Dimension>{{"Task", std::to_string(i)}, {"Even", i % 2 ? "no" : "yes"}};
    input.MetricData->push_back(one);
  }
  put(input);
  ListMetricsInput list;
  auto first = run<ListMetricsOutput>("ListMetrics", list);
  EXPECT_EQ(first.Metrics->size(), 500u);
  list.NextToken = first.NextToken;
  ASSERT_TRUE(list.NextToken);
  const auto second = run<ListMetricsOutput>("ListMetrics", list);
  EXPECT_EQ(second.Metrics->size(), 100u);
  EXPECT_FALSE(second.NextToken);
  ListMetricsInput even{.Namespace = "Jobs", .MetricName = "Latency"};
  even.Dimensions = std::vector<DimensionFilter>{{"Even", "yes"}, {"Task", std::nullopt}};
  EXPECT_EQ(run<ListMetricsOutput>("ListMetrics", even).Metrics->size(), 300u);
  even.Namespace = "Other";
  EXPECT_TRUE(run<ListMetricsOutput>("ListMetrics", even).Metrics->empty());
  caller_.region = "eu-west-1";
  EXPECT_TRUE(run<ListMetricsOutput>("ListMetrics", ListMetricsInput()).Metrics->empty());
}

TEST_F(MetricQueryTest, MetricsWithoutRecentDataAreNotListed) {
  put(datum(1, now_));
  ListMetricsInput recent{.RecentlyActive = "PT3H"};
  EXPECT_EQ(run<ListMetricsOutput>("ListMetrics", recent).Metrics->size(), 1u);
  now_ += hours(4);
  EXPECT_TRUE(run<ListMetricsOutput>("ListMetrics", recent).Metrics->empty());
  EXPECT_EQ(run<ListMetricsOutput>("ListMetrics", ListMetricsInput()).Metrics->size(), 1u);
  now_ += hours(15 * 24);
  EXPECT_TRUE(run<ListMetricsOutput>("ListMetrics", ListMetricsInput()).Metrics->empty());
}

}  // namespace
}  // namespace services::cloudwatch
