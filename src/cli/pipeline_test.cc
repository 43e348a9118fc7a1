// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <sstream>

#include "cli/arguments.h"
#include "cli/fake_server.h"
#include "cli/pipeline_commands.h"
#include "cli/pipeline_spec.h"

namespace cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

std::string yaml_error(std::string_view text) {
  try {
    parse_pipeline_spec(text, "ocr.yaml");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(PipelineYaml, EveryKindOfValueIsRead) {
  const auto spec = parse_pipeline_spec(
      "# OCR of scans\nname: ocr\nbuiltin: ocr\nmax: 4\ntimeout: 5m\nlanguages: [eng, deu]\n"
      "environment:\n  OMP_THREAD_LIMIT: 1\n  MODE: \"fast\"\nwebhook: https://example.com/done\n",
      "ocr.yaml");
  EXPECT_EQ(spec.name, "ocr");
  EXPECT_EQ(spec.max, 4);
  EXPECT_EQ(spec.timeout, "5m");
  EXPECT_THAT(*spec.languages, ElementsAre("eng", "deu"));
  EXPECT_EQ(spec.environment->at("OMP_THREAD_LIMIT"), "1");
  EXPECT_EQ(spec.webhook, "https://example.com/done");
  EXPECT_FALSE(spec.gpus);
}

TEST(PipelineYaml, AnythingLargeOrDeepIsRejectedBeforeItTakesMemory) {
  std::string deep = "name: ocr\nlanguages: ";
  for (int i = 0; i < 1000; ++i) deep += '[';
  EXPECT_EQ(yaml_error(deep), "ocr.yaml:2: nested too deeply");
  std::string many = "languages: [a";
  for (int i = 0; i < 11000; ++i) many += ",a";
  EXPECT_EQ(yaml_error(many + "]\nname: ocr\n"), "ocr.yaml:1: more than 10000 values");
}

TEST(PipelineYaml, ErrorsNameTheLine) {
  EXPECT_EQ(yaml_error("name: ocr\ngpu: 1\n"), "ocr.yaml:2: unknown key 'gpu'");
  EXPECT_EQ(yaml_error("name: ocr\n\ngpu-memory: 1\n"), "ocr.yaml:3: unknown key 'gpu-memory': write 'gpu_memory'");
  EXPECT_EQ(yaml_error("name: ocr\nmax: four\n"), "ocr.yaml:2: max must be a whole number, not 'four'");
  EXPECT_EQ(yaml_error("name: ocr\nmax: 1.5\n"), "ocr.yaml:2: max must be a whole number, not '1.5'");
  EXPECT_EQ(yaml_error("name: ocr\nwebhook:\n"), "ocr.yaml:2: webhook has no value");
  EXPECT_EQ(yaml_error("name: ocr\nlanguages: eng\n"), "ocr.yaml:2: languages must be a list, like [eng, deu]");
  EXPECT_EQ(yaml_error("name: ocr\nmax: 1\nmax: 2\n"), "ocr.yaml:3: the key 'max' occurs twice");
  EXPECT_EQ(yaml_error("name: ocr\nimage: [a]\n"), "ocr.yaml:2: image must be a text");
  EXPECT_THAT(yaml_error("max: 2\n"), HasSubstr("the key 'name' is missing"));
  EXPECT_THAT(yaml_error("name: [ocr\n"), HasSubstr("ocr.yaml:"));
  EXPECT_THAT(yaml_error("- a\n- b\n"), HasSubstr("expected keys and values"));
  EXPECT_THAT(yaml_error("name: a\n---\nname: b\n"), HasSubstr("ocr.yaml:3: a second document"));
  EXPECT_THAT(yaml_error(""), HasSubstr("the file is empty"));
  EXPECT_THAT(yaml_error(std::string(300'000, 'a')), HasSubstr("longer than 256 KiB"));
}

class Pipeline : public FakeServer {
 protected:
  // The lines, none of them too long for a terminal.
  std::string printed() const {
    std::istringstream lines(out_.str());
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
    return out_.str();
  }
  int run_line(std::vector<std::string> arguments) {
    CLI::App app;
    Command command;
    add_pipeline_commands(app, options_, command);
    std::reverse(arguments.begin(), arguments.end());
    app.parse(arguments);
    testing::internal::CaptureStdout();
    try {
      const int status = command();
      out_ << testing::internal::GetCapturedStdout();
      return status;
    } catch (...) {
      testing::internal::GetCapturedStdout();
      throw;
    }
  }

  const shapes::stoker::PipelineSpec spec_{.name = "ocr"};
  std::ostringstream out_;
  std::istringstream no_{"no\n"}, yes_{"yes\n"};
};

constexpr char kApplied[] =
    R"({"changes":[{"action":"create","resource":"queue","name":"stoker-ocr"}],)"
    R"("pipeline":{"name":"ocr","status":"ACTIVE","bucket":"stoker-ocr-000000000000"},"webhookSecret":"whsec_x"})";
constexpr char kDifferent[] =
    R"({"changes":[{"action":"change","resource":"queue","name":"stoker-ocr","field":"VisibilityTimeout",)"
    R"("before":"7","after":"120"},{"action":"change","resource":"queue","name":"stoker-ocr","field":"Policy",)"
    R"("before":"","after":"{\"a very long text that would not fit into the line of a terminal with eighty columns\"}"}]})";

TEST_F(Pipeline, CreatingPrintsWhatExistsAndHowToUseIt) {
  reply("ApplyPipeline", kApplied);
  EXPECT_EQ(pipeline_create(options_, spec_, out_), 0);
  EXPECT_THAT(printed(), HasSubstr("+ queue stoker-ocr\n"));
  EXPECT_THAT(printed(), HasSubstr("whsec_x"));
  EXPECT_THAT(printed(), HasSubstr(endpoint() + "/pipelines/ocr/jobs"));
  EXPECT_THAT(requests("ApplyPipeline"), ElementsAre(R"({"spec":"{\"name\":\"ocr\"}","createOnly":true})"));
}

TEST_F(Pipeline, FlagsBecomeASpec) {
  reply("ApplyPipeline", kApplied);
  EXPECT_EQ(run_line({"pipeline", "create", "ocr", "--max", "4", "-e", "A=1=2", "--language", "deu", "--idle", "10s"}), 0);
  ASSERT_THAT(requests("ApplyPipeline"), SizeIs(1));
  EXPECT_THAT(requests("ApplyPipeline")[0], HasSubstr(R"(\"environment\":{\"A\":\"1=2\"},\"max\":4,\"idle\":\"10s\")"));
  EXPECT_THROW(run_line({"pipeline", "create", "ocr", "-f", "x.yaml"}), std::runtime_error);
  EXPECT_THROW(run_line({"pipeline", "create"}), std::runtime_error);
}

TEST_F(Pipeline, ADifferenceIsPrintedAndIsTheExitStatus) {
  reply("ApplyPipeline", kDifferent);
  EXPECT_EQ(pipeline_diff(options_, spec_, out_), 1);
  EXPECT_EQ(printed(), "~ queue stoker-ocr\n    VisibilityTimeout\n      - 7\n      + 120\n    Policy\n"
                       "      + {\"a very long text that would not fit into the line of a terminal wit...\n");
  EXPECT_THAT(requests("ApplyPipeline"), ElementsAre(R"({"spec":"{\"name\":\"ocr\"}","dryRun":true})"));
}

TEST_F(Pipeline, LongValuesBeginWhereTheyDiffer) {
  const std::string same = "--queue stoker-ocr --pipeline ocr --batch 1 --linger 0ms --timeout ";
  reply("ApplyPipeline", R"({"changes":[{"action":"change","resource":"task definition","name":"stoker-ocr",)"
                         R"("field":"command","before":")" + same + R"(5m --drain 5m","after":")" + same +
                         R"(1m --drain 1m"}]})");
  EXPECT_EQ(pipeline_diff(options_, spec_, out_), 1);
  EXPECT_EQ(printed(), "~ task definition stoker-ocr\n    command\n      - ...5m --drain 5m\n      + ...1m --drain 1m\n");
}

