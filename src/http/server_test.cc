// SPDX-License-Identifier: Apache-2.0
#include "http/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/log.h"
#include "http/raw_client.h"

namespace http {
namespace {

namespace asio = boost::asio;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::size_t kBodyLimit = 1024 * 1024;

asio::awaitable<Response> answer(Exchange& exchange) {
  Response response;
  std::string_view path = exchange.head().path();
  response.headers.add("X-Path", std::string(path));
  if (path == "/ignore") co_return response;
  if (path == "/throw") throw std::runtime_error("a handler's mistake");
  if (path == "/throw-number") throw 5;
  if (path == "/small") {
    response.body = co_await exchange.read_body(4);
    co_return response;
  }
  if (path == "/pieces") {
    for (;;) {
      std::string piece = co_await exchange.read_piece();
      if (piece.empty()) break;
      response.body += "[" + piece + "]";
    }
    co_return response;
  }
  if (path == "/split") response.headers.add("X-Echo", "a\r\nX-Evil: b\r\n\r\nbody");
  if (path == "/empty") response.status = 204;
  if (path == "/old") response.headers.add("Date", "Sun, 06 Nov 1994 08:49:37 GMT");
  if (path == "/size") response.headers.add("Content-Length", "12345");
  if (path == "/close") response.headers.add("Connection", "close");
  if (path == "/peer") response.body = exchange.peer();
  if (path == "/large") response.body = std::string(3'000'000, 'x');
  std::string body = co_await exchange.read_body(kBodyLimit);
  response.body += body;
  co_return response;
}

class ServerTest : public testing::Test {
 protected:
  ServerTest() {
    base::set_log_level(base::LogLevel::Off);
    server_.listen_tcp("127.0.0.1", 0);
  }
  ~ServerTest() override { base::set_log_level(base::LogLevel::Info); }

  // The server's response to `bytes`, up to the end of the connection.
  std::string all_of(std::string_view bytes) {
    RawClient client(server_.port());
    client.send(bytes);
    client.finish();
    return client.read_to_end();
  }

