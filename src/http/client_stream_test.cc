// SPDX-License-Identifier: Apache-2.0
// Responses that are read as they arrive.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <future>

#include "base/log.h"
#include "http/block_on.h"
#include "http/scripted_server.h"
#include "http/server.h"

namespace http {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr std::string_view kChunked = "HTTP/1.1 200 OK\r\nX-Kind: test\r\nTransfer-Encoding: chunked\r\n\r\n";

// Sends these bytes and closes.
ScriptedServer::Script answers(std::string bytes) {
  return [bytes](int fd) {
    ScriptedServer::read_request(fd);
    ScriptedServer::write(fd, bytes);
  };
}

class ClientStreamTest : public testing::Test {
 protected:
  using Opened = base::Result<std::unique_ptr<ResponseStream>>;

  Opened open(Client& client) { return block_on(io_.at(0), client.open(get_request("/"), kTestDeadline)); }
  base::Result<std::string> read(Opened& opened, base::Duration deadline = kTestDeadline) {
    return block_on(io_.at(0), (*opened)->read_piece(deadline));
  }
  // The whole body, or "failed".
  std::string read_all(Opened& opened) {
    std::string all;
    for (;;) {
      auto piece = read(opened);
      if (!piece) return "failed";
      if (piece->empty()) return all;
      all += *piece;
    }
  }

  IoThreads io_{1};
};

// As for Docker's "wait": the head arrives at once, the body when the container ends.
TEST_F(ClientStreamTest, ReturnsTheHeadBeforeTheBodyArrives) {
  std::promise<void> opened_it, read_one;
  ScriptedServer server({[&](int fd) {
    ScriptedServer::read_request(fd);
    ScriptedServer::write(fd, kChunked);
    opened_it.get_future().wait();
    ScriptedServer::write(fd, "3\r\nabc\r\n");
    read_one.get_future().wait();
    ScriptedServer::write(fd, "2\r\nde\r\n0\r\n\r\n");
  }});
  Client client(io_, Endpoint::tcp("127.0.0.1", server.port()));
  auto opened = open(client);
  opened_it.set_value();
  ASSERT_TRUE(opened) << opened.error();
  EXPECT_EQ((*opened)->status(), 200);
  EXPECT_EQ((*opened)->headers().get("X-Kind"), "test");
  EXPECT_EQ(*read(opened), "abc");
  read_one.set_value();
  EXPECT_EQ(*read(opened), "de");
  EXPECT_EQ(*read(opened), "");
  EXPECT_EQ(*read(opened), "") << "again";
}

TEST_F(ClientStreamTest, HandlesEveryWayToEndABody) {
  ScriptedServer server(
      {answers("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"), answers("HTTP/1.1 200 OK\r\n\r\nto the end"),
       answers(std::string(kChunked) + "1\r\nx\r\n0\r\n\r\n"), answers("HTTP/1.1 204 No Content\r\n\r\n"),
       answers(std::string(kChunked) + "5\r\ncut"), answers("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\ncut")});
  Client client(io_, Endpoint::tcp("127.0.0.1", server.port()));
  for (const char* expected : {"hello", "to the end", "x", "", "failed", "failed"}) {
    auto opened = open(client);
    ASSERT_TRUE(opened) << opened.error();
    EXPECT_EQ(read_all(opened), expected);
  }
}

TEST_F(ClientStreamTest, GivesUpAMissingPieceAtTheDeadline) {
  std::promise<void> given_up;
  ScriptedServer server({[&](int fd) {
    ScriptedServer::read_request(fd);
    ScriptedServer::write(fd, kChunked);
    given_up.get_future().wait();
  }});
  Client client(io_, Endpoint::tcp("127.0.0.1", server.port()));
  auto opened = open(client);
  ASSERT_TRUE(opened) << opened.error();
  auto piece = read(opened, 20ms);
  given_up.set_value();
  ASSERT_FALSE(piece);
  EXPECT_THAT(piece.error(), HasSubstr("in time"));
  EXPECT_FALSE(read(opened));
}

TEST_F(ClientStreamTest, ADestroyedStreamClosesItsConnection) {
  std::promise<ssize_t> closed;
  ScriptedServer server({[&](int fd) {
    ScriptedServer::read_request(fd);
    ScriptedServer::write(fd, std::string(kChunked) + "3\r\nabc\r\n");
    pollfd ready = {fd, POLLIN, 0};
    ::poll(&ready, 1, kTestDeadlineMs);
    char byte = 0;
    closed.set_value(::recv(fd, &byte, 1, 0));
  }});
  Client client(io_, Endpoint::tcp("127.0.0.1", server.port()));
  auto opened = open(client);
  ASSERT_TRUE(opened) << opened.error();
  EXPECT_EQ(*read(opened), "abc");
  opened->reset();
  EXPECT_EQ(closed.get_future().get(), 0);
}

TEST_F(ClientStreamTest, AnUnreachableOrSilentServerIsAnError) {
  Client nobody(io_, Endpoint::unix_socket("/nonexistent.sock"));
  EXPECT_FALSE(open(nobody));
  Descriptor silent = open_tcp_listener("127.0.0.1", 0);
  Client waiting(io_, Endpoint::tcp("127.0.0.1", bound_port(silent.get())));
  EXPECT_FALSE(block_on(io_.at(0), waiting.open(get_request("/"), 20ms)));
}

TEST_F(ClientStreamTest, TheBlockingFormPassesPiecesUntilTheCallbackStops) {
  std::string answer = std::string(kChunked) + "3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n";
  ScriptedServer server({answers(answer), answers(answer)});
  Client client(io_, Endpoint::tcp("127.0.0.1", server.port()));
  std::string all;
  auto status = client.stream_now(get_request("/"), kTestDeadline, [&](std::string_view piece) {
    all += piece;
    return true;
  });
  ASSERT_TRUE(status) << status.error();
  EXPECT_EQ(*status, 200);
  EXPECT_EQ(all, "abcdef");
  int pieces = 0;
  EXPECT_TRUE(client.stream_now(get_request("/"), kTestDeadline, [&](std::string_view) { return ++pieces < 1; }));
  EXPECT_EQ(pieces, 1);
}

// Responds only after all requests have arrived. On one thread, so it needs no lock.
class Barrier {
 public:
  explicit Barrier(std::size_t count) : count_(count) {}