TEST_F(Pipeline, NoDifferenceIsSuccess) {
  reply("ApplyPipeline", R"({"changes":[]})");
  EXPECT_EQ(pipeline_diff(options_, spec_, out_), 0);
  EXPECT_EQ(pipeline_apply(options_, spec_, out_), 0);
  EXPECT_EQ(printed(), "pipeline ocr is up to date\n");
}

TEST_F(Pipeline, AListFitsATerminal) {
  reply("ListPipelines", R"({"pipelines":[{"name":"invoices-2026","status":"ACTIVE","createdAt":1,)"
                         R"("spec":{"name":"invoices-2026","image":"registry.example.com/models/layout:12","serve":"x"},)"
                         R"("workers":{"min":0,"max":16,"desired":4,"running":3,"pending":1},)"
                         R"("items":{"queued":12000,"inFlight":48,"failed":2}}],"nextToken":"t"})");
  reply("ListPipelines", R"({"pipelines":[{"name":"old","status":"DELETING","createdAt":1}]})");
  EXPECT_EQ(pipeline_list(options_, out_), 0);
  EXPECT_THAT(printed(), HasSubstr("3 of 0-16"));
  EXPECT_THAT(printed(), HasSubstr("old            DELETING"));
}

TEST_F(Pipeline, ShowHasResourcesAndACommandToPaste) {
  reply("DescribePipeline",
        R"({"pipeline":{"name":"ocr","status":"ACTIVE","createdAt":1,"spec":{"name":"ocr","builtin":"ocr"},)"
        R"("workers":{"min":0,"max":4,"desired":2,"running":1,"pending":1},"items":{"queued":3,"inFlight":1,"failed":0},)"
        R"("resources":[{"resource":"alarm","name":"stoker-ocr-scale-in"},{"resource":"queue","name":"stoker-ocr"}],)"
        R"("alarms":[{"name":"stoker-ocr-scale-in","state":"OK","description":""}],)"
        R"("lastEvent":"(service stoker-ocr) was unable to place a task because no container instance met all of its requirements."}})");
  EXPECT_EQ(pipeline_show(options_, "ocr", out_), 0);
  EXPECT_THAT(printed(), HasSubstr("1 running, 1 starting, 2 wanted (0 to 4)"));
  EXPECT_THAT(printed(), HasSubstr("  queue            stoker-ocr\n"));
  EXPECT_THAT(printed(), HasSubstr("  alarm            stoker-ocr-scale-in is OK\n"));
  EXPECT_THAT(printed(), HasSubstr("curl"));
}