  IoThreads io_{2};
  Server server_{io_, answer};
};

TEST_F(ServerTest, RespondsAndKeepsTheConnection) {
  RawClient client(server_.port());
  for (int i = 0; i < 3; ++i) {
    client.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello");
    EXPECT_EQ(without_dates(client.read_answer()),
              "HTTP/1.1 200 OK\r\nX-Path: /echo\r\nContent-Length: 5\r\n\r\nhello");
  }
}

TEST_F(ServerTest, RespondsToPipelinedRequestsInOrder) {
  RawClient client(server_.port());
  std::string requests;
  for (int i = 0; i < 50; ++i) {
    std::string body = std::to_string(i);
    requests +=
        "POST /" + body + " HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  client.send(requests);
  for (int i = 0; i < 50; ++i) EXPECT_THAT(client.read_answer(), EndsWith("\r\n\r\n" + std::to_string(i)));
}

TEST_F(ServerTest, ARequestMayArriveByteByByte) {
  RawClient client(server_.port());
  std::string_view request =
      "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3;x=\"y\"\r\nabc\r\n2\r\nde\r\n0\r\nT: "
      "1\r\n\r\n"
      "GET /next HTTP/1.1\r\nHost: h\r\n\r\n";
  for (char c : request) ASSERT_TRUE(client.send(std::string_view(&c, 1)));
  EXPECT_THAT(client.read_answer(), EndsWith("\r\n\r\nabcde"));
  EXPECT_THAT(client.read_answer(), HasSubstr("X-Path: /next"));
}

TEST_F(ServerTest, AChunkedBodyMayArriveTogetherWithTheNextRequest) {
  RawClient client(server_.port());
  client.send(
      "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
      "POST /pieces HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi");
  EXPECT_THAT(client.read_answer(), EndsWith("\r\n\r\nhello"));
  EXPECT_THAT(client.read_answer(), EndsWith("\r\n\r\n[hi]"));
}

TEST_F(ServerTest, ReceivesAndSendsALongBody) {
  RawClient client(server_.port());
  std::string body(kBodyLimit, 'b');
  client.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  EXPECT_TRUE(client.read_answer().ends_with(body));
  client.send("GET /large HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(without_dates(client.read_answer()).size(),
            std::string("HTTP/1.1 200 OK\r\nX-Path: /large\r\nContent-Length: 3000000\r\n\r\n").size() + 3'000'000);
}

TEST_F(ServerTest, SendsContinueToAClientThatExpectsIt) {
  RawClient client(server_.port());
  client.send("PUT /echo HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("abc");
  EXPECT_THAT(client.read_answer(), EndsWith("\r\n\r\nabc"));
}

TEST_F(ServerTest, IgnoresAnUnknownExpectation) {
  RawClient client(server_.port());
  for (const char* expectation : {"200", ""}) {
    client.send("PUT /echo HTTP/1.1\r\nHost: h\r\nExpect: " + std::string(expectation) +
                "\r\nContent-Length: 3\r\n\r\nabc");
    EXPECT_THAT(client.read_answer(), EndsWith("\r\n\r\nabc"));
  }
}

TEST_F(ServerTest, SendsContinueForAnEmptyBodyToo) {
  RawClient client(server_.port());
  for (const char* path : {"/echo", "/pieces"}) {
    client.send("PUT " + std::string(path) +
                " HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n");
    EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    EXPECT_THAT(client.read_answer(), Not(HasSubstr("Connection: close")));
  }
  client.send("PUT /ignore HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n");
  EXPECT_THAT(client.read_answer(), HasSubstr("Connection: close"));
}

TEST_F(ServerTest, SendsNoContinueToAClientThatDoesNotWait) {
  RawClient client(server_.port());
  client.send("PUT /echo HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc");
  EXPECT_THAT(client.read_answer(), StartsWith("HTTP/1.1 200 OK"));
}

TEST_F(ServerTest, ABodyWithoutContinueEndsTheConnection) {
  RawClient client(server_.port());
  client.send("PUT /ignore HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_THAT(client.read_answer(), HasSubstr("Connection: close"));
}

TEST_F(ServerTest, SkipsAShortUnreadBody) {
  RawClient client(server_.port());
  client.send(
      "POST /ignore HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello"
      "GET /next HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(client.read_answer(), Not(HasSubstr("Connection: close")));
  EXPECT_THAT(client.read_answer(), HasSubstr("X-Path: /next"));
}

TEST_F(ServerTest, ALongUnreadBodyEndsTheConnectionAfterTheResponse) {
  RawClient client(server_.port());
  client.send("POST /ignore HTTP/1.1\r\nHost: h\r\nContent-Length: 10000000\r\n\r\n" + std::string(100'000, 'x'));
  client.finish();
  EXPECT_THAT(client.read_to_end(), HasSubstr("Connection: close"));
}

TEST_F(ServerTest, RejectsABodyOverTheHandlersLimit) {
  EXPECT_THAT(all_of("POST /small HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello"), StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(all_of("POST /small HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
              StartsWith("HTTP/1.1 413 "));
}

TEST_F(ServerTest, AHeadResponseHasTheLengthButNoBody) {
  RawClient client(server_.port());
  client.send("HEAD /large HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(without_dates(client.read_until("\r\n\r\n")),
            "HTTP/1.1 200 OK\r\nX-Path: /large\r\nContent-Length: 3000000\r\n\r\n");
  client.send("HEAD /size HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(client.read_until("\r\n\r\n"), HasSubstr("Content-Length: 12345\r\n"));
  client.send("GET /size HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(client.read_until("\r\n\r\n"), HasSubstr("Content-Length: 0\r\n"));
}

TEST_F(ServerTest, EveryResponseHasOneDate) {
  for (const char* request : {"GET / HTTP/1.1\r\nHost: h\r\n\r\n", "HEAD /size HTTP/1.1\r\nHost: h\r\n\r\n",
                              "GET /empty HTTP/1.1\r\nHost: h\r\n\r\n", "GET /throw HTTP/1.1\r\nHost: h\r\n\r\n",
                              "GET / HTTP/1.0\r\n\r\n", "nonsense\r\n\r\n"}) {
    const std::string answer = all_of(request);
    EXPECT_THAT(answer, testing::ContainsRegex("\r\nDate: [A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} "
                                               "[0-9]{2}:[0-9]{2}:[0-9]{2} GMT\r\n"))
        << request;
    EXPECT_EQ(answer.find("Date: "), answer.rfind("Date: ")) << request;
  }
  const std::string own = all_of("GET /old HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(own, HasSubstr("Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"));
  EXPECT_EQ(own.find("Date: "), own.rfind("Date: "));
}

TEST_F(ServerTest, NoContentHasNoLength) {
  EXPECT_EQ(without_dates(all_of("GET /empty HTTP/1.1\r\nHost: h\r\n\r\n")),
            "HTTP/1.1 204 No Content\r\nX-Path: /empty\r\n\r\n");
}

TEST_F(ServerTest, ClosesTheConnectionWhenEitherSideRequestsIt) {
  RawClient requests(server_.port()), receives(server_.port());
  requests.send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(requests.read_to_end(), EndsWith("Connection: close\r\n\r\n"));
  receives.send("GET /close HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(receives.read_to_end(), EndsWith("Connection: close\r\n\r\n"));
}

TEST_F(ServerTest, Http10ClosesUnlessTheClientRequestsKeepAlive) {
  RawClient closes(server_.port()), keeps(server_.port());
  closes.send("GET / HTTP/1.0\r\n\r\n");
  EXPECT_THAT(closes.read_to_end(), EndsWith("Connection: close\r\n\r\n"));
  for (int i = 0; i < 2; ++i) {
    keeps.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_THAT(keeps.read_answer(), EndsWith("Connection: keep-alive\r\n\r\n"));
  }
}

TEST_F(ServerTest, AHandlerThatThrowsIsA500AndTheConnectionStaysOpen) {
  RawClient client(server_.port());
  client.send("GET /throw HTTP/1.1\r\nHost: h\r\n\r\n");
  std::string answer = client.read_answer();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 500 Internal Server Error\r\n"));
  EXPECT_THAT(answer, Not(HasSubstr("mistake")));
  client.send("GET /next HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(client.read_answer(), HasSubstr("X-Path: /next"));
}

TEST_F(ServerTest, AHandlerThatThrowsANonExceptionEndsOnlyItsConnection) {
  EXPECT_EQ(all_of("GET /throw-number HTTP/1.1\r\nHost: h\r\n\r\n"), "");
  EXPECT_THAT(all_of("GET / HTTP/1.1\r\nHost: h\r\n\r\n"), StartsWith("HTTP/1.1 200 OK"));
}

TEST_F(ServerTest, AHeaderValueCannotSplitTheResponse) {
  EXPECT_THAT(all_of("GET /split HTTP/1.1\r\nHost: h\r\n\r\n"), HasSubstr("X-Echo: a  X-Evil: b    body\r\n"));
}

TEST_F(ServerTest, RejectsAnInvalidRequestAndClosesTheConnection) {
  for (const char* bad : {"nonsense\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\nBad Name: 1\r\n\r\n",
                          "GET / HTTP/1.1\r\nHost: h\r\nX: 1\r\n folded\r\n\r\n", "\x16\x03\x01\x02"}) {
    std::string answer = all_of(bad);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 ")) << bad;
    EXPECT_THAT(answer, HasSubstr("Connection: close\r\n")) << bad;
    EXPECT_THAT(answer, HasSubstr("Content-Type: text/plain")) << bad;
  }
}

TEST_F(ServerTest, RejectsAMalformedChunk) {
  EXPECT_THAT(all_of("POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"),
              StartsWith("HTTP/1.1 400 "));
}

TEST_F(ServerTest, SurvivesAClientThatDisconnectsMidway) {
  for (const char* part : {"", "G", "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhe",
                           "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe"}) {
    EXPECT_EQ(all_of(part), "") << part;
  }
  EXPECT_THAT(all_of("GET / HTTP/1.1\r\nHost: h\r\n\r\n"), StartsWith("HTTP/1.1 200 OK"));
}

TEST_F(ServerTest, ReportsThePeerAddress) {
  EXPECT_THAT(all_of("GET /peer HTTP/1.1\r\nHost: h\r\n\r\n"), HasSubstr("\r\n\r\n127.0.0.1:"));
}

TEST_F(ServerTest, ADualStackListenerReportsAnIPv4PeerByItsIPv4Address) {
  Server both(io_, answer);
  try {
    both.listen_tcp("::", 0);
  } catch (const std::runtime_error& error) {
    GTEST_SKIP() << "no IPv6 here: " << error.what();
  }
  RawClient client(both.port());
  client.send("GET /peer HTTP/1.1\r\nHost: h\r\n\r\n");
  client.finish();
  EXPECT_THAT(client.read_to_end(), HasSubstr("\r\n\r\n127.0.0.1:"));
}

TEST_F(ServerTest, ReportsAPortInUseInOneLine) {
  Server other(io_, answer);
  std::string expected = "cannot listen on 127.0.0.1:" + std::to_string(server_.port()) + ": Address already in use";
  try {
    other.listen_tcp("127.0.0.1", server_.port());
    FAIL() << "listened twice";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(), expected);
  }
}

TEST_F(ServerTest, AUnixSocketIsPrivateAndReplacesAStaleOne) {
  std::string path = testing::TempDir() + "stoker-http-" + std::to_string(::getpid()) + ".sock";
  // A listener that closes without removing its file leaves it stale.
  int left = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un name = {};
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, path.data(), path.size());
  ASSERT_EQ(::bind(left, reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
  ::close(left);

  {
    Server local(io_, answer);
    local.listen_unix(path);
    struct stat status;
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
    RawClient client(path);
    client.send("GET /peer HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_THAT(client.read_answer(), EndsWith("\r\n\r\nunix"));
    Server second(io_, answer);
    EXPECT_THROW(second.listen_unix(path), std::runtime_error);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace http
