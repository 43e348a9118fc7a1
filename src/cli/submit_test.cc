// SPDX-License-Identifier: Apache-2.0
// stoker submit
#include <gmock/gmock.h>
#include <unistd.h>

#include <sstream>

#include "base/bytes.h"
#include "base/hash.h"
#include "cli/fake_server.h"
#include "cli/submit_progress.h"

namespace cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::UnorderedElementsAre;

constexpr char kSummary[] = R"({"name":"ocr","paused":false,"queued":0,"running":0,"failed":0,"succeeded":0,
    "workers":0,"min":0,"max":4})";

class Submit : public FakeServer {
 protected:
  Submit() {
    std::filesystem::create_directories(folder_);
    arguments_.pipeline = "ocr";
    arguments_.output = folder_ + "/out";
    reply("/pipelines/ocr", kSummary);
  }
  ~Submit() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& content) {
    std::ofstream(folder_ + "/" + name) << content;
    arguments_.files.push_back(folder_ + "/" + name);
    return arguments_.files.back();
  }
  static std::string read(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static std::string job(const std::string& id, const std::string& status, const std::string& more = "") {
    return R"({"task_id":")" + id + R"(","pipeline":"ocr","status":")" + status + "\"" + more + "}";
  }
  std::string error_of_submit() {
    try {
      submit(options_, arguments_, out_, err_);
      return "";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }
  // The value of the header in the request for this path.
  std::string header(const std::string& path, const char* name) {
    for (const http::RequestHead& head : heads()) {
      if (head.path() == path) return std::string(head.headers.get(name));
    }
    return "";
  }

  std::string folder_ = testing::TempDir() + "submit_" + base::random_uuid();
  SubmitArguments arguments_;
  std::ostringstream out_, err_;
};

TEST_F(Submit, AFileIsSentWithItsNameAndHashAndTheIdIsPrinted) {
  const std::string path = file("a b.png", "pixels");
  reply("/pipelines/ocr/jobs", job("j1", "QUEUED"), 202);
  EXPECT_EQ(submit(options_, arguments_, out_, err_), 0);
  EXPECT_EQ(out_.str(), "j1  " + path + "\n");
  EXPECT_THAT(requests("/pipelines/ocr/jobs"), ElementsAre("pixels"));
  EXPECT_THAT(targets("/pipelines/ocr/jobs"), ElementsAre(AllOf(HasSubstr("POST "), HasSubstr("filename=a%20b.png"), HasSubstr("id="))));
  EXPECT_EQ(header("/pipelines/ocr/jobs", "Content-Type"), "image/png");
  EXPECT_EQ(header("/pipelines/ocr/jobs", "X-Amz-Content-Sha256"), base::to_hex(base::sha256("pixels")));
  EXPECT_THAT(header("/pipelines/ocr/jobs", "Authorization"), HasSubstr("/us-east-1/pipelines/aws4_request"));
  EXPECT_THAT(err_.str(), HasSubstr("1 job in "));
}

TEST_F(Submit, OptionsTravelInTheQuery) {
  file("a.png", "x");
  arguments_.id = "invoice-17";
  arguments_.metadata = {{"customer", "4&2"}};
  arguments_.priority = 9;
  arguments_.webhook = "https://x/?a=b";
  reply("/pipelines/ocr/jobs", job("invoice-17", "QUEUED"), 202);
  EXPECT_EQ(submit(options_, arguments_, out_, err_), 0);
  EXPECT_THAT(targets("/pipelines/ocr/jobs"),
              ElementsAre("POST /pipelines/ocr/jobs?id=invoice-17&filename=a.png&priority=9&"
                          "webhook=https%3A%2F%2Fx%2F%3Fa%3Db&metadata.customer=4%262"));
}

