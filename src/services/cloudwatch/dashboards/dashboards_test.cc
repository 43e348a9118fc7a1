// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "services/cloudwatch/cloudwatch_fixture.h"
#include "services/cloudwatch/dashboards/dashboard_body.h"
#include "shapes/cloudwatch/dashboard.h"
#include "shapes/cloudwatch/tag.h"

namespace services::cloudwatch {
namespace {

std::string problems_of(const std::string& body) {
  std::string out;
  for (const BodyProblem& problem : find_body_problems(body)) out += problem.path + ": " + problem.message + "\n";
  return out;
}

std::string metric_widget(const std::string& properties) {
  return R"({"widgets":[{"type":"metric","properties":{"region":"us-east-1",)" + properties + "}}]}";
}

TEST(DashboardBody, IsCheckedInAmazonsWords) {
  EXPECT_EQ(problems_of(R"({"widgets":[]})"), "");
  EXPECT_EQ(problems_of("{}"), ": Should have required property 'widgets'\n");
  EXPECT_EQ(problems_of(R"({"widgets":{}})"), "/widgets: Should be array\n");
  EXPECT_EQ(problems_of(R"({"widgets":[{}]})"),
            "/widgets/0: Should have required property 'type'\n/widgets/0: Should have required property 'properties'\n");
  EXPECT_EQ(problems_of(R"({"widgets":[{"type":"text","x":24,"width":25,"height":1001,"y":-1,"properties":{}}]})"),
            "/widgets/0/x: Should be <= 23\n/widgets/0/y: Should be >= 0\n/widgets/0/width: Should be <= 24\n"
            "/widgets/0/height: Should be <= 1000\n/widgets/0/properties: Should have required property 'markdown'\n");
  EXPECT_EQ(problems_of(R"({"widgets":[{"type":"alarm","properties":{}},{"type":"new kind","properties":{}}]})"),
            "/widgets/0/properties: Should have required property 'alarms'\n");
  EXPECT_EQ(problems_of(R"({"widgets":[{"type":"metric","properties":{}}]})"),
            "/widgets/0/properties: The metric widget should have specified a region and a data source or an alarm "
            "annotation\n");
  EXPECT_EQ(problems_of(metric_widget(R"("metrics":[["AWS/SQS","NumberOfMessagesSent","QueueName","q",{"stat":"p99"}]])")),
            "");
  EXPECT_EQ(problems_of(metric_widget(R"("metrics":[["AWS/SQS",5]])")),
            "/widgets/0/properties/metrics/0/1: Invalid metric field type, only \"String\" type is allowed\n");
  EXPECT_EQ(problems_of(metric_widget(R"("metrics":["x"])")),
            "/widgets/0/properties/metrics: Field \"metrics\" has to be an array of array of strings, with an optional "
            "metricRenderer object as last element\n");
  EXPECT_EQ(problems_of(metric_widget(R"("metrics":[["AWS/SQS","X","QueueName"]])")),
            "/widgets/0/properties/metrics/0: Should NOT have more than 2 items\n");
  EXPECT_EQ(problems_of(metric_widget(R"("metrics":[],"period":45)")),
            "/widgets/0/properties/period: Should be >= 60\n/widgets/0/properties/period: Should be multiple of 60\n"
            "/widgets/0/properties/period: Should match exactly one schema in oneOf\n");
  EXPECT_EQ(problems_of(metric_widget(R"("metrics":[],"period":5)")), "");
  EXPECT_NE(problems_of(metric_widget(R"("metrics":[],"stat":"Middle")")).find("Should match pattern"), std::string::npos);
}

TEST_F(CloudWatchTest, DashboardsAreStoredUnchanged) {
  const std::string body = "{ \"widgets\" : [] }";
  run<PutDashboardOutput>("PutDashboard", PutDashboardInput{.DashboardName = "main", .DashboardBody = body});
  const auto found = run<GetDashboardOutput>("GetDashboard", GetDashboardInput{.DashboardName = "main"});
  EXPECT_EQ(found.DashboardBody, body);
  EXPECT_EQ(found.DashboardArn, "arn:aws:cloudwatch::111111111111:dashboard/main");
  const auto list = run<ListDashboardsOutput>("ListDashboards", ListDashboardsInput{});
  ASSERT_EQ(list.DashboardEntries->size(), 1u);
  EXPECT_EQ(list.DashboardEntries->front().Size, static_cast<std::int64_t>(body.size()));
  run<TagResourceOutput>("TagResource", TagResourceInput{*found.DashboardArn, {{"team", "ml"}}});
  EXPECT_EQ(*run<ListTagsForResourceOutput>("ListTagsForResource", ListTagsForResourceInput{*found.DashboardArn}).Tags,
            (std::vector<Tag>{{"team", "ml"}}));
  EXPECT_EQ(error_of([&] {
              run<DeleteDashboardsOutput>("DeleteDashboards", DeleteDashboardsInput{{"main", "absent"}});
            }),
            "DashboardNotFoundError: Dashboard absent does not exist");
  EXPECT_EQ(run<ListDashboardsOutput>("ListDashboards", ListDashboardsInput{}).DashboardEntries->size(), 1u);
  run<DeleteDashboardsOutput>("DeleteDashboards", DeleteDashboardsInput{{"main"}});
  EXPECT_EQ(error_of([&] { run<GetDashboardOutput>("GetDashboard", GetDashboardInput{"main"}); }),
            "DashboardNotFoundError: Dashboard main does not exist");
}

TEST_F(CloudWatchTest, InvalidDashboardsAreRejected) {
  const auto error = [&](const std::string& name, const std::string& body) {
    return error_of([&] { run<PutDashboardOutput>("PutDashboard", PutDashboardInput{name, body, {}}); });
  };
  EXPECT_EQ(error("a b", "{\"widgets\":[]}"),
            "InvalidParameterValue: The value for field DashboardName contains invalid characters. It can only contain "
            "alphanumerics, dash (-) and underscore (_).\n");
  EXPECT_EQ(error("a", "no"), "DashboardInvalidInputError: The field DashboardBody must be a valid JSON object");
  EXPECT_EQ(error("a", "{}"),
            "DashboardInvalidInputError: The dashboard body is invalid, there are 1 validation errors:\n[\n  {\n    "
            "\"dataPath\": \"\",\n    \"message\": \"Should have required property 'widgets'\"\n  }\n]");
}

}  // namespace
}  // namespace services::cloudwatch
