// SPDX-License-Identifier: Apache-2.0
#include "http/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/log.h"
#include "http/block_on.h"
#include "http/listener.h"
#include "http/scripted_server.h"
#include "http/server.h"

namespace http {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using testing::HasSubstr;

asio::awaitable<Response> echo_with_headers(Exchange& exchange) {
  Response response;
  response.headers.add("X-Host", std::string(exchange.head().headers.get("Host")));
  response.headers.add("X-Peer", exchange.peer());
  response.body = co_await exchange.read_body(1024 * 1024);
  co_return response;
}

asio::awaitable<Response> echo_or_404(Exchange& exchange) {
  Response response = co_await echo_with_headers(exchange);
  if (exchange.head().target == "/missing") response.status = 404;
  co_return response;
}

constexpr std::string_view kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

void answer_once(int fd) {
  ScriptedServer::read_request(fd);
  ScriptedServer::write(fd, kOk);
}

class ClientTest : public testing::Test {
 protected:
  base::Result<Response> send(Client& client, Request request = get_request("/")) {
    return client.send_now(std::move(request), kTestDeadline);
  }
  IoThreads io_{1};
};

TEST_F(ClientTest, SendsARequestAndReturnsTheResponse) {
  Server server(io_, echo_with_headers);
  server.listen_tcp("127.0.0.1", 0);
  Client client(io_, Endpoint::tcp("127.0.0.1", server.port()));
  Request request = get_request("/path?query");
  request.head.method = "POST";
  request.body = "hello";
  auto response = send(client, request);
  ASSERT_TRUE(response) << response.error();
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->body, "hello");
  EXPECT_EQ(response->headers.get("X-Host"), "127.0.0.1:" + std::to_string(server.port()));
}

