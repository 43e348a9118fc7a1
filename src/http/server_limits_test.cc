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

constexpr base::Duration kNever = std::chrono::hours(1);

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
    } else if (path == "/signed") {
      exchange.set_account("one");
      response.body = co_await exchange.read_body(100'000);
    } else if (path.ends_with("/socket")) {
      if (path == "/signed/socket") exchange.set_account("one");
      auto socket = co_await exchange.accept_websocket();
      auto message = co_await socket->read(10s);
      response.body = message ? "message" : "none";
    } else if (path == "/unsigned") {
      response.body = co_await exchange.read_body(100'000);
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
  limits.unknown_idle = kNever;
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
  limits.drain = 5min;  // far more than the end of the connection takes
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
  limits.connections.all = 1;
  Server& server = start(limits);
  RawClient first(server.port());
  first.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(first.read_answer(), StartsWith("HTTP/1.1 200 OK"));
  RawClient second(server.port());
  EXPECT_THAT(second.read_to_end(), StartsWith("HTTP/1.1 503 Service Unavailable\r\n"));
}

TEST_F(LimitsTest, AnAccountHasAShareOfTheConnections) {
  Limits limits;
  limits.connections.per_account = 1;
  Server& server = start(limits);
  RawClient first(server.port()), second(server.port()), unknown(server.port());
  const char* request = "GET /signed HTTP/1.1\r\nHost: h\r\n\r\n";
  for (int i = 0; i < 2; ++i) {
    first.send(request);
    EXPECT_THAT(first.read_answer(), StartsWith("HTTP/1.1 200 OK"));
  }
  second.send(request);
  const std::string answer = second.read_to_end();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 429 Too Many Requests\r\n"));
  EXPECT_THAT(answer, HasSubstr("The account has as many connections as one account may have."));
  unknown.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(unknown.read_answer(), StartsWith("HTTP/1.1 200 OK"));
  EXPECT_EQ(server.admission().counts().refused[static_cast<std::size_t>(Refusal::Account)], 1u);
}

TEST_F(LimitsTest, AWebSocketIsAnAgentsIfItsRequestIsSigned) {
  Limits limits;
  limits.connections.per_account = 0;  // agents do not count
  Server& server = start(limits);
  const auto upgrade = [](const std::string& path) {
    return "GET " + path + " HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
           "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
  };
  const auto open = [&](ConnectionKind kind) {
    return server.admission().counts().connections[static_cast<std::size_t>(kind)];
  };
  RawClient stranger(server.port()), agent(server.port());
  stranger.send(upgrade("/unsigned/socket"));
  EXPECT_THAT(stranger.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 101"));
  EXPECT_EQ(open(ConnectionKind::Agent), 0u);
  agent.send(upgrade("/signed/socket"));
  EXPECT_THAT(agent.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 101"));
  EXPECT_EQ(open(ConnectionKind::Agent), 1u);
  EXPECT_EQ(open(ConnectionKind::Unknown), 1u);
}

// Reposts itself until there is a connection.
void look_for_connections(asio::io_context& io, const Server& server, std::promise<std::size_t>& seen) {
  if (server.connections() > 0) {
    seen.set_value(server.connections());
  } else {
    asio::post(io, [&] { look_for_connections(io, server, seen); });
  }
}

TEST_F(LimitsTest, ManyNewConnectionsLetTheThreadDoItsOtherWork) {
  constexpr std::size_t kClients = 300;
  IoThreads one(1);
  Server server(one, [this](Exchange& exchange) { return handle(exchange); });
  server.listen_tcp("127.0.0.1", 0);
  std::promise<void> busy, go_on;
  asio::post(one.at(0), [&] {
    busy.set_value();
    go_on.get_future().wait();
  });
  busy.get_future().wait();
  std::vector<std::unique_ptr<RawClient>> clients;  // they wait in the kernel
  for (std::size_t i = 0; i < kClients; ++i) clients.push_back(std::make_unique<RawClient>(server.port()));
  std::promise<std::size_t> seen;
  asio::post(one.at(0), [&] { look_for_connections(one.at(0), server, seen); });
  go_on.set_value();
  EXPECT_LT(seen.get_future().get(), kClients);
  for (auto& client : clients) {
    client->send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_THAT(client->read_answer(), StartsWith("HTTP/1.1 200 OK"));
  }
}

TEST_F(LimitsTest, AnIdleConnectionWithoutAKeyClosesSooner) {
  Limits limits;
  limits.unknown_idle = 20ms;
  limits.idle = kNever;
  Server& server = start(limits);
  // The time begins with the connection, so one whose client is delayed closes before its request.
  std::unique_ptr<RawClient> client;
  do {
    client = std::make_unique<RawClient>(server.port());
    client->send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  } while (!client->read_answer().starts_with("HTTP/1.1 200 OK"));
  EXPECT_EQ(client->read_to_end(), "");
}

TEST_F(LimitsTest, ABodyWithoutMemoryIsA503UnlessItsSignatureIsValid) {
  Limits limits;
  limits.bodies = {.all = 10'000, .per_owner = 10'000};
  Server& server = start(limits);
  const std::string body(50'000, 'b');
  const std::string length = " HTTP/1.1\r\nHost: h\r\nContent-Length: 50000\r\n\r\n";
  RawClient unverified(server.port()), verified(server.port()), small(server.port());
  unverified.send("POST /unsigned" + length + body);
  EXPECT_THAT(unverified.read_answer(), StartsWith("HTTP/1.1 503 Service Unavailable\r\n"));
  verified.send("POST /signed" + length + body);
  EXPECT_THAT(verified.read_answer(), EndsWith(body));
  small.send("POST /unsigned HTTP/1.1\r\nHost: h\r\nContent-Length: 8000\r\n\r\n" + body.substr(0, 8000));
  EXPECT_THAT(small.read_answer(), StartsWith("HTTP/1.1 200 OK"));
  EXPECT_EQ(server.bodies().refused(), 1u);
  EXPECT_EQ(server.bodies().used(), 0u);
}

TEST_F(LimitsTest, AnAccountsRequestWithoutMemoryIsA503) {
  Limits limits;
  limits.account_bodies = {.all = 20'000, .per_owner = 20'000};
  Server& server = start(limits);
  const std::string body(50'000, 'b');
  const auto post = [&](const std::string& path, std::size_t size) {
    RawClient client(server.port());
    client.send("POST " + path + " HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n" +
                body.substr(0, size));
    return client.read_answer();
  };
  EXPECT_THAT(post("/signed", 50'000), StartsWith("HTTP/1.1 503 Service Unavailable\r\n"));
  EXPECT_THAT(post("/signed", 20'000), EndsWith(body.substr(0, 20'000)));
  EXPECT_THAT(post("/unsigned", 50'000), StartsWith("HTTP/1.1 200 OK"));
  EXPECT_EQ(server.account_bodies().refused(), 1u);
  EXPECT_EQ(server.account_bodies().used(), 0u);
}

TEST_F(LimitsTest, AResponseThatIsNotReadUsesMemoryThatAnotherOneLacks) {
  Limits limits;
  limits.account_bodies = {.all = 100 << 20, .per_owner = 100 << 20};
  Server& server = start(limits);
  const std::string request = "GET /huge HTTP/1.1\r\nHost: h\r\n\r\n";
  RawClient unread(server.port()), other(server.port()), small(server.port());
  unread.send(request);
  unread.read_until("\r\n\r\n");  // it is being sent
  other.send(request);
  EXPECT_THAT(other.read_answer(), StartsWith("HTTP/1.1 503 Service Unavailable\r\n"));
  small.send("GET /signed HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(small.read_answer(), StartsWith("HTTP/1.1 200 OK"));
  EXPECT_EQ(server.account_bodies().refused(), 1u);
}

TEST_F(LimitsTest, AClientThatWaitsForContinueGetsNoneIfThereIsNoMemory) {
  Limits limits;
  limits.bodies = {.all = 10'000, .per_owner = 10'000};
  RawClient client(start(limits).port());
  client.send("POST /unsigned HTTP/1.1\r\nHost: h\r\nContent-Length: 50000\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_THAT(client.read_to_end(), StartsWith("HTTP/1.1 503 Service Unavailable\r\n"));
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
