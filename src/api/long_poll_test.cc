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
#include "store/test_store.h"

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
    const services::Caller caller;
    api::Run run{caller, services::Access::Write};
    Handler handler = [this](services::Call& call) { handle(call); };
    co_await run_handler(engine_, exchange, run, std::move(handler));
    ended_.count_down();
    co_return http::text_response(200, "answered");
  }

  // The operation: it waits until there is something to receive.
  void handle(services::Call& call) {
    seen_in_last_run_ = topics_.seen();
    ++runs_;
    if (!available_) call.wait = services::Wait{kTopic, call.started + kNever, std::nullopt};
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
  std::unique_ptr<store::Store> store_ = store::open_test_store(folder_, {});
  services::Locals locals_;
  services::Directory directory_;
  Topics topics_;
  Engine engine_{*store_, locals_, directory_, topics_, clock_};
  std::atomic<bool> available_ = false;
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

TEST_F(LongPollTest, AnOperationThatDidNotWaitWakesNobody) {
  available_ = true;
  auto client = start_poll();
  EXPECT_THAT(client->read_to_end(), HasSubstr("answered"));
  EXPECT_FALSE(woken_since(seen_in_last_run_));
}

}  // namespace
}  // namespace api
