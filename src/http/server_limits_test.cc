// SPDX-License-Identifier: Apache-2.0
// The server's limits and its shutdown, with limits small enough to reach in a test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <future>

#include "http/raw_client.h"
#include "http/server_fixture.h"

namespace http {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// Holds a handler until the test opens the gate or the handler is cancelled.
class Gate {
 public:
  asio::awaitable<void> pass() {
    asio::any_io_executor executor = co_await asio::this_coro::executor;
    asio::steady_timer timer(executor, asio::steady_timer::time_point::max());
    timer_ = &timer;
    entered_.set_value();
    boost::system::error_code cancelled;
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
  }
  void wait_until_entered() { entered_.get_future().wait(); }
  void open() {
    asio::post(timer_->get_executor(), [this] { timer_->cancel(); });
  }

 private:
  asio::steady_timer* timer_ = nullptr;
  std::promise<void> entered_;
};

class LimitsTest : public ServerFixture {
 protected:
  asio::awaitable<Response> handle(Exchange& exchange) override {
    Response response;
    std::string_view path = exchange.head().path();
    if (path == "/gate") {
      co_await gate_.pass();
      response.body = exchange.peer_gone() ? "gone" : "here";
    } else if (path == "/huge") {
      response.body = std::string(64 * 1024 * 1024, 'x');
    } else {
      response.body = co_await exchange.read_body(1000);
    }
    co_return response;
  }

  Gate gate_;
};

TEST_F(LimitsTest, ClosesAnIdleConnection) {
  Limits limits;
  limits.idle = 20ms;
  RawClient client(start(limits).port());
  EXPECT_EQ(client.read_to_end(), "");
}

TEST_F(LimitsTest, AnIncompleteHeadIsA408) {
  Limits limits;
  limits.head = 20ms;
  RawClient client(start(limits).port());
  client.send("GET / HTTP/1.1\r\nHo");
  EXPECT_THAT(client.read_to_end(), StartsWith("HTTP/1.1 408 Request Timeout\r\n"));
}

TEST_F(LimitsTest, ABodyThatStopsIsA408) {
  Limits limits;
  limits.body_progress = 20ms;
  RawClient client(start(limits).port());
  client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhe");
  std::string answer = client.read_to_end();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 408 Request Timeout\r\n"));
  EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
}

TEST_F(LimitsTest, DisconnectsAClientThatDoesNotReadItsResponse) {
  Limits limits;
  limits.write = 30ms;
  Server& server = start(limits);
  RawClient client(server.port());
  client.send("GET /huge HTTP/1.1\r\nHost: h\r\n\r\n");
  (void)client.read_until("\r\n\r\n");
  auto start_of_drain = std::chrono::steady_clock::now();
  server.drain();
  EXPECT_LT(std::chrono::steady_clock::now() - start_of_drain, limits.drain) << "it was drain that ended it";
  EXPECT_EQ(server.connections(), 0u);
  EXPECT_LT(client.read_to_end().size(), 64u * 1024 * 1024);
}

TEST_F(LimitsTest, AHeadOverTheLimitIsA431) {
  Limits limits;
  limits.head_bytes = 200;
  Server& server = start(limits);
  RawClient fits(server.port()), ended(server.port()), endless(server.port());
  fits.send("GET /" + std::string(150, 'a') + " HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(fits.read_answer(), StartsWith("HTTP/1.1 200 OK"));
  ended.send("GET /" + std::string(200, 'a') + " HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(ended.read_answer(), StartsWith("HTTP/1.1 431 "));
  endless.send("GET /" + std::string(100'000, 'a'));
  EXPECT_THAT(endless.read_answer(), StartsWith("HTTP/1.1 431 "));
}

TEST_F(LimitsTest, AConnectionOverTheLimitGetsA503) {
  Limits limits;
  limits.connections = 1;
  Server& server = start(limits);
  RawClient first(server.port());
  first.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(first.read_answer(), StartsWith("HTTP/1.1 200 OK"));
  RawClient second(server.port());
  EXPECT_THAT(second.read_to_end(), StartsWith("HTTP/1.1 503 Service Unavailable\r\n"));
}

TEST_F(LimitsTest, DrainClosesIdleConnectionsAndStopsAccepting) {
  Server& server = start();
  RawClient idle(server.port());
  idle.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  (void)idle.read_answer();
  unsigned short port = server.port();
  server.drain();
  EXPECT_EQ(server.connections(), 0u);
  EXPECT_EQ(idle.read_to_end(), "");
  EXPECT_FALSE(RawClient(port).connected());
}

TEST_F(LimitsTest, DrainLetsARequestInProgressFinish) {
  Server& server = start();
  RawClient client(server.port());
  client.send("GET /gate HTTP/1.1\r\nHost: h\r\n\r\n");
  gate_.wait_until_entered();
  auto drained = std::async(std::launch::async, [&] { server.drain(); });
  while (RawClient(server.port()).connected()) std::this_thread::yield();
  gate_.open();
  std::string answer = client.read_to_end();
  EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\nhere"));
  drained.wait();
  EXPECT_EQ(server.connections(), 0u);
}

TEST_F(LimitsTest, DrainCancelsRequestsThatDoNotFinishInTime) {
  Limits limits;
  limits.drain = 20ms;
  Server& server = start(limits);
  RawClient client(server.port());
  client.send("GET /gate HTTP/1.1\r\nHost: h\r\n\r\n");
  gate_.wait_until_entered();
  server.drain();
  EXPECT_EQ(server.connections(), 0u);
  EXPECT_EQ(client.read_to_end(), "");
}

TEST_F(LimitsTest, DestroyingTheServerCancelsAWaitingHandler) {
  RawClient client(start().port());
  client.send("GET /gate HTTP/1.1\r\nHost: h\r\n\r\n");
  gate_.wait_until_entered();
  server_.reset();
  EXPECT_EQ(client.read_to_end(), "");
}

TEST_F(LimitsTest, AHandlerCanDetectThatItsClientIsGone) {
  Server& server = start();
  RawClient client(server.port());
  client.send("GET /gate HTTP/1.1\r\nHost: h\r\n\r\n");
  gate_.wait_until_entered();
  client.finish();
  gate_.open();
  EXPECT_THAT(client.read_to_end(), EndsWith("gone"));
}

TEST_F(LimitsTest, ServesManyClientsAtOnce) {
  Server& server = start();
  auto talk = [&] {
    RawClient client(server.port());
    for (int i = 0; i < 50; ++i) {
      client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nok");
      EXPECT_THAT(client.read_answer(), EndsWith("ok"));
    }
  };
  std::vector<std::future<void>> clients;
  for (int i = 0; i < 16; ++i) clients.push_back(std::async(std::launch::async, talk));
}

}  // namespace
}  // namespace http