TEST_F(Submit, WaitingWritesTheResultToAFile) {
  file("a.png", "x");
  arguments_.wait = true;
  reply("/pipelines/ocr/jobs", job("j1", "QUEUED"), 202);
  reply("/jobs/j1", job("j1", "RUNNING"));
  reply("/jobs/j1", job("j1", "SUCCEEDED"));
  reply_in_pieces("/jobs/j1/result", {R"({"text":)", R"("hello"})"});
  EXPECT_EQ(submit(options_, arguments_, out_, err_), 0);
  EXPECT_EQ(read(folder_ + "/out/a.png.json"), R"({"text":"hello"})");
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("SUCCEEDED"), HasSubstr("out/a.png.json")));
  EXPECT_EQ(header("/jobs/j1", "Prefer"), "wait=20");
  EXPECT_THAT(err_.str(), HasSubstr("1 succeeded; results in " + folder_ + "/out"));
}

TEST_F(Submit, FailedJobsAreListedAndTheStatusIs1) {
  file("a.png", "x");
  arguments_.wait = true;
  reply("/pipelines/ocr/jobs", job("j1", "QUEUED"), 202);
  reply("/jobs/j1", job("j1", "FAILED", R"(,"error":{"type":"BrokenFile","message":"not an image \u001b[2J"})"));
  EXPECT_EQ(submit(options_, arguments_, out_, err_), 1);
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("1 failed"), HasSubstr("FILE"), HasSubstr("BrokenFile: not an image ?[2J"),
                                Not(HasSubstr("\x1b"))));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/out/a.png.json"));
}

TEST_F(Submit, ARejectedFileDoesNotStopTheOthers) {
  for (int i = 0; i < 20; ++i) file("f" + std::to_string(i), "x");
  reply("/pipelines/ocr/jobs", R"({"type":"about:blank","title":"Bad Request","status":400,"detail":"too odd"})", 400);
  reply("/pipelines/ocr/jobs", job("j1", "QUEUED"), 202);
  EXPECT_EQ(submit(options_, arguments_, out_, err_), 1);
  EXPECT_THAT(requests("/pipelines/ocr/jobs"), SizeIs(20));
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("19 submitted, 1 failed"), HasSubstr("not sent"), HasSubstr("too odd")));
}

TEST_F(Submit, ABusyServerGetsTheSameJobAgain) {
  file("a.png", "x");
  reply("/pipelines/ocr/jobs", R"({"title":"Service Unavailable","status":503})", 503);
  reply("/pipelines/ocr/jobs", job("j1", "QUEUED"), 200);
  EXPECT_EQ(submit(options_, arguments_, out_, err_), 0);
  const auto sent = targets("/pipelines/ocr/jobs");
  ASSERT_THAT(sent, SizeIs(2));
  EXPECT_EQ(sent[0], sent[1]);
}

TEST_F(Submit, AMissingPipelineIsAnErrorBeforeAnythingIsSent) {
  file("a.png", "x");
  arguments_.pipeline = "none";
  reply("/pipelines/none", R"({"title":"Not Found","status":404,"detail":"no pipeline none in us-east-1"})", 404);
  EXPECT_EQ(error_of_submit(), "no pipeline none in us-east-1");
  EXPECT_THAT(requests("/pipelines/none/jobs"), IsEmpty());
}

TEST_F(Submit, APausedPipelineIsMentioned) {
  file("a.png", "x");
  arguments_.pipeline = "halted";
  reply("/pipelines/halted", R"({"name":"halted","paused":true})");
  reply("/pipelines/halted/jobs", job("j1", "QUEUED"), 202);
  EXPECT_EQ(submit(options_, arguments_, out_, err_), 0);
  EXPECT_THAT(err_.str(), HasSubstr("halted is paused: its jobs wait for `stoker pipeline resume halted`"));
}

TEST_F(Submit, AFolderIsAnErrorThatNamesIt) {
  file("a.png", "x");
  arguments_.files.push_back(folder_);
  EXPECT_EQ(error_of_submit(), folder_ + " is a folder: name its files, for example " + folder_ + "/*");
  EXPECT_THAT(heads(), IsEmpty());
}

