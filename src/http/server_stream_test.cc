// SPDX-License-Identifier: Apache-2.0
// Responses in pieces, as bytes on the wire.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "http/raw_client.h"
#include "http/server_fixture.h"

namespace http {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ServerStreamTest : public ServerFixture {
 protected:
  asio::awaitable<Response> handle(Exchange& exchange) override {
    std::string path(exchange.head().path());
    Response head;
    head.headers.add("X-Path", path);
    if (path == "/none") head.status = 204;
    if (path == "/pieces" || path == "/throws" || path == "/none") head.body = "first";
    co_await exchange.start(head);
    if (path == "/throws") throw std::runtime_error("a handler's mistake");
    if (path == "/echo") {
      for (;;) {
        std::string piece = co_await exchange.read_piece();
        if (piece.empty()) break;
        co_await exchange.write_piece(piece);
      }
    } else if (path == "/endless") {
      co_await write_until_gone(exchange);
    } else {
      co_await exchange.write_piece("");
      co_await exchange.write_piece("the second one");
    }
    Response ignored = text_response(500, "nobody sees this");
    co_return ignored;
  }

  asio::awaitable<void> write_until_gone(Exchange& exchange) {
    try {
      for (;;) {
        std::string piece(100'000, 'x');
        co_await exchange.write_piece(std::move(piece));
      }
    } catch (const Failure& failure) {
      gone_.set_value(failure.what());
      throw;
    }
  }

  std::promise<std::string> gone_;
};

TEST_F(ServerStreamTest, SendsPiecesAsChunksAndKeepsTheConnection) {
  RawClient client(start().port());
  for (int i = 0; i < 3; ++i) {
    client.send("GET /pieces HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_EQ(without_dates(client.read_until("0\r\n\r\n")),
              "HTTP/1.1 200 OK\r\nX-Path: /pieces\r\nTransfer-Encoding: chunked\r\n\r\n"
              "5\r\nfirst\r\ne\r\nthe second one\r\n0\r\n\r\n");
  }
}

TEST_F(ServerStreamTest, AnHttp10ClientReadsToTheEndOfTheConnection) {
  RawClient client(start().port());
  client.send("GET /pieces HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(without_dates(client.read_to_end()),
            "HTTP/1.1 200 OK\r\nX-Path: /pieces\r\nConnection: close\r\n\r\nfirstthe second one");
}

TEST_F(ServerStreamTest, SendsNoBodyToAHeadOrWithABodilessStatus) {
  RawClient client(start().port());
  client.send("HEAD /pieces HTTP/1.1\r\nHost: h\r\n\r\nGET /none HTTP/1.1\r\nHost: h\r\n\r\n");
  client.send("GET /pieces HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(without_dates(client.read_to_end()),
            "HTTP/1.1 200 OK\r\nX-Path: /pieces\r\nTransfer-Encoding: chunked\r\n\r\n"
            "HTTP/1.1 204 No Content\r\nX-Path: /none\r\n\r\n"
            "HTTP/1.1 200 OK\r\nX-Path: /pieces\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
            "5\r\nfirst\r\ne\r\nthe second one\r\n0\r\n\r\n");
}

TEST_F(ServerStreamTest, SendsEachPieceWhenItIsWritten) {
  RawClient client(start().port());
  client.send("POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_THAT(client.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 200 OK\r\n"));
  for (const char* piece : {"3\r\nabc\r\n", "5\r\nhello\r\n"}) {
    client.send(piece);
    EXPECT_EQ(client.read_until(piece), piece);
  }
  client.send("0\r\n\r\n");
  EXPECT_EQ(client.read_until("0\r\n\r\n"), "0\r\n\r\n");
}

TEST_F(ServerStreamTest, AHandlerThatThrowsCutsTheResponseShort) {
  RawClient client(start().port());
  client.send("GET /throws HTTP/1.1\r\nHost: h\r\n\r\n");
  std::string answer = client.read_to_end();
  EXPECT_THAT(answer, HasSubstr("5\r\nfirst\r\n"));
  EXPECT_THAT(answer, Not(HasSubstr("0\r\n\r\n")));
}

TEST_F(ServerStreamTest, AClientThatDisconnectsEndsTheHandler) {
  start();
  {
    RawClient client(server_->port());
    client.send("GET /endless HTTP/1.1\r\nHost: h\r\n\r\n");
    client.read_until("xxx");
  }
  EXPECT_EQ(gone_.get_future().get(), "The client disconnected before the end of the response.");
}

TEST_F(ServerStreamTest, AClientThatDoesNotReadEndsTheHandler) {
  Limits limits;
  limits.write = 20ms;
  RawClient client(start(limits).port());
  client.send("GET /endless HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(gone_.get_future().get(), "The client disconnected before the end of the response.");
}

}  // namespace
}  // namespace http
