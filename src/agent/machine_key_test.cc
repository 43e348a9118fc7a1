// SPDX-License-Identifier: Apache-2.0
#include "agent/machine_key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <deque>
#include <filesystem>
#include <fstream>

#include "base/guarded.h"
#include "base/log.h"
#include "base/random.h"
#include "http/server.h"

namespace agent {
namespace {

namespace asio = boost::asio;
using testing::HasSubstr;
using testing::Not;

const std::string kToken = "stk1.abc.secret";
constexpr char kKey[] = R"({"accessKeyId":"AKIABOX","secretAccessKey":"hush"})";

class MachineKeyTest : public testing::Test {
 protected:
  struct Reply {
    int status = 200;
    std::string body;
  };

  MachineKeyTest() {
    base::set_log_level(base::LogLevel::Off);
    server_.listen_tcp("127.0.0.1", 0);
    options_.server = "http://127.0.0.1:" + std::to_string(server_.port());
    options_.data = folder_;
    options_.token = kToken;
  }
  ~MachineKeyTest() override {
    base::set_log_level(base::LogLevel::Info);
    std::filesystem::remove_all(folder_);
  }

  asio::awaitable<http::Response> answer(http::Exchange& exchange) {
    const std::string body = co_await exchange.read_body(10000);
    const Reply reply = state_.with([&](State& state) {
      state.requests.push_back(exchange.head().target + " " + body);
      const Reply next = state.replies.front();
      state.replies.pop_front();
      return next;
    });
    http::Response response{reply.status, {}, reply.body};
    co_return response;
  }
  void reply(int status, std::string body) {
    state_.with([&](State& state) { state.replies.push_back({status, std::move(body)}); });
  }
  std::vector<std::string> requests() {
    return state_.with([](State& state) { return state.requests; });
  }

  std::optional<signing::Credentials> obtain() {
    return machine_credentials(options_, [&](base::Duration) { return ++pauses_ < 3; });
  }
  std::string error() {
    try {
      obtain();
    } catch (const std::runtime_error& thrown) {
      return thrown.what();
    }
    return "";
  }

  struct State {
    std::deque<Reply> replies;
    std::vector<std::string> requests;
  };
  const std::string folder_ = testing::TempDir() + "machine-" + base::random_uuid();
  base::Guarded<State> state_;
  http::IoThreads io_{1};
  http::Server server_{io_, [this](http::Exchange& exchange) { return answer(exchange); }};
  JoinOptions options_;
  int pauses_ = 0;
};

TEST_F(MachineKeyTest, ATokenIsExchangedOnceForAKeyOnDisk) {
  reply(200, kKey);
  EXPECT_EQ(obtain()->access_key, "AKIABOX");
  ASSERT_EQ(requests().size(), 1u);
  EXPECT_THAT(requests()[0], HasSubstr(R"(/stoker/join {"token":"stk1.abc.secret","machine":")"));
  struct stat file = {};
  ASSERT_EQ(::stat(machine_key_path(folder_).c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777, 0600u);
  options_.token.clear();
  EXPECT_EQ(obtain()->secret_key, "hush");
  EXPECT_EQ(requests().size(), 1u);
}

TEST_F(MachineKeyTest, AnInterruptedExchangeIsRepeatedWithTheSameSecret) {
  reply(500, "");
  pauses_ = 2;
  EXPECT_FALSE(obtain());
  reply(200, kKey);
  EXPECT_TRUE(obtain());
  ASSERT_EQ(requests().size(), 2u);
  EXPECT_EQ(requests()[0], requests()[1]);
}

TEST_F(MachineKeyTest, TheExchangeIsTriedUntilTheServerAnswers) {
  reply(503, "");
  reply(200, "not a key");
  reply(200, kKey);
  EXPECT_TRUE(obtain());
  EXPECT_EQ(pauses_, 2);
}

TEST_F(MachineKeyTest, ARejectedTokenEndsTheAttemptWithTheReasonAndWithoutTheToken) {
  reply(403, R"({"__type":"InvalidJoinTokenException","message":"The join token was revoked."})");
  const std::string text = error();
  EXPECT_THAT(text, HasSubstr("The join token was revoked."));
  EXPECT_THAT(text, Not(HasSubstr("secret")));
  EXPECT_EQ(pauses_, 0);
}

TEST_F(MachineKeyTest, AMissingOrMalformedTokenIsNotSent) {
  options_.token.clear();
  EXPECT_THAT(error(), HasSubstr("this machine has no key: create a join token with `stoker token`"));
  options_.token = "AKIA:secret";
  EXPECT_THAT(error(), HasSubstr("invalid join token"));
  EXPECT_THAT(error(), Not(HasSubstr("AKIA")));
  EXPECT_TRUE(requests().empty());
}

TEST_F(MachineKeyTest, ARemovedMachineDoesNotPassForANewOneWithItsOldToken) {
  reply(200, kKey);
  obtain();
  forget_machine_key(folder_);
  reply(403, R"({"message":"This machine has joined with this token before."})");
  EXPECT_THAT(error(), HasSubstr("has joined with this token before"));
  EXPECT_EQ(requests()[0], requests()[1]) << "it names itself as before";
  options_.token = "stk1.other.secret";
  reply(200, kKey);
  EXPECT_TRUE(obtain());
  EXPECT_NE(requests()[1].substr(requests()[1].find("machine")), requests()[2].substr(requests()[2].find("machine")));
}

TEST_F(MachineKeyTest, AServerThatStartsAMachinePassesItsKey) {
  options_.token = "stkkey1.AKIAI.se.cr/et+";
  const auto key = obtain();
  EXPECT_EQ(key->access_key, "AKIAI");
  EXPECT_EQ(key->secret_key, "se.cr/et+");
  for (const char* word : {"stkkey1.", "stkkey1.AKIA", "stkkey1..x", "stkkey1.AKIA."}) {
    options_.token = word;
    EXPECT_EQ(error(), "invalid machine key") << word;
  }
}

TEST_F(MachineKeyTest, ADamagedFileIsNotTakenForAMissingOne) {
  std::filesystem::create_directories(folder_);
  std::ofstream(machine_key_path(folder_)) << "{";
  EXPECT_THAT(error(), HasSubstr("damaged file"));
}

}  // namespace
}  // namespace agent
