// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "services/logs/filters/filter_matches.h"
#include "services/logs/filters/filters_fixture.h"

namespace services::logs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

class MetricFilters : public FiltersTest {
 protected:
  DescribeMetricFiltersResponse describe(DescribeMetricFiltersRequest request = {}) {
    return run<DescribeMetricFiltersResponse>("DescribeMetricFilters", request);
  }
};

TEST_F(MetricFilters, AMatchingEventPublishesAPointInItsMinute) {
  put_filter(filter("ERROR"));
  put("g", "s", {{0, "ERROR 1"}, {1000, "fine"}, {2000, "ERROR 2"}, {60'000, "ERROR 3"}});
  EXPECT_EQ(*(*recorder().metrics.at(0).MetricData)[1].Timestamp, now_ + std::chrono::minutes(1));
  EXPECT_THAT(metrics(), ElementsAre("n/m{}=1x2", "n/m{}=1x1"));
  EXPECT_THAT(recorder().principals, ElementsAre("logs.amazonaws.com 111111111111 us-east-1"));
}

TEST_F(MetricFilters, AValueIsAFieldOfTheEvent) {
  put_filter(filter("{ $.status = 500 }", "$.latency"));
  put("g", "s", {{0, R"({"status":500,"latency":1.5})"}, {1, R"({"status":500,"latency":"x"})"}, {2, R"({"status":500})"},
                 {3, R"({"status":500,"latency":"2"})"}});
  EXPECT_THAT(metrics(), ElementsAre("n/m{}=1.5x1,2x1"));
  put_filter(filter("[ip, ..., bytes]", "$bytes"));
  put("g", "s", {{0, "1.2.3.4 GET / 77"}});
  EXPECT_THAT(metrics(), ElementsAre("n/m{}=77x1"));
}

TEST_F(MetricFilters, DimensionsAreFieldsAndWithoutThemNothingIsPublished) {
  auto request = filter("{ $.n = * }", "$.n");
  request.metricTransformations[0].dimensions.emplace()["Host"] = "$.host";
  request.metricTransformations[0].unit = "Count";
  put_filter(request);
  put("g", "s", {{0, R"({"n":1,"host":"a"})"}, {1, R"({"n":1,"host":"b"})"}, {2, R"({"n":1})"}});
  EXPECT_THAT(metrics(), ElementsAre("n/m{Host=a}=1x1 Count", "n/m{Host=b}=1x1 Count"));
}

TEST_F(MetricFilters, TheDefaultValueIsPublishedForAMinuteWithoutAMatch) {
  auto request = filter("ERROR");
  request.metricTransformations[0].defaultValue = 0;
  put_filter(request);
  put("g", "s", {{0, "fine"}});
  EXPECT_THAT(wakes_, testing::Contains("logs/minutes"));
  EXPECT_EQ(take_turn("logs minutes"), now_ + std::chrono::minutes(1));
  EXPECT_THAT(metrics(), IsEmpty());
  now_ += std::chrono::minutes(1);
  take_turn("logs minutes");
  EXPECT_THAT(metrics(), UnorderedElementsAre("n/m{}=0", "AWS/Logs/IncomingLogEvents{LogGroupName=g}=1 None",
                                              "AWS/Logs/IncomingBytes{LogGroupName=g}=30 Bytes"));
  put("g", "s", {{0, "ERROR"}});
  EXPECT_THAT(metrics(), ElementsAre("n/m{}=1x1"));
  now_ += std::chrono::minutes(1);
  take_turn("logs minutes");
  EXPECT_THAT(metrics(), testing::Not(testing::Contains("n/m{}=0")));
  now_ += std::chrono::minutes(1);
  EXPECT_EQ(take_turn("logs minutes"), std::nullopt);
  EXPECT_THAT(metrics(), IsEmpty());
}

TEST_F(MetricFilters, ARejectedMetricDoesNotFailTheEvents) {
  put_filter(filter("ERROR"));
  recorder().reject = true;
  EXPECT_TRUE(put("g", "s", {{0, "ERROR"}}).nextSequenceToken);
}

TEST_F(MetricFilters, AChangedOrDeletedFilterTakesEffectAtOnce) {
  put_filter(filter("ERROR"));
  put("g", "s", {{0, "ERROR"}});
  put_filter(filter("WARN"));
  put("g", "s", {{0, "ERROR"}});
  EXPECT_THAT(metrics(), SizeIs(1));
  run<void>("DeleteMetricFilter", DeleteMetricFilterRequest{"g", "f"});
  put("g", "s", {{0, "WARN"}});
  EXPECT_THAT(metrics(), IsEmpty());
}

TEST_F(MetricFilters, GoWithTheirGroup) {
  put_filter(filter("ERROR"));
  run<void>("DeleteLogGroup", DeleteLogGroupRequest{.logGroupName = "g"});
  EXPECT_EQ(count_rows("logs_metric_filters"), 0);
  EXPECT_THAT(*describe().metricFilters, IsEmpty());
}

TEST_F(MetricFilters, AreListedByNameWithWhatWasPut) {
  make_group("h");
  auto request = filter("{ $.a = 1 }", "$.a");
  request.metricTransformations[0].dimensions.emplace()["D"] = "$.d";
  put_filter(request);
  request = filter("x");
  request.filterName = "e";
  request.metricTransformations[0].defaultValue = 2;
  put_filter(request);
  request.logGroupName = "h";
  put_filter(request);
  const auto all = describe();
  ASSERT_THAT(*all.metricFilters, SizeIs(3));
  const MetricFilter& last = all.metricFilters->at(2);
  EXPECT_EQ(last.filterName, "f");
  EXPECT_EQ(last.logGroupName, "g");
  EXPECT_EQ(last.creationTime, base::to_millis(now_));
  EXPECT_EQ(last.applyOnTransformedLogs, false);
  EXPECT_EQ(last.metricTransformations->at(0).dimensions->at("D"), "$.d");
  EXPECT_EQ(last.metricTransformations->at(0).defaultValue, std::nullopt);
  EXPECT_EQ(all.metricFilters->at(0).metricTransformations->at(0).defaultValue, 2);

  DescribeMetricFiltersRequest page{.limit = 2};
  auto first = describe(page);
  EXPECT_THAT(*first.metricFilters, SizeIs(2));
  page.nextToken = first.nextToken;
  const auto second = describe(page);
  EXPECT_THAT(*second.metricFilters, SizeIs(1));
  EXPECT_EQ(second.nextToken, std::nullopt);

  DescribeMetricFiltersRequest in_group{.logGroupName = "g"};
  EXPECT_THAT(*describe(in_group).metricFilters, SizeIs(2));
  in_group.filterNamePrefix = "f";
  EXPECT_THAT(*describe(in_group).metricFilters, SizeIs(1));
  DescribeMetricFiltersRequest by_metric{.metricName = "m", .metricNamespace = "n"};
  EXPECT_THAT(*describe(by_metric).metricFilters, SizeIs(3));
  by_metric.metricName = "other";
  EXPECT_THAT(*describe(by_metric).metricFilters, IsEmpty());
}

TEST_F(MetricFilters, APutThatIsUndoneAndRunsAgainStillWakesTheLoopOfMinutes) {
  PutLogEventsRequest request{.logGroupName = "g", .logStreamName = "s"};
  request.logEvents.push_back({base::to_millis(now_), "m"});
  const auto undone = [&](Call& call) {
    directory_.find("logs", "PutLogEvents")->run(call, &request);
    throw wire::ApiError("Undone", "another handler of the transaction failed");
  };
  EXPECT_EQ(error_of([&] { with_call(undone); }), "Undone: another handler of the transaction failed");
  put("g", "s", {{0, "m"}});
  EXPECT_THAT(wakes_, testing::Contains("logs/minutes"));
  put("g", "s", {{0, "m"}});
  EXPECT_THAT(wakes_, testing::Not(testing::Contains("logs/minutes"))) << "the loop has this minute already";
}

TEST_F(MetricFilters, InvalidOnesAreRejectedInAmazonsWords) {
  EXPECT_EQ(put_filter_error(filter("a:b")), "InvalidParameterException: Invalid character(s) in term ':'");
  auto request = filter("a");
  request.metricTransformations[0].dimensions.emplace()["D"] = "$.d";
  EXPECT_EQ(put_filter_error(request), "InvalidParameterException: The specified filter pattern does not support dimensions");
  request = filter("{ $.a = 1 }");
  request.metricTransformations[0].dimensions.emplace()["D"] = "$.d";
  request.metricTransformations[0].defaultValue = 1;
  EXPECT_EQ(put_filter_error(request), "InvalidParameterException: Invalid metric transformation: dimensions and default "
                                       "value are mutually exclusive properties");
  EXPECT_THAT(put_filter_error(filter("a", "$.x")), HasSubstr("InvalidParameterException"));
  EXPECT_THAT(put_filter_error(filter("a", "x")), HasSubstr("InvalidParameterException"));
  request = filter("a");
  request.metricTransformations[0].metricNamespace = "AWS/EC2";
  EXPECT_THAT(put_filter_error(request), HasSubstr("AWS/"));
  request = filter("a");
  request.logGroupName = "none";
  EXPECT_EQ(put_filter_error(request), "ResourceNotFoundException: The specified log group does not exist.");
  EXPECT_EQ(error_of([&] { run<void>("DeleteMetricFilter", DeleteMetricFilterRequest{"g", "f"}); }),
            "ResourceNotFoundException: The specified metric filter does not exist.");
}

TEST_F(MetricFilters, HaveLimitsPerGroup) {
  for (int i = 0; i < 6; ++i) {
    auto request = filter("%a%");
    request.filterName = "r" + std::to_string(i);
    EXPECT_EQ(put_filter_error(request), i < 5 ? "" : "LimitExceededException: Resource limit exceeded.");
  }
  // In one transaction: each costs a sync.
  with_call([&](Call& call) {
    for (int i = 5; i < 100; ++i) {
      auto request = filter("a");
      request.filterName = "f" + std::to_string(i);
      directory_.find("logs", "PutMetricFilter")->run(call, &request);
    }
  });
  EXPECT_EQ(put_filter_error(filter("a")), "LimitExceededException: Resource limit exceeded.");
  auto again = filter("b");
  again.filterName = "f5";
  EXPECT_EQ(put_filter_error(again), "");
}

TEST_F(MetricFilters, AreTestedWithoutBeingStored) {
  const auto answer = run<TestMetricFilterResponse>(
      "TestMetricFilter", TestMetricFilterRequest{"{ $.latency > 40 }", {R"({"latency":10})", R"({"latency":50})"}});
  ASSERT_THAT(*answer.matches, SizeIs(1));
  EXPECT_EQ(answer.matches->at(0).eventNumber, 1);
  EXPECT_EQ(answer.matches->at(0).eventMessage, R"({"latency":50})");
  EXPECT_THAT(*answer.matches->at(0).extractedValues, ElementsAre(testing::Pair("$.latency", "50")));
}

TEST_F(MetricFilters, MatchedOnASnapshotPublishTheSame) {
  Lines lines;
  for (int i = 0; i < 300; ++i) {
    const std::string n = std::to_string(i % 7), host = std::to_string(i % 3);
    lines.push_back({i * 1000, i % 5 ? R"({"n":)" + n + R"(,"host":"h)" + host + "\"}" : "ERROR " + n});
  }
  put_filter(filter("ERROR"));
  auto request = filter("{ $.n > 2 }", "$.n");
  request.filterName = "values";
  put_filter(request);
  request.filterName = "hosts";
  request.metricTransformations[0].dimensions.emplace()["Host"] = "$.host";
  put_filter(request);
  put("g", "s", lines);
  const auto expected = metrics();
  EXPECT_THAT(expected, SizeIs(testing::Gt(10u)));
  EXPECT_EQ(put_many(lines), 1);
  EXPECT_EQ(metrics(), expected);
}

TEST_F(MetricFilters, ThatChangeAfterTheSnapshotAreMatchedAgain) {
  put_filter(filter("ERROR"));
  EXPECT_EQ(put_many({{0, "ERROR WARN"}}, [&] { put_filter(filter("WARN", "2")); }), 2);
  EXPECT_THAT(metrics(), ElementsAre("n/m{}=2x1"));
  const auto drop = [&] { run<void>("DeleteMetricFilter", DeleteMetricFilterRequest{"g", "f"}); };
  EXPECT_EQ(put_many({{0, "WARN"}}, drop), 2);
  EXPECT_THAT(metrics(), IsEmpty());
  EXPECT_EQ(put_many({{0, "ERROR"}}, [&] { put_filter(filter("ERROR")); }), 2);
  EXPECT_THAT(metrics(), ElementsAre("n/m{}=1x1"));
  const auto again = [&] {
    run<void>("DeleteLogGroup", DeleteLogGroupRequest{.logGroupName = "g"});
    make_group("g");
    make_stream("g", "s");
  };
  EXPECT_EQ(put_many({{0, "ERROR"}}, again), 2);
  EXPECT_THAT(metrics(), IsEmpty());
  EXPECT_EQ(count_rows("log_batches WHERE group_id = (SELECT max(id) FROM logs_groups)"), 1);
}

TEST_F(MetricFilters, TheAgeOfEventsIsJudgedOnceAndByARetentionThatIsStillValid) {
  put_filter(filter("ERROR"));
  const std::int64_t day = 24 * 3600 * 1000;
  // It expires, as its age is the limit, while the request waits.
  EXPECT_EQ(put_many({{-14 * day, "ERROR"}}, [&] { now_ += std::chrono::milliseconds(1); }), 1);
  EXPECT_THAT(metrics(), ElementsAre("n/m{}=1x1"));
  const auto shorten = [&] {
    run<void>("PutRetentionPolicy", PutRetentionPolicyRequest{.logGroupName = "g", .retentionInDays = 1});
  };
  EXPECT_EQ(put_many({{-2 * day, "ERROR"}}, shorten), 2);
  EXPECT_THAT(metrics(), IsEmpty());
}

// With values of their own for each event a hundred filters have a million.
TEST_F(MetricFilters, MatchesOfASnapshotAreFewAndTheRestIsMatchedInTheTransaction) {
  with_call([&](Call& call) {
    for (int i = 0; i < 40; ++i) {
      auto request = filter("[n]", "$n");
      request.filterName = "f" + std::to_string(i);
      request.metricTransformations[0].metricName = "m" + std::to_string(i);
      directory_.find("logs", "PutMetricFilter")->run(call, &request);
    }
  });
  Lines lines;
  std::vector<telemetry::NewEvent> events;
  for (int i = 0; i < 1000; ++i) lines.push_back({0, std::to_string(i)});
  for (const auto& [ms, message] : lines) events.push_back({ms, message});
  with_call([&](Call& call) {
    const FilterMatches matches = match_all(call.local<FilterCache>().get(call.tx, 1), events);
    EXPECT_THAT(matches.metrics, SizeIs(testing::AllOf(testing::Gt(0u), testing::Lt(40u))));
  });
  put("g", "s", lines);
  const auto expected = metrics();
  EXPECT_THAT(expected, SizeIs(40 * 7));
  put_many(lines);
  EXPECT_EQ(metrics(), expected);
}

TEST_F(MetricFilters, ASnapshotLeavesNoFiltersInMemory) {
  put_filter(filter("ERROR"));
  FilterCache& cache = locals_.get<FilterCache>();
  store_->read_now([&](store::Tx& tx) { EXPECT_THAT(cache.peek(tx, 1)->metrics, SizeIs(1)); });
  with_call([&](Call& call) {
    delete_filters(call.tx, 1);
    EXPECT_TRUE(cache.get(call.tx, 1)->empty());
  });
}

class EmbeddedMetrics : public FiltersTest {};

TEST_F(EmbeddedMetrics, OfAnEventArePublishedBesidesStoringIt) {
  put("g", "s", {{0, R"({"_aws":{"Timestamp":1800000000000,"CloudWatchMetrics":[{"Namespace":"N","Dimensions":[["d"]],)"
                     R"("Metrics":[{"Name":"a","Unit":"Count"}]}]},"d":"x","a":3})"}, {1, "plain"}});
  EXPECT_THAT(metrics(), ElementsAre("N/a{d=x}=3 Count"));
}

TEST_F(EmbeddedMetrics, OfARequestAreBounded) {
  std::string sets, metrics, values;
  for (int i = 0; i < 100; ++i) {
    sets += i ? ",[]" : "[]";
    metrics += std::string(i ? "," : "") + R"({"Name":"m)" + std::to_string(i) + "\"}";
    values += ",\"m" + std::to_string(i) + "\":1";
  }
  const std::string event = R"({"_aws":{"CloudWatchMetrics":[{"Namespace":"N","Dimensions":[)" + sets +
                            R"(],"Metrics":[)" + metrics + "]}]}" + values + "}";
  put("g", "s", Lines(11, {0, event}));
  std::size_t data = 0;
  for (const auto& input : recorder().metrics) data += input.MetricData->size();
  EXPECT_EQ(data, 100'000u);
  recorder().metrics.clear();
  now_ += std::chrono::minutes(1);
  take_turn("logs minutes");
  EXPECT_THAT(this->metrics(), testing::Contains("AWS/Logs/EMFValidationErrors{LogGroupName=g}=1 None"));
}

TEST_F(EmbeddedMetrics, ErrorsAreCountedPerGroup) {
  put("g", "s", {{0, R"({"_aws":{"CloudWatchMetrics":[)"}, {1, R"({"_aws":{"CloudWatchMetrics":[{}]}})"}});
  now_ += std::chrono::minutes(1);
  take_turn("logs minutes");
  EXPECT_THAT(metrics(), testing::IsSupersetOf({"AWS/Logs/EMFParsingErrors{LogGroupName=g}=1 None",
                                                "AWS/Logs/EMFValidationErrors{LogGroupName=g}=1 None"}));
}

}  // namespace
}  // namespace services::logs
