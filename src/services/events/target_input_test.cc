// SPDX-License-Identifier: Apache-2.0
#include "services/events/target_input.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace services::events {
namespace {

using shapes::events::Target;

const MatchedRule kRule{"arn:aws:events:us-east-1:111111111111:rule/r", "r", "2026-11-16T18:00:00Z"};

Event event_of(const std::string& text) { return {text, boost::json::parse(text)}; }

const Event kEvent = event_of(
    R"({"id":"1","detail-type":"T","resources":["arn:x","arn:y"],"detail":{"name":"a \"b\"","n":0.5,"list":[{"k":7}]}})");

Target with_template(std::map<std::string, std::string> paths, std::string text) {
  Target target{.Id = "1", .Arn = "a"};
  target.InputTransformer.emplace();
  target.InputTransformer->InputPathsMap = std::move(paths);
  target.InputTransformer->InputTemplate = std::move(text);
  return target;
}

TEST(TargetInput, WithoutSettingsIsTheWholeEvent) {
  EXPECT_EQ(make_input(Target{.Id = "1", .Arn = "a"}, kEvent, kRule), kEvent.text);
}

TEST(TargetInput, APathSelectsAPart) {
  const std::pair<const char*, const char*> cases[] = {
      {"$", kEvent.text.c_str()}, {"$.detail.n", "0.5"}, {"$.detail-type", "\"T\""},
      {"$.resources[1]", "\"arn:y\""}, {"$['detail']['list'][0].k", "7"}, {"$.detail.list", R"([{"k":7}])"},
      {"$.none", "null"}, {"$.resources[2]", "null"}, {"$.resources.x", "null"}};
  for (const auto& [path, expected] : cases) {
    Target target{.Id = "1", .Arn = "a"};
    target.InputPath = path;
    EXPECT_EQ(input_problem(target), "") << path;
    EXPECT_EQ(make_input(target, kEvent, kRule), expected) << path;
  }
}

TEST(TargetInput, InvalidPathsAreRejected) {
  for (const char* path : {"", "detail", "$detail", "$.", "$.a..b", "$[", "$[x]", "$['a", "$['a\"]"}) {
    EXPECT_FALSE(parse_path(path)) << path;
  }
}

TEST(TargetInput, ATemplateInsertsJsonOrText) {
  const std::map<std::string, std::string> paths = {{"name", "$.detail.name"}, {"n", "$.detail.n"}, {"none", "$.none"},
                                                    {"list", "$.detail.list"}};
  const std::pair<const char*, const char*> cases[] = {
      {R"({"a":<name>,"b":<n>})", R"({"a":"a \"b\"","b":0.5})"},
      {R"("n is <n>")", R"("n is 0.5")"},
      {R"({"l":<list>,"t":"<n>/<none>!"})", R"({"l":[{"k":7}],"t":"0.5/!"})"},
      {R"({"r":<aws.events.rule-name>,"at":"<aws.events.event.ingestion-time>"})",
       R"({"r":"r","at":"2026-11-16T18:00:00Z"})"},
      {R"({"e":<aws.events.event>})", R"({"e":{"id":"1","detail-type":"T","resources":["arn:x","arn:y"]}})"},
      {R"("a \" < b > <n>")", R"("a \" < b > 0.5")"}};
  for (const auto& [text, expected] : cases) {
    const Target target = with_template(paths, text);
    EXPECT_EQ(input_problem(target), "") << text;
    EXPECT_EQ(make_input(target, kEvent, kRule), expected) << text;
  }
}

TEST(TargetInput, ContradictingAndInvalidSettingsAreNamed) {
  Target both{.Id = "1", .Arn = "a"};
  both.Input = "{}";
  both.InputPath = "$";
  EXPECT_EQ(input_problem(both), "Only one of Input, InputPath, or InputTransformer must be provided for target 1.");
  Target broken{.Id = "1", .Arn = "a"};
  broken.Input = "{";
  EXPECT_EQ(input_problem(broken), "JSON syntax error in input for target 1.");
  EXPECT_NE(input_problem(with_template({}, "\"<x>\"")).find("<x>"), std::string::npos);
  EXPECT_NE(input_problem(with_template({{"a", "x"}}, "\"<a>\"")).find("Invalid path"), std::string::npos);
}

}  // namespace
}  // namespace services::events