TEST_F(Submit, AMissingFileIsAnErrorThatNamesIt) {
  arguments_.files = {"/no/such/file"};
  EXPECT_EQ(error_of_submit(), "cannot read /no/such/file: no such file");
}

TEST_F(Submit, TwoResultsCanNotHaveTheSameFile) {
  std::filesystem::create_directories(folder_ + "/x");
  file("a.png", "1");
  file("x/a.png", "2");
  arguments_.wait = true;
  EXPECT_THAT(error_of_submit(), AllOf(HasSubstr("would both be"), HasSubstr("a.png.json")));
}

TEST_F(Submit, OneIdIsForOneFile) {
  file("a.png", "1");
  file("b.png", "2");
  arguments_.id = "x";
  EXPECT_EQ(error_of_submit(), "--id names one job, but there are 2 files");
}

TEST_F(Submit, StandardInputIsRead) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "from a pipe", 11), 11);
  ::close(ends[1]);
  arguments_.files = {"-"};
  arguments_.standard_input = ends[0];
  reply("/pipelines/ocr/jobs", job("j1", "QUEUED"), 202);
  EXPECT_EQ(submit(options_, arguments_, out_, err_), 0);
  ::close(ends[0]);
  EXPECT_THAT(requests("/pipelines/ocr/jobs"), ElementsAre("from a pipe"));
  EXPECT_THAT(targets("/pipelines/ocr/jobs"), ElementsAre(HasSubstr("filename=stdin")));
}

TEST_F(Submit, JsonIsTheServersDocuments) {
  file("a.png", "x");
  options_.json = true;
  reply("/pipelines/ocr/jobs", job("j1", "QUEUED"), 202);
  EXPECT_EQ(submit(options_, arguments_, out_, err_), 0);
  EXPECT_EQ(out_.str(), job("j1", "QUEUED") + "\n");
}

TEST_F(Submit, AResultThatCanNotBeWrittenIsAFailure) {
  file("a.png", "x");
  arguments_.wait = true;
  std::filesystem::create_directories(folder_ + "/out/a.png.json/in the way");
  reply("/pipelines/ocr/jobs", job("j1", "QUEUED"), 202);
  reply("/jobs/j1", job("j1", "SUCCEEDED"));
  reply("/jobs/j1/result", "{}");
  EXPECT_EQ(submit(options_, arguments_, out_, err_), 1);
  EXPECT_THAT(err_.str(), HasSubstr("cannot write the result"));
}

TEST(SubmitProgress, TheLineFitsItsColumns) {
  const SubmitCounts counts{.files = 500, .sent = 140, .succeeded = 121, .failed = 2, .waits = true};
  EXPECT_EQ(progress_line("ocr", counts, std::chrono::seconds(12), 79),
            "ocr [======>                   ] 123/500 done, 140 sent, 2 failed, 10.2/s, 0:12");
  for (std::size_t columns : {10u, 30u, 50u, 79u}) {
    EXPECT_LE(progress_line("a-very-long-name-of-a-pipeline", counts, std::chrono::hours(3), columns).size(), columns);
  }
}

TEST(SubmitProgress, ABarIsDrawnAndRemoved) {
  std::ostringstream out, err;
  {
    SubmitProgress progress("ocr", true, out, err);
    progress.show({.files = 2, .sent = 1});
    progress.print("a line");
  }
  EXPECT_EQ(out.str(), "a line\n");
  EXPECT_THAT(err.str(), AllOf(HasSubstr("\r\x1b[Kocr ["), HasSubstr("1/2 sent")));
  EXPECT_TRUE(err.str().ends_with("\r\x1b[K"));
}

TEST(SubmitProgress, WithoutATerminalThereIsNoBar) {
  std::ostringstream out, err;
  {
    SubmitProgress progress("ocr", false, out, err);
    progress.show({.files = 2, .sent = 1});
  }
  EXPECT_EQ(err.str(), "");
}

}  // namespace
}  // namespace cli
