// SPDX-License-Identifier: Apache-2.0
#include "http/websocket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "http/block_on.h"
#include "http/raw_client.h"
#include "http/scripted_server.h"
#include "http/self_signed.h"
#include "http/server_fixture.h"
#include "http/websocket_frame.h"

namespace http {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kUpgrade =
    "GET /echo HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

std::string upgrade_to(std::string_view path) { return std::string(kUpgrade).replace(4, 5, path); }

std::string client_frame(Opcode opcode, std::string_view payload) {
  std::string out;
  append_frame(Role::Client, opcode, payload, out);
  return out;
}

// The code of the close frame that these bytes of a server consist of, or 0.
int close_code(std::string_view bytes) {
  FrameParser parser(Role::Client, 1000);
  Incoming incoming = parser.parse(bytes);
  return incoming.kind == Incoming::Kind::Close ? static_cast<int>(incoming.code) : 0;
}

constexpr int kSlowMessages = 300;

class WebSocketTest : public ServerFixture {
 protected:
  asio::awaitable<Response> handle(Exchange& exchange) override {
    std::string_view path = exchange.head().path();
    if (path == "/refused") co_return text_response(403, "not you");
    WebSocketLimits limits;
    limits.message_bytes = 200'000;
    limits.binary = path == "/binary" || path == "/slow";
    std::shared_ptr<WebSocket> socket = co_await exchange.accept_websocket(limits);
    Response ignored;
    if (path == "/short") {
      socket->send("one");
      co_return ignored;
    }
    if (path == "/flood") {
      flooded_.set_value(flood(*socket));
    }
    if (path == "/given") {
      given_.set_value(socket);
    }
    if (path == "/slow") co_await send_with_room(*socket);
    base::Duration patience = path == "/impatient" ? 100ms : kTestDeadline;
    for (;;) {
      base::Result<std::string> text = co_await socket->read(patience);
      if (!text) {
        ended_.set_value(text.error());
        co_return ignored;
      }
      if (path == "/binary") {
        socket->send_binary(*text);
      } else {
        socket->send(*text);
      }
    }
  }

