// SPDX-License-Identifier: Apache-2.0
// Long polls through a real server: a waiter that leaves passes its wake on to the next in line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <latch>

#include "api/run.h"
#include "base/random.h"
#include "http/raw_client.h"
#include "http/server.h"
#include "state/keys.h"
#include "store/test_store.h"
#include "wire/error.h"

namespace api {
namespace {

namespace asio = boost::asio;
using testing::HasSubstr;

constexpr char kTopic[] = "test/topic";
constexpr base::Duration kNever = std::chrono::hours(1);

asio::awaitable<void> wait_for_topic(Topics* topics, std::uint64_t seen, bool* woken) {
  co_await topics->wait(kTopic, seen, kNever);
  *woken = true;
}

class LongPollTest : public testing::Test {
 protected:
  LongPollTest() { server_.listen_unix(folder_ + "/socket"); }
  ~LongPollTest() override {
    engine_.drain();
    server_.drain();
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  asio::awaitable<http::Response> serve(http::Exchange& exchange) {
    api::Run run{caller_, services::Access::Write};
    Handler handler = [this](services::Call& call) { handle(call); };
    std::string answer = "answered";
    try {
      co_await run_handler(engine_, exchange, run, std::move(handler));
    } catch (const wire::ApiError& error) {
      answer = error.code();
    }
    ended_.count_down();
    co_return http::text_response(200, answer);
  }

  // The operation: it waits until there is something to receive.
  void handle(services::Call& call) {
    seen_in_last_run_ = topics_.seen();
    ++runs_;
    if (!available_) call.wait = services::Wait{kTopic, call.started + kNever, std::nullopt};
    if (runs_ < slices_) call.wait = services::Wait{kTopic, call.started, call.now};
    if (runs_ == 1 && drains_in_first_run_) engine_.drain();
    if (runs_ == 1) first_run_.count_down();
  }

  std::unique_ptr<http::RawClient> start_poll() {
    auto client = std::make_unique<http::RawClient>(folder_ + "/socket");
    client->send("GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n");
    first_run_.wait();
    return client;
  }

  // Would a waiter that looked at `seen` look again?
  bool woken_since(std::uint64_t seen) {
    asio::io_context io;
    bool woken = false;
    asio::co_spawn(io, wait_for_topic(&topics_, seen, &woken), [](std::exception_ptr error) { EXPECT_FALSE(error); });
    io.poll();
    const bool result = woken;
    // The waiter of this check must not outlive it.
    topics_.wake_all();
    io.restart();
    io.run();
    return result;
  }

  const std::string folder_ = testing::TempDir() + "poll-" + base::random_uuid();
  base::SystemClock clock_;
  http::IoThreads io_{1};
  std::unique_ptr<store::Store> store_ = store::open_test_store(folder_, {state::key_migrations()});
  services::Caller caller_;
  services::Locals locals_;
  services::Directory directory_;
  Topics topics_;
  Engine engine_{*store_, locals_, directory_, topics_, clock_};
  std::atomic<bool> available_ = false;
  int slices_ = 0;                     // of an operation that works in slices
  bool drains_in_first_run_ = false;
  std::atomic<int> runs_ = 0;
  std::atomic<std::uint64_t> seen_in_last_run_ = 0;
  std::latch first_run_{1}, ended_{1};
  http::Server server_{io_, [this](http::Exchange& exchange) { return serve(exchange); }};
};

TEST_F(LongPollTest, AWaiterThatLeavesWithAResultWakesTheNextInLine) {
  auto client = start_poll();
  available_ = true;
  topics_.wake(kTopic, 1);
  EXPECT_THAT(client->read_to_end(), HasSubstr("answered"));
  EXPECT_EQ(runs_.load(), 2);
  EXPECT_TRUE(woken_since(seen_in_last_run_));
}

TEST_F(LongPollTest, AWaiterWhoseClientIsGoneReceivesNothingAndWakesTheNextInLine) {
  auto client = start_poll();
  client.reset();
  available_ = true;
  const std::uint64_t before = topics_.seen();
  topics_.wake(kTopic, 1);
  ended_.wait();
  EXPECT_EQ(runs_.load(), 1);
  EXPECT_EQ(topics_.seen(), before + 2);  // the wake above and the one that the waiter passed on
}

TEST_F(LongPollTest, AWaiterWhoseKeyIsDeletedIsRefusedAndWakesTheNextInLine) {
  const state::Key key = state::new_key("111111111111", clock_.now());
  store_->write_now([&](store::Tx& tx) { state::insert_key(tx, key); });
  caller_.access_key = key.id;
  auto client = start_poll();
  store_->write_now([&](store::Tx& tx) { state::delete_key(tx, key.id); });
  available_ = true;
  engine_.committed({{state::key_topic(key.id)}});
  EXPECT_THAT(client->read_to_end(), HasSubstr("UnrecognizedClientException"));
  EXPECT_EQ(runs_.load(), 1);
  EXPECT_TRUE(woken_since(seen_in_last_run_));
}

TEST_F(LongPollTest, AWaiterWhoseKeyExistsGoesOn) {
  const state::Key key = state::new_key("111111111111", clock_.now());
  store_->write_now([&](store::Tx& tx) { state::insert_key(tx, key); });
  caller_.access_key = key.id;
  auto client = start_poll();
  available_ = true;
  topics_.wake(kTopic, 1);
  EXPECT_THAT(client->read_to_end(), HasSubstr("answered"));
}

TEST_F(LongPollTest, AShutdownEndsAWait) {
  drains_in_first_run_ = true;
  auto client = start_poll();
  EXPECT_THAT(client->read_to_end(), HasSubstr("answered"));
  EXPECT_EQ(runs_.load(), 1);
}

TEST_F(LongPollTest, AShutdownDoesNotEndAnOperationBetweenItsSlices) {
  available_ = drains_in_first_run_ = true;
  slices_ = 3;
  auto client = start_poll();
  EXPECT_THAT(client->read_to_end(), HasSubstr("answered"));
  EXPECT_EQ(runs_.load(), 3);
}

TEST_F(LongPollTest, AnOperationThatDidNotWaitWakesNobody) {
  available_ = true;
  auto client = start_poll();
  EXPECT_THAT(client->read_to_end(), HasSubstr("answered"));
  EXPECT_FALSE(woken_since(seen_in_last_run_));
}

}  // namespace
}  // namespace api
