// SPDX-License-Identifier: Apache-2.0
#include "services/logs/emf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace services::logs {
namespace {

using testing::ElementsAre;

const base::Time kNow = base::from_millis(1'790'000'000'000);

EmfMetrics read(std::string text) {
  if (const auto at = text.find("NOW"); at != std::string::npos) text.replace(at, 3, "1790000000000");
  JsonTape tape;
  return may_be_emf(text) ? read_emf(text, kNow, kNow, tape) : EmfMetrics{};
}

// "namespace/metric{dimension=value}=value" of each datum.
std::vector<std::string> shown(const EmfMetrics& metrics) {
  std::vector<std::string> out;
  for (const auto& input : metrics.data) {
    for (const auto& datum : *input.MetricData) {
      std::string text = input.Namespace + "/" + datum.MetricName + "{";
      for (const auto& one : *datum.Dimensions) text += one.Name + "=" + one.Value + ";";
      text += "}";
      if (datum.Value) text += "=" + number_text(*datum.Value);
      if (datum.Values) for (double value : *datum.Values) text += "," + number_text(value);
      if (datum.Counts) for (double value : *datum.Counts) text += "x" + number_text(value);
      if (const auto& set = datum.StatisticValues) {
        text += "=[" + number_text(set->Minimum) + ".." + number_text(set->Maximum) + "] n" + number_text(set->SampleCount);
      }
      if (datum.Unit) text += " " + *datum.Unit;
      if (datum.StorageResolution) text += " @" + std::to_string(*datum.StorageResolution);
      out.push_back(text);
    }
  }
  return out;
}

TEST(Emf, ADocumentedEventHasOneMetricForEachSetOfDimensions) {
  const auto metrics = read(R"({"_aws":{"Timestamp":NOW,"CloudWatchMetrics":[{"Namespace":"lambda-function-metrics",
    "Dimensions":[["functionVersion"],["functionVersion","host"],[]],
    "Metrics":[{"Name":"time","Unit":"Milliseconds","StorageResolution":1},{"Name":"A.a"}]}]},
    "functionVersion":"$LATEST","host":"h","time":100,"A.a":[1,2.5],"requestId":"989"})");
  EXPECT_THAT(shown(metrics),
              ElementsAre("lambda-function-metrics/time{functionVersion=$LATEST;}=100 Milliseconds @1",
                          "lambda-function-metrics/time{functionVersion=$LATEST;host=h;}=100 Milliseconds @1",
                          "lambda-function-metrics/time{}=100 Milliseconds @1",
                          "lambda-function-metrics/A.a{functionVersion=$LATEST;},1,2.5",
                          "lambda-function-metrics/A.a{functionVersion=$LATEST;host=h;},1,2.5",
                          "lambda-function-metrics/A.a{},1,2.5"));
  EXPECT_EQ((*metrics.data[0].MetricData)[0].Timestamp, kNow);
  EXPECT_EQ(metrics.validation_errors, 0);
}

TEST(Emf, VersionZeroHasItsMembersAtTheRoot) {
  EXPECT_THAT(shown(read(R"({"Version":"0","Timestamp":"NOW","CloudWatchMetrics":[{"Namespace":"N","Dimensions":[["d"]],
    "Metrics":[{"Name":"m"}]}],"d":"x","m":1})")), ElementsAre("N/m{d=x;}=1"));
}

TEST(Emf, ValuesMayBeStatistics) {
  EXPECT_THAT(shown(read(R"({"_aws":{"CloudWatchMetrics":[{"Namespace":"N","Dimensions":[[]],
    "Metrics":[{"Name":"a"},{"Name":"b"}]}]},"a":{"Max":3,"Min":1,"Count":2,"Sum":4},
    "b":{"Values":[1,2],"Counts":[5,6],"Max":2,"Min":1,"Count":0,"Sum":17}})")),
              ElementsAre("N/a{}=[1..3] n2", "N/b{},1,2x5x6"));
}

