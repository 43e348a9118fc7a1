// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/random.h"
#include "services/ssm/module.h"
#include "state/exec_session.h"
#include "store/test_store.h"
#include "wire/error.h"

namespace services::ssm {
namespace {

using namespace shapes::ssm;
using namespace std::chrono_literals;
using state::ExecStatus;
using testing::HasSubstr;

class SessionsTest : public testing::Test {
 protected:
  SessionsTest() : folder_(testing::TempDir() + "ssm-" + base::random_uuid()) {
    store_ = store::open_test_store(folder_, {state::exec_session_migrations()});
    caller_.account = "111111111111";
    caller_.region = "us-east-1";
    caller_.endpoint = "https://stoker:4566";
  }
  ~SessionsTest() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  template <class Use>
  void with_call(Use use) {
    store_->write_now([&](store::Tx& tx) {
      Call call{tx, caller_, now_, now_};
      use(call);
    });
  }
  void add(const std::string& id, const std::string& token = "t") {
    state::ExecSession session;
    session.id = id;
    session.account = "111111111111";
    session.region = "us-east-1";
    session.task = "task";
    session.container = "c";
    session.target = "ecs:default_task_" + id;
    session.owner = "arn:aws:iam::111111111111:root";
    session.token_hash = state::exec_token_hash(token);
    session.token_until = now_ + state::kExecTokenLife;
    session.created_at = now_;
    with_call([&](Call& call) { state::insert_exec_session(call.tx, session); });
  }
  bool use(const std::string& id, const std::string& token) {
    bool used = false;
    with_call([&](Call& call) { used = state::use_exec_token(call.tx, id, state::exec_token_hash(token), call.now); });
    return used;
  }
  void end(const std::string& id) {
    with_call([&](Call& call) {
      state::end_exec_session(call.tx, id, ExecStatus::Terminated, "The command ended.", call.now);
    });
  }
  ResumeSessionResponse resume(const std::string& id) {
    ResumeSessionResponse response;
    with_call([&](Call& call) { response = resume_session(call, {id}); });
    return response;
  }
  std::vector<std::string> list(DescribeSessionsRequest request) {
    std::vector<std::string> ids;
    with_call([&](Call& call) {
      const auto response = describe_sessions(call, request);
      for (const Session& session : *response.Sessions) ids.push_back(*session.SessionId + " " + *session.Status);
      if (response.NextToken) ids.push_back("more");
      next_ = response.NextToken;
    });
    return ids;
  }
  template <class Use>
  static std::string error_of(Use use) {
    try {
      use();
    } catch (const wire::ApiError& error) {
      return error.code() + ": " + error.message();
    }
    return "";
  }

  using Ids = std::vector<std::string>;
  std::string folder_;
  std::unique_ptr<store::Store> store_;
  Caller caller_;
  base::Time now_ = base::from_seconds(1'800'000'000);
  std::optional<std::string> next_;
};

TEST_F(SessionsTest, ATokenOpensOnceAndExpires) {
  add("a");
  EXPECT_FALSE(use("a", "other"));
  EXPECT_FALSE(use("a", ""));
  EXPECT_TRUE(use("a", "t"));
  EXPECT_FALSE(use("a", "t"));
  EXPECT_FALSE(use("a", "")) << "the hash of a used token is empty, not that of an empty token";
  add("b");
  EXPECT_FALSE(use("a", "t")) << "another session's";
  now_ += state::kExecTokenLife + 1ms;
  EXPECT_FALSE(use("b", "t"));
}

TEST_F(SessionsTest, ResumingReplacesTheToken) {
  add("a");
  const auto response = resume("a");
  EXPECT_THAT(*response.StreamUrl, HasSubstr("wss://stoker:4566/v1/data-channel/a?role="));
  EXPECT_FALSE(use("a", "t"));
  EXPECT_TRUE(use("a", *response.TokenValue));
}

// The plugin waits for ever on an error, and exits without a token.
TEST_F(SessionsTest, AnEndedSessionIsResumedWithoutAToken) {
  add("a");
  end("a");
  const auto response = resume("a");
  EXPECT_EQ(response.SessionId, "a");
  EXPECT_FALSE(response.TokenValue);
}

TEST_F(SessionsTest, SessionsOfAnotherAccountDoNotExist) {
  add("a");
  caller_.account = "222222222222";
  EXPECT_EQ(error_of([&] { resume("a"); }),
            "DoesNotExistException: Session a does not exist.");
  EXPECT_EQ(error_of([&] { with_call([](Call& call) { terminate_session(call, {"a"}); }); }),
            "DoesNotExistException: Session a does not exist.");
  EXPECT_EQ(list({.State = "Active"}), Ids());
}

TEST_F(SessionsTest, TerminatingWakesTheDoorAndInvalidatesTheToken) {
  add("a");
  with_call([&](Call& call) {
    terminate_session(call, {"a"});
    EXPECT_EQ(call.wakes.at(0).topic, state::kExecTopic);
    EXPECT_EQ(state::list_terminating_exec_sessions(call.tx), Ids({"a"}));
  });
  EXPECT_FALSE(use("a", "t"));
  EXPECT_FALSE(resume("a").TokenValue);
}

TEST_F(SessionsTest, ListsActiveAndEndedSessionsNewestFirst) {
  for (const char* id : {"a", "b", "c"}) add(id);
  end("b");
  use("c", "t");
  EXPECT_EQ(list({.State = "Active"}), Ids({"c Connected", "a Connecting"}));
  EXPECT_EQ(list({.State = "History"}), Ids({"b Terminated"}));
  EXPECT_EQ(list({.State = "Active", .MaxResults = 1}), Ids({"c Connected", "more"}));
  EXPECT_EQ(list({.State = "Active", .MaxResults = 1, .NextToken = next_}), Ids({"a Connecting"}));
  auto filtered = [&](const char* key, const char* value) {
    DescribeSessionsRequest request{.State = "Active"};
    request.Filters.emplace();
    request.Filters->push_back({key, value});
    return list(request);
  };
  EXPECT_EQ(filtered("Status", "Connecting"), Ids({"a Connecting"}));
  EXPECT_EQ(filtered("SessionId", "c"), Ids({"c Connected"}));
  EXPECT_EQ(filtered("Target", "ecs:default_task_a"), Ids({"a Connecting"}));
  EXPECT_EQ(filtered("InvokedAfter", "2100-01-01T00:00:00Z"), Ids());
  EXPECT_EQ(filtered("InvokedBefore", "2100-01-01T00:00:00Z").size(), 2u);
  EXPECT_THAT(error_of([&] { filtered("Status", "Odd"); }), HasSubstr("InvalidFilterKey"));
}

TEST_F(SessionsTest, ARestartEndsAllSessions) {
  add("a");
  with_call([](Call& call) { module({}).recover(call); });
  EXPECT_EQ(list({.State = "History"}), Ids({"a Terminated"}));
}

TEST_F(SessionsTest, TheHistoryIsBounded) {
  for (int i = 0; i < 1005; ++i) {
    const std::string id = "s" + std::to_string(i);
    add(id);
    end(id);
  }
  std::size_t kept = 0;
  with_call([&](Call& call) {
    kept = state::list_exec_sessions(
               call.tx, {.account = "111111111111", .region = "us-east-1", .ended = true, .most = 2000})
               .size();
  });
  EXPECT_EQ(kept, 1001u);
  now_ += 31 * 24h;
  add("new");
  EXPECT_EQ(list({.State = "History"}), Ids());
}

}  // namespace
}  // namespace services::ssm
