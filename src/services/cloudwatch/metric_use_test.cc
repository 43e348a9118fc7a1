// SPDX-License-Identifier: Apache-2.0
// Reading a metric of a service makes that service publish it every second.
#include "services/cloudwatch/cloudwatch_fixture.h"
#include "services/metric_interest.h"

namespace services::cloudwatch {
namespace {

class MetricUse : public CloudWatchTest {
 protected:
  void read_statistics(const std::string& space, base::Time until) {
    GetMetricStatisticsInput input{.Namespace = space, .MetricName = "Depth"};
    input.Dimensions = std::vector<Dimension>{queue_};
    input.StartTime = until - std::chrono::hours(1);
    input.EndTime = until;
    input.Period = 60;
    input.Statistics = {"Sum"};
    run<GetMetricStatisticsOutput>("GetMetricStatistics", input);
  }
  void read_data(const std::string& space, base::Time until) {
    MetricDataQuery query{.Id = "q"};
    query.MetricStat.emplace();
    query.MetricStat->Metric.Namespace = space;
    query.MetricStat->Metric.MetricName = "Depth";
    query.MetricStat->Metric.Dimensions = std::vector<Dimension>{queue_};
    query.MetricStat->Period = 60;
    query.MetricStat->Stat = "Sum";
    run<GetMetricDataOutput>("GetMetricData", GetMetricDataInput{.MetricDataQueries = {query},
                                                                 .StartTime = until - std::chrono::hours(1),
                                                                 .EndTime = until});
  }
  std::set<MetricKey> used() { return locals_->get<MetricInterest>().current(now_); }
  bool woke_publisher() {
    return std::any_of(wakes_.begin(), wakes_.end(), [](const Wake& wake) { return wake.topic == kPublishTopic; });
  }
  const Dimension queue_{.Name = "QueueName", .Value = "q"};

  MetricKey depth() { return {caller_.account, caller_.region, "AWS/SQS", "Depth", {{"QueueName", "q"}}}; }
};

TEST_F(MetricUse, BothWaysOfReadingUseAMetricAndTheFirstWakesThePublisher) {
  read_statistics("AWS/SQS", now_);
  EXPECT_EQ(used(), std::set<MetricKey>{depth()});
  EXPECT_TRUE(woke_publisher());
  now_ += std::chrono::minutes(20);
  EXPECT_TRUE(used().empty());
  read_data("AWS/SQS", now_);
  EXPECT_EQ(used(), std::set<MetricKey>{depth()});
  EXPECT_TRUE(woke_publisher());
  read_data("AWS/SQS", now_);
  EXPECT_FALSE(woke_publisher());
}

TEST_F(MetricUse, ReadingThePastOrMetricsOfClientsDoesNot) {
  read_statistics("AWS/SQS", now_ - std::chrono::hours(1));
  read_data("AWS/SQS", now_ - std::chrono::hours(1));
  read_statistics("Jobs", now_);
  EXPECT_TRUE(used().empty());
}

}  // namespace
}  // namespace services::cloudwatch
