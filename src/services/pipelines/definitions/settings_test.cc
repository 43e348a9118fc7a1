// SPDX-License-Identifier: Apache-2.0
#include "services/pipelines/definitions/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/error.h"

namespace services::pipelines {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string problem_of(std::string_view json) {
  try {
    check_spec(parse_spec(json));
  } catch (const wire::ApiError& error) {
    EXPECT_EQ(error.code(), "ValidationException");
    return error.message();
  }
  return "";
}

Settings settings_of(std::string_view json) { return check_spec(parse_spec(json)); }

TEST(PipelineSettings, ANameIsEnough) {
  const Settings settings = settings_of(R"({"name":"ocr"})");
  EXPECT_EQ(settings.builtin, "ocr");
  EXPECT_EQ(settings.cluster, "default");
  EXPECT_EQ(settings.min, 0);
  EXPECT_EQ(settings.max, 1);
  EXPECT_EQ(settings.batch, 1);
  EXPECT_EQ(settings.items_per_task, 4);
  EXPECT_EQ(settings.retries, 2);
  EXPECT_EQ(settings.cpu_units, 1024);
  EXPECT_EQ(settings.timeout, std::chrono::minutes(5));
  EXPECT_EQ(settings.idle, std::chrono::seconds(60));
  EXPECT_EQ(settings.linger, base::Duration(0));
  EXPECT_EQ(settings.retention_days, 0);
}

TEST(PipelineSettings, DurationsHaveUnits) {
  const Settings settings = settings_of(
      R"({"name":"a","image":"i","serve":"s","batch":8,"linger":"250ms","timeout":"90s","idle":"10m","retention":"30d"})");
  EXPECT_EQ(settings.linger, std::chrono::milliseconds(250));
  EXPECT_EQ(settings.timeout, std::chrono::seconds(90));
  EXPECT_EQ(settings.idle, std::chrono::minutes(10));
  EXPECT_EQ(settings.retention_days, 30);
  EXPECT_EQ(settings.items_per_task, 32);
}

TEST(PipelineSettings, ABatchWaitsForMoreItemsByDefault) {
  EXPECT_EQ(settings_of(R"({"name":"a","image":"i","serve":"s","batch":2})").linger, std::chrono::milliseconds(20));
}

TEST(PipelineSettings, FlagsHaveTheLargestUnitThatFits) {
  EXPECT_EQ(flag_text(std::chrono::milliseconds(20)), "20ms");
  EXPECT_EQ(flag_text(std::chrono::seconds(90)), "90s");
  EXPECT_EQ(flag_text(std::chrono::minutes(5)), "5m");
  EXPECT_EQ(flag_text(std::chrono::hours(2)), "2h");
  EXPECT_EQ(flag_text(base::Duration(0)), "0ms");
}

TEST(PipelineSettings, AnUnknownMemberIsNamed) {
  EXPECT_THAT(problem_of(R"({"name":"a","builtin":"ocr","gpu":1})"), HasSubstr("unknown member 'gpu'"));
}

TEST(PipelineSettings, AMemberOfAnotherTypeIsNamed) {
  EXPECT_THAT(problem_of(R"({"name":"a","builtin":"ocr","max":"4"})"), HasSubstr("max must be a whole number, not \"4\""));
  EXPECT_THAT(problem_of(R"({"name":"a","builtin":"ocr","max":4.5})"), HasSubstr("max must be a whole number"));
  EXPECT_THAT(problem_of(R"({"name":"a","builtin":"ocr","max":3000000000})"), HasSubstr("max must be a whole number"));
  EXPECT_THAT(problem_of(R"({"name":"a","builtin":"ocr","languages":"eng"})"),
              HasSubstr("languages must be a list of texts"));
  EXPECT_THAT(problem_of(R"({"name":"a","builtin":"ocr","environment":{"A":1}})"),
              HasSubstr("environment must be a map of texts"));
  EXPECT_THAT(problem_of(R"({"name":"a","builtin":null})"), HasSubstr("builtin must be a text, not null"));
}

TEST(PipelineSettings, TextThatIsNoJsonObjectIsRejected) {
  EXPECT_THAT(problem_of("name: ocr"), HasSubstr("not a JSON object"));
  EXPECT_THAT(problem_of("[]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(problem_of("{}"), HasSubstr("it has no name"));
}

TEST(PipelineSettings, AllProblemsAreInOneError) {
  EXPECT_THAT(problem_of(R"({"name":"No","max":0,"timeout":"5 minutes","webhook":"ftp://x"})"),
              AllOf(HasSubstr("name 'No'"), HasSubstr("max is 0, but must be 1 to 1000"),
                    HasSubstr("timeout '5 minutes' is not a duration"), HasSubstr("webhook 'ftp://x'")));
}

TEST(PipelineSettings, OnlyOneProcessorIsAllowed) {
  EXPECT_THAT(problem_of(R"({"name":"a","image":"i","exec":"x","serve":"y"})"), HasSubstr("several processors"));
  EXPECT_THAT(problem_of(R"({"name":"a","exec":"x"})"), HasSubstr("need an image"));
  EXPECT_THAT(problem_of(R"({"name":"a","image":"x"})"), HasSubstr("image has no processor"));
  EXPECT_THAT(problem_of(R"({"name":"a","builtin":"llm"})"), HasSubstr("builtin 'llm' is unknown"));
  EXPECT_THAT(problem_of(R"({"name":"a","image":"i","exec":"x","languages":["eng"]})"), HasSubstr("only for builtin"));
}

TEST(PipelineSettings, ValuesThatContradictAreRejected) {
  EXPECT_THAT(problem_of(R"({"name":"a","builtin":"ocr","gpus":1,"gpu_memory":4000})"), HasSubstr("exclude each other"));
  EXPECT_THAT(problem_of(R"({"name":"a","builtin":"ocr","min":5,"max":2})"), HasSubstr("min is 5, which is more than max"));
  EXPECT_THAT(problem_of(R"({"name":"a","builtin":"ocr","retention":"12h"})"), HasSubstr("not a number of days"));
  EXPECT_THAT(problem_of(R"({"name":"a","builtin":"ocr","idle":"13h"})"), HasSubstr("idle is 13h, but must be 1s to 12h"));
  EXPECT_THAT(problem_of(R"({"name":"a","builtin":"ocr","languages":["../x"]})"), HasSubstr("language '../x'"));
  EXPECT_THAT(problem_of(R"({"name":"a","builtin":"ocr","environment":{"A=B":"1"}})"), HasSubstr("invalid name 'A=B'"));
}

TEST(PipelineSettings, NamesFitTheNamesOfAllResources) {
  EXPECT_EQ(problem_of(R"({"name":"a23456789-123456789-123456789-123456789x","builtin":"ocr"})"), "");
  for (const char* name : {"", "-a", "a-", "A", "a.b", "a_b", "a/b", "a23456789-123456789-123456789-123456789-x"}) {
    EXPECT_THAT(problem_of(std::string(R"({"builtin":"ocr","name":")") + name + "\"}"), HasSubstr("must have 1 to 40"));
  }
}

}  // namespace
}  // namespace services::pipelines