  asio::awaitable<Response> pass(Exchange& exchange) {
    Response response;
    if (exchange.head().path() == "/stream") {
      response.body = "begun";
      co_await exchange.start(response);
    }
    asio::any_io_executor executor = co_await asio::this_coro::executor;
    asio::steady_timer timer(executor, asio::steady_timer::time_point::max());
    waiting_.push_back(&timer);
    if (waiting_.size() < count_) {
      boost::system::error_code cancelled;
      co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
    } else {
      for (asio::steady_timer* other : waiting_) other->cancel();
    }
    response.body = "all are here";
    co_return response;
  }

 private:
  std::size_t count_;
  std::vector<asio::steady_timer*> waiting_;
};

TEST_F(ClientStreamTest, OneClientRunsManyLongRequestsAtOnce) {
  constexpr std::size_t kEach = 60;
  Barrier barrier(2 * kEach);
  std::string path = testing::TempDir() + "stoker-stream-" + std::to_string(::getpid()) + ".sock";
  Server server(io_, [&](Exchange& exchange) { return barrier.pass(exchange); });
  server.listen_unix(path);
  Client client(io_, Endpoint::unix_socket(path));
  std::vector<Opened> streams;
  for (std::size_t i = 0; i < kEach; ++i) {
    streams.push_back(block_on(io_.at(0), client.open(get_request("/stream"), kTestDeadline)));
    ASSERT_TRUE(streams.back()) << streams.back().error();
    EXPECT_EQ(*read(streams.back()), "begun");
  }
  std::vector<std::future<base::Result<Response>>> sent;
  for (std::size_t i = 0; i < kEach; ++i) {
    sent.push_back(
        std::async(std::launch::async, [&] { return client.send_now(get_request("/send"), kTestDeadline); }));
  }
  for (auto& one : sent) {
    auto response = one.get();
    ASSERT_TRUE(response) << response.error();
    EXPECT_EQ(response->body, "all are here");
  }
  for (Opened& stream : streams) EXPECT_EQ(read_all(stream), "");
}

}  // namespace
}  // namespace http
