// SPDX-License-Identifier: Apache-2.0
// stoker jobs, stoker job show|retry|cancel|result
#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

#include "cli/fake_server.h"
#include "cli/job_rows.h"
#include "cli/json.h"
#include "cli/terminal_text.h"
#include "wire/timestamp.h"

namespace cli {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr char kFailed[] = R"({"task_id":"5f0c1b1e-0f43-4a10-9f3e-0d9f8b8f9a11","pipeline":"ocr","status":"FAILED",
    "created_at":"2026-11-18T12:00:00.000Z","started_at":"2026-11-18T12:00:01.000Z",
    "finished_at":"2026-11-18T12:00:03.500Z","attempts":3,"priority":2,"metadata":{"customer":"42"},
    "input":{"bucket":"stoker-ocr-0","key":"in/scans/a.png","size":1234,"content_type":"image/png"},"result":null,
    "error":{"type":"BrokenFile","message":"not an image \u001b[2J"},
    "task_arn":"arn:aws:ecs:r:0:task/default/0123456789abcdef0123456789abcdef","machine":"box-a","gpu_ids":["GPU-1"],
    "webhook":{"url":"https://x/hook","status":"PENDING","attempts":2,"error":"status 500"}})";

class Jobs : public FakeServer {
 protected:
  JobDocument failed_job() {
    JobDocument job;
    wire::read_json(wire::type_of<JobDocument>(), kFailed, &job);
    return job;
  }
  std::ostringstream out_;
  const base::Time now_ = *wire::from_iso8601("2026-11-18T12:05:00Z");
};

TEST_F(Jobs, TheListFollowsItsPages) {
  reply("/jobs", std::string(R"({"jobs":[)") + kFailed + R"(],"next_cursor":"c 1"})");
  reply("/jobs", R"({"jobs":[{"task_id":"j2","pipeline":"ocr","status":"QUEUED"}],"next_cursor":null})");
  EXPECT_EQ(jobs(options_, {"ocr", "FAILED", 150, false}, out_), 0);
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("5f0c1b1e-0f43-4a10-9f3e-0d9f8b8f9a11  FAILED"), HasSubstr("j2")));
  EXPECT_THAT(requests("/jobs"), ElementsAre("limit=100&pipeline=ocr&status=FAILED",
                                             "limit=100&pipeline=ocr&status=FAILED&cursor=c%201"));
}

TEST_F(Jobs, NoMoreThanTheLimitIsRequested) {
  reply("/jobs", R"({"jobs":[{"task_id":"j2","pipeline":"ocr","status":"QUEUED"}],"next_cursor":"more"})");
  EXPECT_EQ(jobs(options_, {.most = 1}, out_), 0);
  EXPECT_THAT(requests("/jobs"), ElementsAre("limit=1"));
}

TEST_F(Jobs, AnEmptyListNamesWhatWasAskedFor) {
  reply("/jobs", R"({"jobs":[],"next_cursor":null})");
  EXPECT_EQ(jobs(options_, {"ocr", "FAILED", 20, false}, out_), 0);
  EXPECT_EQ(out_.str(), "no jobs of ocr with status FAILED\n");
}

TEST_F(Jobs, RowsFitEightyColumns) {
  JobDocument job = failed_job();
  job.status = "SUCCEEDED";
  job.finished_at = "2026-11-18T12:59:01.000Z";
  job.pipeline = "a-long-name-of-a-pipeline";
  job.input->key = "in/some/folders/and a long name.png";
  for (bool with_pipeline : {false, true}) {
    std::size_t width = 0;
    const auto heading = job_heading(with_pipeline), row = job_row(job, with_pipeline, now_ + std::chrono::minutes(54));
    ASSERT_EQ(heading.size(), row.size());
    for (std::size_t i = 0; i < row.size(); ++i) width += std::max(heading[i].size(), display_width(row[i])) + 2;
    EXPECT_LE(width - 2, 80u) << with_pipeline;
  }
  EXPECT_LE(job_event_line(job, now_).size(), 80u);
}