TEST_F(ClientTest, AFileFollowsTheBody) {
  Server server(io_, echo_with_headers);
  server.listen_tcp("127.0.0.1", 0);
  Client client(io_, Endpoint::tcp("127.0.0.1", server.port()));
  const std::string path = testing::TempDir() + "client_file_" + std::to_string(::getpid());
  base::File file = base::File::create(path);
  ::unlink(path.c_str());
  file.write_all(std::string(100'000, 'x'));
  Request request = get_request("/");
  request.head.method = "PUT";
  request.body = "before ";
  request.file = std::make_shared<base::File>(std::move(file));
  auto response = send(client, std::move(request));
  ASSERT_TRUE(response) << response.error();
  EXPECT_EQ(response->body, "before " + std::string(100'000, 'x'));
}

TEST_F(ClientTest, ReusesItsConnection) {
  Server server(io_, echo_with_headers);
  server.listen_tcp("127.0.0.1", 0);
  Client client(io_, Endpoint::tcp("localhost", server.port()));
  auto first = send(client), second = send(client);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->headers.get("X-Peer"), second->headers.get("X-Peer"));
  EXPECT_EQ(server.connections(), 1u);
}

TEST_F(ClientTest, PassesTheBodyOfADownloadOnAndReusesTheConnection) {
  Server server(io_, echo_or_404);
  server.listen_tcp("127.0.0.1", 0);
  ClientLimits limits;
  limits.body_bytes = 1000;
  Client client(io_, Endpoint::tcp("127.0.0.1", server.port()), limits);
  std::string peer;
  for (const std::string target : {"/a", "/missing", "/b"}) {
    Request request = get_request(target);
    request.head.method = "POST";
    request.body = std::string(target == "/missing" ? 10 : 200'000, 'x');
    std::string got;
    BodySink sink = [&got](std::string_view piece) { got += piece; };
    auto response = block_on(io_.at(0), client.download(request, sink, kTestDeadline));
    ASSERT_TRUE(response) << response.error();
    const bool found = response->status == 200;
    EXPECT_EQ(got.size(), found ? 200'000u : 0u);
    EXPECT_EQ(response->body.size(), found ? 0u : 10u);
    if (peer.empty()) peer = response->headers.get("X-Peer");
    EXPECT_EQ(response->headers.get("X-Peer"), peer);
  }
}

TEST_F(ClientTest, WorksOverAUnixSocket) {
  std::string path = testing::TempDir() + "stoker-client-" + std::to_string(::getpid()) + ".sock";
  Server server(io_, echo_with_headers);
  server.listen_unix(path);
  Client client(io_, Endpoint::unix_socket(path));
  auto response = send(client);
  ASSERT_TRUE(response) << response.error();
  EXPECT_EQ(response->headers.get("X-Peer"), "unix");
}

TEST_F(ClientTest, RetriesOnceIfAReusedConnectionWasClosed) {
  ScriptedServer server({answer_once, answer_once});
  Client client(io_, Endpoint::tcp("127.0.0.1", server.port()));
  EXPECT_TRUE(send(client));
  auto again = send(client);
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(again->body, "ok");
}

TEST_F(ClientTest, DoesNotRetryAfterTheFirstByteOfAResponse) {
  ScriptedServer server({[](int fd) {
    answer_once(fd);
    ScriptedServer::read_request(fd);
    ScriptedServer::write(fd, "HTTP/1.1 200 OK\r\nContent-Le");
  }});
  Client client(io_, Endpoint::tcp("127.0.0.1", server.port()));
  EXPECT_TRUE(send(client));
  EXPECT_FALSE(send(client));
}

TEST_F(ClientTest, DoesNotRetryOnANewConnection) {
  ScriptedServer server({[](int fd) { ScriptedServer::read_request(fd); }});
  Client client(io_, Endpoint::tcp("127.0.0.1", server.port()));
  EXPECT_FALSE(send(client));
}

TEST_F(ClientTest, ReadsChunkedResponsesAndThoseThatEndWithTheConnection) {
  ScriptedServer server({[](int fd) {
                           ScriptedServer::read_request(fd);
                           ScriptedServer::write(fd,
                                                 "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"
                                                 "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
                                                 "3\r\nabc\r\n0\r\n\r\n");
                         },
                         [](int fd) {
                           ScriptedServer::read_request(fd);
                           ScriptedServer::write(fd, "HTTP/1.0 200 OK\r\n\r\nto the end");
                         }});
  Client client(io_, Endpoint::tcp("127.0.0.1", server.port()));
  auto chunked = send(client), to_end = send(client);
  ASSERT_TRUE(chunked) << chunked.error();
  EXPECT_EQ(chunked->body, "abc");
  ASSERT_TRUE(to_end) << to_end.error();
  EXPECT_EQ(to_end->body, "to the end");
}

TEST_F(ClientTest, TheResponseToAHeadHasNoBodyWhateverItsLength) {
  ScriptedServer server({[](int fd) {
    ScriptedServer::read_request(fd);
    ScriptedServer::write(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n");
    answer_once(fd);
  }});
  Client client(io_, Endpoint::tcp("127.0.0.1", server.port()));
  Request head = get_request("/");
  head.head.method = "HEAD";
  auto response = send(client, head);
  ASSERT_TRUE(response) << response.error();
  EXPECT_EQ(response->headers.get("Content-Length"), "100");
  EXPECT_TRUE(send(client));
}

TEST_F(ClientTest, RejectsAResponseOverTheLimit) {
  ScriptedServer server({answer_once});
  ClientLimits limits;
  limits.body_bytes = 1;
  Client client(io_, Endpoint::tcp("127.0.0.1", server.port()), limits);
  auto response = send(client);
  ASSERT_FALSE(response);
  EXPECT_THAT(response.error(), HasSubstr("larger than 1 bytes"));
}

TEST_F(ClientTest, GivesUpASilentServerAtTheDeadline) {
  Descriptor silent = open_tcp_listener("127.0.0.1", 0);
  Client client(io_, Endpoint::tcp("127.0.0.1", bound_port(silent.get())));
  auto response = client.send_now(get_request("/"), 30ms);
  ASSERT_FALSE(response);
  EXPECT_THAT(response.error(), HasSubstr("in time"));
}

TEST_F(ClientTest, TheErrorNamesAnUnreachableServer) {
  unsigned short port = 0;
  {
    Descriptor gone = open_tcp_listener("127.0.0.1", 0);
    port = bound_port(gone.get());
  }
  Client client(io_, Endpoint::tcp("127.0.0.1", port));
  auto response = send(client);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error(), "cannot reach 127.0.0.1:" + std::to_string(port) + ": Connection refused");
}

TEST_F(ClientTest, ATargetCannotSplitTheRequest) {
  Client client(io_, Endpoint::tcp("127.0.0.1", 1));
  EXPECT_FALSE(send(client, get_request("/ HTTP/1.1\r\nX: y")));
  EXPECT_FALSE(send(client, get_request("")));
}

}  // namespace
}  // namespace http