  // More than the queue may hold, but never more than a little at once.
  static asio::awaitable<void> send_with_room(WebSocket& socket) {
    for (int i = 0; i < kSlowMessages; ++i) {
      socket.send_binary(std::string(100'000, static_cast<char>(i)));
      co_await socket.wait_for_room(50'000);
    }
  }

  // Sends until the queue is full.
  static bool flood(WebSocket& socket) {
    std::string text(1024 * 1024, 'x');
    for (int i = 0; i < 1000; ++i) {
      if (!socket.send(text)) return !socket.send("more");
    }
    return false;
  }

  base::Result<WebSocketReply> connect(Endpoint endpoint, std::string path = "/echo") {
    Request request;
    request.head.target = path;
    WebSocketLimits limits;
    limits.binary = true;
    return block_on(io_.at(0), connect_websocket(endpoint, request, kTestDeadline, limits));
  }
  std::shared_ptr<WebSocket> connected(std::string path = "/echo") {
    auto reply = connect(Endpoint::tcp("127.0.0.1", server_->port()), path);
    return reply ? reply->socket : nullptr;
  }
  base::Result<std::string> read(WebSocket& socket, base::Duration deadline = kTestDeadline) {
    return block_on(io_.at(0), socket.read(deadline));
  }
  std::string how_it_ended() { return ended_.get_future().get(); }
  void expect_echoes(WebSocket& socket) {
    for (std::size_t size : {0u, 5u, 126u, 70'000u}) {
      std::string text(size, 'x');
      EXPECT_TRUE(socket.send(text));
      auto back = read(socket);
      ASSERT_TRUE(back) << back.error();
      EXPECT_EQ(*back, text);
    }
  }

  std::promise<std::string> ended_;  // why the handler's read() ended
  std::promise<bool> flooded_;
  std::promise<std::shared_ptr<WebSocket>> given_;
};

TEST_F(WebSocketTest, EchoesMessagesOverTcp) {
  start();
  auto socket = connected();
  ASSERT_TRUE(socket);
  expect_echoes(*socket);
  socket->close();
  EXPECT_EQ(read(*socket).error(), "closed by this side");
  EXPECT_FALSE(socket->send("late"));
  EXPECT_EQ(how_it_ended(), "closed by the peer: 1000");
}

TEST_F(WebSocketTest, EchoesBinaryMessages) {
  start();
  auto client = connected("/binary");
  ASSERT_TRUE(client);
  const std::string bytes("\xff\0\x80", 3);
  EXPECT_TRUE(client->send_binary(bytes));
  EXPECT_EQ(*read(*client), bytes);
  client->ping();
  EXPECT_TRUE(client->send("text"));
  EXPECT_EQ(*read(*client), "text");
}

// 30 MB do not fit into the queue: the sender waits for its peer.
TEST_F(WebSocketTest, ASenderThatWaitsForRoomSendsMoreThanTheQueueHolds) {
  start();
  auto client = connected("/slow");
  ASSERT_TRUE(client);
  for (int i = 0; i < kSlowMessages; ++i) {
    auto bytes = read(*client);
    ASSERT_TRUE(bytes) << bytes.error();
    ASSERT_EQ(bytes->size(), 100'000u);
    ASSERT_EQ(bytes->back(), static_cast<char>(i));
  }
}

TEST_F(WebSocketTest, EchoesMessagesOverTls) {
  SelfSigned files;
  Server tls(io_, [this](Exchange& exchange) { return handle(exchange); });
  tls.listen_tls("127.0.0.1", 0, files.certificate_file, files.key_file);
  auto reply = connect(Endpoint::tls("localhost", tls.port(), files.certificate_file));
  ASSERT_TRUE(reply) << reply.error();
  ASSERT_TRUE(reply->socket);
  expect_echoes(*reply->socket);
  reply->socket.reset();
  EXPECT_EQ(how_it_ended(), "closed by the peer: 1000");
}

TEST_F(WebSocketTest, EchoesMessagesOverAUnixSocket) {
  std::string path = testing::TempDir() + "stoker-websocket-" + std::to_string(::getpid()) + ".sock";
  start().listen_unix(path);
  auto reply = connect(Endpoint::unix_socket(path));
  ASSERT_TRUE(reply) << reply.error();
  expect_echoes(*reply->socket);
}

TEST_F(WebSocketTest, AcceptsTheHandshakeOfTheStandard) {
  RawClient client(start().port());
  client.send(std::string(kUpgrade) + client_frame(Opcode::Text, "early"));
  EXPECT_EQ(client.read_until("\r\n\r\n"),
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n");
  EXPECT_EQ(client.read_until("early"),
            "\x81\x05"
            "early");
}

TEST_F(WebSocketTest, RejectsAnInvalidUpgrade) {
  auto without = [](std::string_view line) {
    std::string request(kUpgrade);
    std::size_t at = request.find(line);
    return request.erase(at, request.find("\r\n", at) + 2 - at);
  };
  start();
  auto answer = [&](const std::string& request) {
    RawClient client(server_->port());
    client.send(request);
    return client.read_answer();
  };
  EXPECT_THAT(answer(without("Upgrade: websocket")), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(answer(without("Connection:")), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(answer(without("Sec-WebSocket-Key")), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(answer("POST" + std::string(kUpgrade).substr(3)), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(answer(std::string(kUpgrade).replace(17, 1, "0")), StartsWith("HTTP/1.1 400 "));
  std::string version = answer(without("Sec-WebSocket-Version"));
  EXPECT_THAT(version, StartsWith("HTTP/1.1 426 Upgrade Required\r\n"));
  EXPECT_THAT(version, HasSubstr("Sec-WebSocket-Version: 13"));
}

TEST_F(WebSocketTest, TheClientReceivesTheRejectingResponse) {
  start();
  auto reply = connect(Endpoint::tcp("127.0.0.1", server_->port()), "/refused");
  ASSERT_TRUE(reply) << reply.error();
  EXPECT_FALSE(reply->socket);
  EXPECT_EQ(reply->rejection.status, 403);
  EXPECT_EQ(reply->rejection.body, "not you\n");
}

TEST_F(WebSocketTest, AnswersAPingButNotAPong) {
  RawClient client(start().port());
  client.send(kUpgrade);
  client.read_until("\r\n\r\n");
  client.send(client_frame(Opcode::Pong, "unsolicited") + client_frame(Opcode::Ping, "are you there"));
  EXPECT_EQ(client.read_until("there"),
            "\x8a\x0d"
            "are you there");
}

TEST_F(WebSocketTest, AViolationClosesTheConnectionWithItsCode) {
  start();
  struct Case {
    std::string bytes;
    int code;
  };
  for (const Case& wrong :
       {Case{"\x81\x05Hello", 1002}, Case{client_frame(Opcode::Text, "\xff"), 1007},
        Case{client_frame(Opcode::Text, std::string(200'001, 'x')), 1009},
        Case{client_frame(Opcode::Binary, "x"), 1003}, Case{client_frame(Opcode::Continuation, "x"), 1002}}) {
    ended_ = {};
    RawClient client(server_->port());
    client.send(kUpgrade);
    client.read_until("\r\n\r\n");
    client.send(wrong.bytes);
    EXPECT_EQ(close_code(client.read_to_end()), wrong.code);
    EXPECT_THAT(how_it_ended(), StartsWith("closed after a protocol violation"));
  }
}

TEST_F(WebSocketTest, AnswersACloseFrameAndClosesTheConnection) {
  RawClient client(start().port());
  client.send(kUpgrade);
  client.read_until("\r\n\r\n");
  std::string close;
  append_close(Role::Client, CloseCode::GoingAway, "restart", close);
  client.send(close);
  EXPECT_EQ(close_code(client.read_to_end()), 1001);
  EXPECT_EQ(how_it_ended(), "closed by the peer: 1001 restart");
}

TEST_F(WebSocketTest, TheEndOfTheHandlerClosesTheConnection) {
  start();
  auto socket = connected("/short");
  ASSERT_TRUE(socket);
  EXPECT_EQ(*read(*socket), "one");
  EXPECT_EQ(read(*socket).error(), "closed by the peer: 1000");
}

TEST_F(WebSocketTest, ALostPeerEndsTheRead) {
  start();
  {
    RawClient client(server_->port());
    client.send(kUpgrade);
    client.read_until("\r\n\r\n");
  }
  EXPECT_THAT(how_it_ended(), StartsWith("the connection failed"));
}

TEST_F(WebSocketTest, OnlyTheDeadlineOfReadEndsASilentConnection) {
  Limits limits;
  limits.idle = limits.head = limits.body_progress = limits.linger = 10ms;  // and not `write`, which ends a delayed 101
  start(limits);
  // The limits hold before the upgrade, too, and end a connection whose client is delayed.
  std::unique_ptr<RawClient> client;
  do {
    client = std::make_unique<RawClient>(server_->port());
    client->send(upgrade_to("/impatient"));
  } while (!client->read_until("\r\n\r\n").starts_with("HTTP/1.1 101"));
  EXPECT_EQ(client->read_to_end(), "");
  EXPECT_EQ(how_it_ended(), "nothing was received for 100 ms");
}

TEST_F(WebSocketTest, TheClientLeavesASilentServerAtTheDeadline) {
  start();
  auto socket = connected();
  ASSERT_TRUE(socket);
  EXPECT_THAT(read(*socket, 20ms).error(), StartsWith("nothing was received"));
  EXPECT_FALSE(socket->send("after the end"));
}

TEST_F(WebSocketTest, DrainSendsGoingAwayAndEndsTheRead) {
  RawClient client(start().port());
  client.send(kUpgrade);
  client.read_until("\r\n\r\n");
  auto drained = std::async(std::launch::async, [&] { server_->drain(); });
  EXPECT_EQ(how_it_ended(), "closed because the server is shutting down");
  std::string close;
  append_close(Role::Client, CloseCode::GoingAway, "", close);
  client.send(close);
  EXPECT_EQ(close_code(client.read_to_end()), 1001);
  drained.wait();
  EXPECT_EQ(server_->connections(), 0u);
}

TEST_F(WebSocketTest, DestroyingTheServerSendsGoingAwayToASilentPeer) {
  Limits limits;
  limits.linger = 30ms;
  RawClient client(start(limits).port());
  client.send(kUpgrade);
  client.read_until("\r\n\r\n");
  server_.reset();
  EXPECT_EQ(close_code(client.read_to_end()), 1001);
}

TEST_F(WebSocketTest, DestroyingTheServerDoesNotWaitForAPeerThatDoesNotRead) {
  Limits limits;
  limits.linger = 30ms;
  RawClient client(start(limits).port());
  client.send(upgrade_to("/given"));
  client.read_until("\r\n\r\n");
  auto socket = given_.get_future().get();
  EXPECT_TRUE(socket->send(std::string(15'000'000, 'x')));
  server_.reset();
  EXPECT_FALSE(socket->send("late"));
  EXPECT_LT(client.read_to_end().size(), 15'000'000u);
}

TEST_F(WebSocketTest, DisconnectsAPeerThatDoesNotRead) {
  Limits limits;
  limits.write = 30ms;
  RawClient client(start(limits).port());
  client.send(upgrade_to("/given"));
  client.read_until("\r\n\r\n");
  EXPECT_TRUE(given_.get_future().get()->send(std::string(15'000'000, 'x')));
  EXPECT_EQ(how_it_ended(), "the peer did not respond in time");
}

TEST_F(WebSocketTest, AFullQueueClosesTheConnection) {
  RawClient client(start().port());
  client.send(upgrade_to("/flood"));
  client.read_until("\r\n\r\n");
  EXPECT_TRUE(flooded_.get_future().get());
  EXPECT_EQ(how_it_ended(), "too many bytes wait to be sent");
}

TEST_F(WebSocketTest, ManyThreadsCanSendAtOnceEachInOrder) {
  start();
  auto client = connected("/given");
  ASSERT_TRUE(client);
  auto socket = given_.get_future().get();
  std::vector<std::thread> senders;
  for (int thread = 0; thread < 4; ++thread) {
    senders.emplace_back([socket, thread] {
      for (int i = 0; i < 200; ++i) EXPECT_TRUE(socket->send(std::to_string(thread) + " " + std::to_string(i)));
    });
  }
  std::vector<int> next(4, 0);
  for (int i = 0; i < 800; ++i) {
    auto text = read(*client);
    ASSERT_TRUE(text) << text.error();
    auto thread = static_cast<std::size_t>((*text)[0] - '0');
    EXPECT_EQ(text->substr(2), std::to_string(next[thread]++));
  }
  for (std::thread& sender : senders) sender.join();
}

TEST_F(WebSocketTest, MessagesSentBeforeCloseArrive) {
  start();
  auto client = connected("/given");
  ASSERT_TRUE(client);
  auto socket = given_.get_future().get();
  socket->send("last words");
  socket->close();
  EXPECT_EQ(*read(*client), "last words");
  EXPECT_FALSE(read(*client));
}

TEST_F(WebSocketTest, AnUnreachableOrSilentServerIsAnError) {
  EXPECT_FALSE(connect(Endpoint::unix_socket("/nonexistent.sock")));
  Descriptor silent = open_tcp_listener("127.0.0.1", 0);
  Request request;
  request.head.target = "/";
  auto reply =
      block_on(io_.at(0), connect_websocket(Endpoint::tcp("127.0.0.1", bound_port(silent.get())), request, 20ms));
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error(), HasSubstr("in time"));
}

TEST_F(WebSocketTest, RejectsAServerThatAcceptsAnotherKey) {
  ScriptedServer server({[](int fd) {
    ScriptedServer::read_request(fd);
    ScriptedServer::write(fd,
                          "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                          "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n");
  }});
  auto reply = connect(Endpoint::tcp("127.0.0.1", server.port()));
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error(), HasSubstr("another key"));
}

}  // namespace
}  // namespace http