TEST_F(Jobs, AFileIsNamedWithoutTheFoldersThatHoldIt) {
  JobDocument job = failed_job();
  job.input->key = "in/scans/a.png";
  EXPECT_EQ(input_name(job), "scans/a.png");
  job.input->key = "in/" + job.task_id + "/a.png";
  EXPECT_EQ(input_name(job), "a.png");
}

TEST_F(Jobs, WatchingPrintsEachChangeUntilTheOutputIsClosed) {
  reply_in_pieces("/pipelines/ocr/events",
                  {": hello\n\n", "id: 1\nevent: job\ndata: {\"task_id\":\"j1\",\"pipeline\":\"ocr\",\"sta",
                   "tus\":\"RUNNING\"}\n\nid: 2\nevent: job\ndata: {\"task_id\":\"j2\",\"pipeline\":\"ocr\",\"status\":\"FAILED\"}\n\n"});
  // The output fails after the second line.
  struct OneLine : std::stringbuf {
    int sync() override { return std::ranges::count(str(), '\n') >= 2 ? -1 : 0; }
  } buffer;
  std::ostream out(&buffer);
  EXPECT_EQ(jobs(options_, {"ocr", std::nullopt, 20, true}, out), 0);
  EXPECT_THAT(buffer.str(), AllOf(HasSubstr("j1  "), HasSubstr("RUNNING"), HasSubstr("FAILED")));
}

TEST_F(Jobs, WatchingNeedsAPipeline) {
  EXPECT_THROW(jobs(options_, {.watch = true}, out_), std::runtime_error);
}

TEST_F(Jobs, ShowPrintsEverythingAndNoEscapes) {
  reply("/jobs/a%2Fb", kFailed);
  EXPECT_EQ(job_show(options_, {"a/b"}, out_), 0);
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("status"), HasSubstr("FAILED"), HasSubstr("BrokenFile: not an image ?[2J"),
                                HasSubstr("2.5 s"), HasSubstr("box-a"), HasSubstr("metadata.customer"),
                                HasSubstr("https://x/hook, PENDING, 2 attempts: status 500"), Not(HasSubstr("\x1b"))));
  EXPECT_THAT(out_.str(), HasSubstr("s3://stoker-ocr-0/in/scans/a.png (1234 bytes)"));
}

TEST_F(Jobs, ShowAsJsonIsTheServersDocument) {
  options_.json = true;
  reply("/jobs/j1", R"({"task_id":"j1","pipeline":"ocr","status":"QUEUED","extra":[1]})");
  EXPECT_EQ(job_show(options_, {"j1"}, out_), 0);
  EXPECT_EQ(out_.str(), "{\"task_id\":\"j1\",\"pipeline\":\"ocr\",\"status\":\"QUEUED\",\"extra\":[1]}\n");
}

TEST_F(Jobs, RetryAndCancelPostAndPrintTheNewStatus) {
  reply("/jobs/j1/retry", R"({"task_id":"j1","pipeline":"ocr","status":"QUEUED"})");
  reply("/jobs/j1/cancel", R"({"task_id":"j1","pipeline":"ocr","status":"CANCELLED"})");
  EXPECT_EQ(job_change(options_, {"j1", "ocr"}, "retry", out_), 0);
  EXPECT_EQ(job_change(options_, {"j1"}, "cancel", out_), 0);
  EXPECT_EQ(out_.str(), "j1  QUEUED\nj1  CANCELLED\n");
  EXPECT_THAT(targets("/jobs/j1/retry"), ElementsAre("POST /jobs/j1/retry?pipeline=ocr"));
}

TEST_F(Jobs, ResultPrintsTheBytes) {
  reply_in_pieces("/jobs/j1/result", {"{\"a\":", "1}"});
  EXPECT_EQ(job_result(options_, {"j1"}, out_), 0);
  EXPECT_EQ(out_.str(), "{\"a\":1}");
}

TEST_F(Jobs, AProblemsDetailIsTheError) {
  reply("/jobs/j1/result", R"({"type":"about:blank","title":"Conflict","status":409,"detail":"job j1 is QUEUED: it has no result"})", 409);
  try {
    job_result(options_, {"j1"}, out_);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "job j1 is QUEUED: it has no result");
  }
}

}  // namespace
}  // namespace cli
