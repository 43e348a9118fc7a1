// SPDX-License-Identifier: Apache-2.0
// What the engine reports about commands, with an engine of the test's own.
#include "agent/drivers/docker_exec_state.h"

#include <gmock/gmock.h>

#include <atomic>
#include <deque>
#include <filesystem>

#include "base/guarded.h"
#include "http/block_on.h"
#include "http/server_fixture.h"

namespace agent::drivers {
namespace {

namespace asio = boost::asio;
using testing::HasSubstr;

constexpr char kRuns[] = R"({"Running":true,"Pid":7,"ExitCode":null})";
constexpr char kEnded[] = R"({"Running":false,"Pid":7,"ExitCode":3})";
constexpr base::Duration kNoPatience{0};
constexpr base::Duration kPatience = std::chrono::minutes(1);

struct EngineAnswer {
  int status = 200;
  std::string body = {};
};

class DockerExecStateTest : public http::ServerFixture {
 protected:
  void SetUp() override {
    std::string folder = testing::TempDir() + "exec-state-XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    start().listen_unix(folder_ + "/engine.sock");
    api_ = std::make_unique<DockerApi>(io_, folder_ + "/engine.sock");
  }
  void TearDown() override {
    api_.reset();
    http::ServerFixture::TearDown();
    std::filesystem::remove_all(folder_);
  }

  asio::awaitable<http::Response> handle(http::Exchange& exchange) override {
    const std::string body = co_await exchange.read_body(1000);
    http::Response response;
    answers_.with([&](std::deque<EngineAnswer>& answers) {
      ++requests_;
      response.status = answers.front().status;
      response.body = answers.front().body;
      if (answers.size() > 1) answers.pop_front();
    });
    co_return response;
  }

  // The last one is repeated.
  void answer(std::deque<EngineAnswer> answers) {
    answers_.with([&](std::deque<EngineAnswer>& all) { all = std::move(answers); });
  }
  base::Result<CommandState> start_state(base::Duration lag) {
    return http::block_on(io_.at(0), await_start(*api_, target_, lag));
  }
  base::Result<CommandState> end_state(base::Duration lag) {
    return http::block_on(io_.at(0), await_end(*api_, target_, detached_, lag));
  }

  asio::awaitable<bool> resized(std::function<bool()> over) {
    co_await resize_terminal(*api_, target_, 24, 80, std::move(over));
    co_return true;
  }

  std::string folder_;
  std::unique_ptr<DockerApi> api_;
  DockerTarget target_{.inspect = "/exec/e/json", .resize = "/exec/e/resize"};
  bool detached_ = false;
  base::Guarded<std::deque<EngineAnswer>> answers_;
  std::atomic<int> requests_ = 0;
};

// It has redirected its output: the end of the stream is not its own.
TEST_F(DockerExecStateTest, ACommandThatRunsIsAwaitedHoweverLongThatTakes) {
  answer({{200, kRuns}, {200, kRuns}, {200, kRuns}, {200, kEnded}});
  const auto state = end_state(kNoPatience);
  ASSERT_TRUE(state) << state.error();
  EXPECT_EQ(state->code, 3);
  EXPECT_EQ(requests_, 4);
}

TEST_F(DockerExecStateTest, AnAttachedContainerThatRunsIsAwaitedUntilTheClientDetaches) {
  target_.attach = true;
  answer({{200, R"({"State":{"Running":true,"Pid":7,"ExitCode":0}})"}, {200, R"({"State":{"Running":false,"ExitCode":5}})"}});
  EXPECT_EQ(end_state(kNoPatience)->code, 5);
  detached_ = true;
  answer({{200, R"({"State":{"Running":true,"Pid":7,"ExitCode":0}})"}});
  EXPECT_TRUE(end_state(kPatience)->running);
}

TEST_F(DockerExecStateTest, AFailedReplyIsRequestedAgain) {
  answer({{500, "{}"}, {200, kRuns}});
  auto state = start_state(kPatience);
  ASSERT_TRUE(state) << state.error();
  EXPECT_EQ(state->pid, 7);
  answer({{500, "{}"}, {200, kEnded}});
  state = end_state(kPatience);
  ASSERT_TRUE(state) << state.error();
  EXPECT_EQ(state->code, 3);
}

TEST_F(DockerExecStateTest, AnEngineThatDoesNotAnswerInTimeIsAnError) {
  answer({{500, R"({"message":"busy"})"}});
  EXPECT_THAT(start_state(kNoPatience).error(), HasSubstr("busy"));
  EXPECT_THAT(end_state(kNoPatience).error(), HasSubstr("busy"));
  answer({{404, R"({"message":"No such exec instance"})"}});
  EXPECT_THAT(end_state(kPatience).error(), HasSubstr("No such exec instance"));
}

TEST_F(DockerExecStateTest, ACommandThatNeverGetsAProcessIsAnError) {
  answer({{200, R"({"Running":true,"Pid":0})"}});
  EXPECT_THAT(start_state(kNoPatience).error(), HasSubstr("did not start"));
}

TEST_F(DockerExecStateTest, TheSizeOfATerminalIsSentUntilTheEngineTakesIt) {
  answer({{500, "{}"}, {404, "{}"}, {200, ""}});
  http::block_on(io_.at(0), resized([] { return false; }));
  EXPECT_EQ(requests_, 3);
}

TEST_F(DockerExecStateTest, ATerminalThatIsClosedIsNotResizedAgain) {
  answer({{500, "{}"}});
  http::block_on(io_.at(0), resized([] { return true; }));
  EXPECT_EQ(requests_, 1);
  http::block_on(io_.at(0), resized([] { return false; }));
  EXPECT_EQ(requests_, 1 + 11) << "docker's number of attempts";
}

}  // namespace
}  // namespace agent::drivers