TEST(Emf, OtherEventsHaveNoMetricsAndNoErrors) {
  for (const char* other : {"plain", "{}", R"({"a":"CloudWatchMetrics"})", R"( {"_aws":{"CloudWatchMetrics":[]}})",
                            R"({"_aws":{"x":{"CloudWatchMetrics":1}}})", R"(x {"CloudWatchMetrics":1})"}) {
    const auto metrics = read(other);
    EXPECT_TRUE(metrics.data.empty() && !metrics.parsing_errors && !metrics.validation_errors) << other;
  }
}

TEST(Emf, TextAroundTheObjectIsAParsingError) {
  EXPECT_EQ(read(R"({"_aws":{"CloudWatchMetrics":[]}} x)").parsing_errors, 1);
  EXPECT_EQ(read(R"({"_aws":{"CloudWatchMetrics":[)").parsing_errors, 1);
}

TEST(Emf, PartsThatBreakARuleAreLeftOutAndCounted) {
  const auto errors = [](const std::string& directive, const std::string& rest = R"("m":1,"d":"x")") {
    return read(R"({"_aws":{"Timestamp":NOW,"CloudWatchMetrics":[)" + directive + "]}," + rest + "}").validation_errors;
  };
  const std::string rest = R"(,"Dimensions":[[]],"Metrics":[{"Name":"m"}]})";
  EXPECT_EQ(errors(R"({"Namespace":"N")" + rest), 0);
  EXPECT_EQ(errors(R"({"Namespace":"")" + rest), 1);
  EXPECT_EQ(errors(R"({"Namespace":"AWS/EC2")" + rest), 1);
  EXPECT_EQ(errors(R"({"x":"")" + rest), 1);
  EXPECT_EQ(errors(R"({"Namespace":"N","Dimensions":[],"Metrics":[{"Name":"m"}]})"), 1);
  EXPECT_EQ(errors(R"({"Namespace":"N","Dimensions":[["none"]],"Metrics":[{"Name":"m"}]})"), 1);
  EXPECT_EQ(errors(R"({"Namespace":"N","Dimensions":[["m"]],"Metrics":[{"Name":"m"}]})"), 1);
  EXPECT_EQ(errors(R"({"Namespace":"N","Dimensions":[[]],"Metrics":[]})"), 1);
  EXPECT_EQ(errors(R"({"Namespace":"N","Dimensions":[[]],"Metrics":[{"Name":"none"},{"Name":"d"},{"Name":"m"}]})"), 2);
  EXPECT_EQ(errors(R"({"Namespace":"N","Dimensions":[[]],"Metrics":[{"Name":"m","Unit":"Apples"}]})"), 1);
  EXPECT_EQ(errors(R"({"Namespace":"N","Dimensions":[[]],"Metrics":[{"Name":"m","StorageResolution":5}]})"), 1);
  std::string many, values;
  for (int i = 0; i < 101; ++i) {
    many += std::string(i ? "," : "") + R"({"Name":"m"})";
    values += std::string(i ? "," : "") + "1";
  }
  EXPECT_EQ(errors(R"({"Namespace":"N","Dimensions":[[]],"Metrics":[)" + many + "]}"), 1);
  EXPECT_EQ(errors(R"({"Namespace":"N")" + rest, R"("m":[)" + values + "]"), 1);
  EXPECT_EQ(errors(R"({"Namespace":"N")" + rest, R"("m":1e200)"), 1);
}

TEST(Emf, TimesOutsideOfTheWindowHaveNoMetrics) {
  const auto errors = [](const std::string& time) {
    return read(R"({"_aws":{"Timestamp":)" + time + R"(,"CloudWatchMetrics":[{"Namespace":"N","Dimensions":[[]],
      "Metrics":[{"Name":"m"}]}]},"m":1})").validation_errors;
  };
  const std::int64_t now = base::to_millis(kNow);
  EXPECT_EQ(errors(std::to_string(now - 14 * 86'400'000LL)), 0);
  EXPECT_EQ(errors(std::to_string(now - 14 * 86'400'000LL - 1)), 1);
  EXPECT_EQ(errors(std::to_string(now + 7'200'000)), 0);
  EXPECT_EQ(errors(std::to_string(now + 7'200'001)), 1);
  EXPECT_EQ(errors("1.5"), 1);
  EXPECT_EQ(errors("null"), 1);
}

}  // namespace
}  // namespace services::logs
