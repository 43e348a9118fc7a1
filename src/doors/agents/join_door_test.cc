// SPDX-License-Identifier: Apache-2.0
#include "doors/agents/join_door.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "api/dispatch.h"
#include "base/log.h"
#include "base/random.h"
#include "http/raw_client.h"
#include "state/join_token.h"
#include "state/keys.h"
#include "store/recording_store.h"
#include "store/test_store.h"

namespace doors::agents {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;

class JoinDoorTest : public testing::Test {
 protected:
  JoinDoorTest() {
    base::set_log_level(base::LogLevel::Off);
    server_.listen_tcp("127.0.0.1", 0);
  }
  ~JoinDoorTest() override {
    server_.drain();
    base::set_log_level(base::LogLevel::Info);
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  std::string join(const std::string& token) {
    const std::string body = R"({"token":")" + token + R"(","machine":")" + std::string(32, 'm') + "\"}";
    http::RawClient client(server_.port());
    client.send("POST /stoker/join HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: " +
                std::to_string(body.size()) + "\r\n\r\n" + body);
    return client.read_to_end();
  }

  const std::string folder_ = testing::TempDir() + "join_door_test_" + base::random_uuid();
  base::SystemClock clock_;
  http::IoThreads io_{1};
  std::unique_ptr<store::Store> store_ = store::open_test_store(folder_, {state::key_migrations()});
  store::RecordingStore recorder_{*store_};
  services::Locals locals_;
  services::Directory directory_;
  api::Topics topics_;
  api::Engine engine_{recorder_, locals_, directory_, topics_, clock_};
  api::Registry registry_{{}};
  api::Metrics metrics_{registry_.services()};
  api::RequestLog log_{metrics_};
  JoinDoor door_{engine_, registry_, log_};
  api::Dispatcher dispatcher_{{&door_}};
  http::Server server_{io_, [this](http::Exchange& exchange) { return dispatcher_.handle(exchange); }};
};

TEST_F(JoinDoorTest, ATokenIsLookedUpInTheTurnOfStrangers) {
  const state::JoinWord word = state::new_join_word();
  state::JoinToken token;
  token.id = word.id;
  token.hash = word.hash();
  token.account = "111111111111";
  token.created_at = clock_.now();
  token.expires_at = clock_.now() + std::chrono::hours(1);
  store_->write_now([&](store::Tx& tx) { state::insert_join_token(tx, token); });
  EXPECT_THAT(join(state::new_join_word().text()), HasSubstr("The join token is invalid."));
  EXPECT_THAT(join(word.text()), HasSubstr("accessKeyId"));
  const std::vector<std::string> accounts = recorder_.take_accounts();
  EXPECT_EQ(accounts.size(), 3u) << "one guess, and the look and the exchange";
  EXPECT_THAT(accounts, Each("anonymous"));
}

TEST_F(JoinDoorTest, AMalformedTokenIsRejectedWithoutTheDatabase) {
  EXPECT_THAT(join("stk1.guess"), HasSubstr("The join token is invalid."));
  EXPECT_THAT(recorder_.take_accounts(), IsEmpty());
}

}  // namespace
}  // namespace doors::agents
