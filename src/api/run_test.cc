// SPDX-License-Identifier: Apache-2.0
// Long polls of two clients: a wake that reaches the wrong one is passed on.
#include "api/run.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "base/random.h"
#include "http/raw_client.h"
#include "store/test_store.h"

namespace api {
namespace {

constexpr char kItemsTopic[] = "items";

// GET /take waits for an item and takes it; GET /ping runs an empty transaction.
class RunHandlerTest : public testing::Test {
 protected:
  RunHandlerTest() { server_.listen_tcp("127.0.0.1", 0); }
  ~RunHandlerTest() override {
    engine_.drain();
    server_.drain();
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  boost::asio::awaitable<http::Response> serve(http::Exchange& exchange) {
    const bool takes = exchange.head().path() == "/take";
    Handler handler = [&](services::Call& call) {
      if (!takes) return;
      ++runs_;
      if (items_ > 0) {
        --items_;
      } else {
        call.wait = services::Wait{kItemsTopic, call.started + std::chrono::hours(1), {}};
      }
    };
    const api::Run run{caller_, services::Access::Write};
    co_await run_handler(engine_, exchange, run, std::move(handler));
    co_return http::text_response(200, takes ? "taken" : "pong");
  }

  static void get(http::RawClient& client, const std::string& path) {
    client.send("GET " + path + " HTTP/1.1\r\nHost: h\r\n\r\n");
  }
  // Returns when the client waits, behind those that waited before. There is one I/O thread: when it responds to a
  // request that was sent after the handler had run, it has put the client into its topic's list.
  void start_waiting(http::RawClient& client) {
    const int before = runs_;
    get(client, "/take");
    while (runs_ == before) std::this_thread::yield();
    http::RawClient other(server_.port());
    get(other, "/ping");
    other.read_answer();
  }

  const std::string folder_ = testing::TempDir() + "run_test_" + base::random_uuid();
  base::SystemClock clock_;
  http::IoThreads io_{1};
  std::unique_ptr<store::Store> store_ = store::open_test_store(folder_, {});
  services::Locals locals_;
  services::Directory directory_;
  Topics topics_;
  Engine engine_{*store_, locals_, directory_, topics_, clock_};
  services::Caller caller_;
  std::atomic<int> items_ = 0, runs_ = 0;
  http::Server server_{io_, [this](http::Exchange& exchange) { return serve(exchange); }};
};

TEST_F(RunHandlerTest, AWaiterWhoseClientHasGoneWakesTheNext) {
  auto gone = std::make_unique<http::RawClient>(server_.port());
  http::RawClient next(server_.port());
  start_waiting(*gone);
  start_waiting(next);
  gone.reset();
  items_ = 1;
  topics_.wake(kItemsTopic, 1);
  EXPECT_TRUE(next.read_answer().ends_with("taken\n"));
  EXPECT_EQ(items_, 0);
}

TEST_F(RunHandlerTest, AWaiterThatIsServedWakesTheNext) {
  http::RawClient first(server_.port()), next(server_.port());
  start_waiting(first);
  start_waiting(next);
  items_ = 2;
  topics_.wake(kItemsTopic, 1);
  EXPECT_TRUE(first.read_answer().ends_with("taken\n"));
  EXPECT_TRUE(next.read_answer().ends_with("taken\n"));
}

}  // namespace
}  // namespace api