TEST_F(Pipeline, DataIsDeletedOnlyAfterAYes) {
  reply("DescribePipeline", R"({"pipeline":{"name":"ocr","status":"ACTIVE","bucket":"stoker-ocr-000000000000"}})");
  reply("DeletePipeline", R"({"changes":[],"status":"DELETING"})");
  const PipelineDeletion deletion{.name = "ocr", .delete_data = true};
  EXPECT_EQ(pipeline_delete(options_, deletion, no_, out_), 1);
  EXPECT_THAT(printed(), HasSubstr("stoker-ocr-000000000000"));
  EXPECT_THAT(requests("DeletePipeline"), IsEmpty());
  EXPECT_EQ(pipeline_delete(options_, deletion, yes_, out_), 0);
  EXPECT_THAT(requests("DeletePipeline"), ElementsAre(R"({"name":"ocr","deleteData":true})"));
  EXPECT_EQ(pipeline_delete(options_, {.name = "ocr", .delete_data = true, .yes = true}, no_, out_), 0);
}

TEST_F(Pipeline, DeletingWithoutDataAsksNothing) {
  reply("DeletePipeline", R"({"changes":[],"status":"DELETED","keptBucket":"stoker-ocr-000000000000"})");
  EXPECT_EQ(pipeline_delete(options_, {.name = "ocr"}, no_, out_), 0);
  EXPECT_THAT(printed(), HasSubstr("aws s3 rb --force s3://stoker-ocr-000000000000\n"));
  EXPECT_THAT(requests("DeletePipeline"), ElementsAre(R"({"name":"ocr"})"));
}

TEST_F(Pipeline, PauseAndResume) {
  reply("PausePipeline", R"({"pipeline":{"name":"ocr","status":"PAUSED"}})");
  reply("ResumePipeline", R"({"pipeline":{"name":"ocr","status":"ACTIVE","items":{"queued":9,"inFlight":0,"failed":0},)"
                          R"("workers":{"min":0,"max":4,"desired":3,"running":0,"pending":0}}})");
  EXPECT_EQ(run_line({"pipeline", "pause", "ocr"}), 0);
  EXPECT_EQ(run_line({"pipeline", "resume", "ocr"}), 0);
  EXPECT_THAT(printed(), HasSubstr("resumed ocr: 9 items wait, 3 workers start"));
}

TEST_F(Pipeline, KeysAreCreatedListedAndDeleted) {
  reply("CreatePipelineKey", R"({"key":{"id":"k1","pipeline":"ocr","name":"web","createdAt":0},"secret":"stk_s"})");
  reply("ListPipelineKeys", R"({"keys":[{"id":"k1","pipeline":"ocr","name":"web","createdAt":0}]})");
  reply("DeletePipelineKey", "");
  EXPECT_EQ(run_line({"pipeline", "key", "create", "ocr", "--name", "web"}), 0);
  EXPECT_THAT(printed(), HasSubstr("key = stk_s\n"));
  out_.str("");
  EXPECT_EQ(run_line({"pipeline", "key", "list", "ocr"}), 0);
  EXPECT_THAT(printed(), HasSubstr("k1"));
  EXPECT_THAT(printed(), Not(HasSubstr("stk_")));
  EXPECT_EQ(run_line({"pipeline", "key", "delete", "ocr", "k1"}), 0);
  EXPECT_THAT(requests("DeletePipelineKey"), ElementsAre(R"({"pipeline":"ocr","id":"k1"})"));
}

TEST_F(Pipeline, TheSecretOfWebhooksIsPrintedAlone) {
  reply("GetWebhookSecret", R"({"secret":"whsec_x"})");
  EXPECT_EQ(run_line({"pipeline", "webhook-secret", "ocr"}), 0);
  EXPECT_EQ(out_.str(), "whsec_x\n");
  EXPECT_THAT(requests("GetWebhookSecret"), ElementsAre(R"({"pipeline":"ocr"})"));
}

}  // namespace
}  // namespace cli
