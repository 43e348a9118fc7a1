// SPDX-License-Identifier: Apache-2.0
#include "agent/metadata/relay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log.h"
#include "http/io_threads.h"
#include "http/raw_client.h"
#include "http/self_signed.h"
#include "http/server.h"

namespace agent {
namespace {

namespace asio = boost::asio;
using testing::EndsWith;
using testing::HasSubstr;

constexpr std::size_t kBodyLimit = 16 * 1024 * 1024;

// Returns the Host header and the body of the request.
asio::awaitable<http::Response> echo(http::Exchange& exchange) {
  http::Response response;
  response.headers.add("X-Host", std::string(exchange.head().headers.get("Host")));
  response.body = co_await exchange.read_body(kBodyLimit);
  co_return response;
}

class RelayTest : public testing::Test {
 protected:
  RelayTest() {
    base::set_log_level(base::LogLevel::Off);
    server_.listen_tcp("127.0.0.1", 0);
  }
  ~RelayTest() override { base::set_log_level(base::LogLevel::Info); }

  RelayRoute route() const { return {.listen_address = "127.0.0.1", .server = http::Endpoint::tcp("localhost", server_.port())}; }

  http::IoThreads io_{1};
  http::Server server_{io_, echo};
};

TEST_F(RelayTest, BytesAreRelayedUnchanged) {
  Relay relay(io_.at(0), route());
  http::RawClient client(relay.port());
  for (int i = 0; i < 3; ++i) {
    client.send("POST / HTTP/1.1\r\nHost: 169.254.170.2:5000\r\nContent-Length: 5\r\n\r\nhello");
    std::string answer = client.read_answer();
    EXPECT_THAT(answer, HasSubstr("X-Host: 169.254.170.2:5000\r\n"));
    EXPECT_THAT(answer, EndsWith("hello"));
  }
}

TEST_F(RelayTest, AHalfClosedConnectionStillReceivesItsResponse) {
  Relay relay(io_.at(0), route());
  http::RawClient client(relay.port());
  client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello");
  client.finish();
  EXPECT_THAT(client.read_to_end(), EndsWith("hello"));
}

TEST_F(RelayTest, ALongBodyIsRelayedInBothDirections) {
  Relay relay(io_.at(0), route());
  http::RawClient client(relay.port());
  std::string body(8'000'000, 'b');
  client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  EXPECT_TRUE(client.read_answer().ends_with(body));
}

TEST_F(RelayTest, AConnectionOverTheLimitIsClosedAndTheOthersStay) {
  Relay relay(io_.at(0), route(), {.connections = 1});
  http::RawClient first(relay.port());
  first.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(first.read_answer(), HasSubstr("200 OK"));
  http::RawClient second(relay.port());
  EXPECT_EQ(second.read_to_end(), "");
  first.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(first.read_answer(), HasSubstr("200 OK"));
}

TEST_F(RelayTest, AnEndedConnectionNoLongerCountsTowardsTheLimit) {
  Relay relay(io_.at(0), route(), {.connections = 1});
  for (int i = 0; i < 5; ++i) {
    http::RawClient client(relay.port());
    client.send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    client.finish();
    EXPECT_THAT(client.read_to_end(), HasSubstr("200 OK"));
  }
}

TEST_F(RelayTest, AnUnreachableServerClosesTheConnection) {
  RelayRoute nowhere = route();
  {
    http::Server gone(io_, echo);
    gone.listen_tcp("127.0.0.1", 0);
    nowhere.server.port = gone.port();
  }
  Relay relay(io_.at(0), nowhere);
  http::RawClient client(relay.port());
  EXPECT_EQ(client.read_to_end(), "");
}

TEST_F(RelayTest, AnIdleConnectionIsClosedAtTheLimit) {
  Relay relay(io_.at(0), route(), {.idle = base::Duration(20), .tick = base::Duration(5)});
  http::RawClient client(relay.port());
  EXPECT_EQ(client.read_to_end(), "");
}

TEST_F(RelayTest, DestroyingTheRelayClosesItsConnections) {
  auto relay = std::make_unique<Relay>(io_.at(0), route());
  http::RawClient client(relay->port());
  client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(client.read_answer(), HasSubstr("200 OK"));
  relay.reset();
  EXPECT_EQ(client.read_to_end(), "");
}

TEST_F(RelayTest, APortInUseIsAnError) {
  RelayRoute taken = route();
  taken.listen_port = server_.port();
  EXPECT_THROW(Relay(io_.at(0), taken), std::runtime_error);
}

class TlsRelayTest : public RelayTest {
 protected:
  TlsRelayTest() {
    tls_server_.listen_tls("127.0.0.1", 0, keys_.certificate_file, keys_.key_file);
  }
  RelayRoute tls_route(const std::string& host = "localhost") const {
    return {.listen_address = "127.0.0.1",
            .server = http::Endpoint::tls(host, tls_server_.port(), keys_.certificate_file)};
  }

  http::SelfSigned keys_;
  http::Server tls_server_{io_, echo};
};

TEST_F(TlsRelayTest, APlainClientReachesAServerWithTls) {
  Relay relay(io_.at(0), tls_route());
  http::RawClient client(relay.port());
  const std::string body(3'000'000, 'b');
  for (int i = 0; i < 2; ++i) {
    client.send("POST / HTTP/1.1\r\nHost: 127.0.0.1:5000\r\nContent-Length: " + std::to_string(body.size()) +
                "\r\n\r\n" + body);
    const std::string answer = client.read_answer();
    EXPECT_THAT(answer, HasSubstr("X-Host: 127.0.0.1:5000\r\n"));
    EXPECT_TRUE(answer.ends_with(body));
  }
}

TEST_F(TlsRelayTest, ACertificateForAnotherNameIsRejected) {
  Relay relay(io_.at(0), tls_route("127.0.0.1"));
  http::RawClient client(relay.port());
  EXPECT_EQ(client.read_to_end(), "");
}

TEST_F(TlsRelayTest, TheServersCloseReachesTheClient) {
  Relay relay(io_.at(0), tls_route());
  http::RawClient client(relay.port());
  client.send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.read_to_end(), HasSubstr("200 OK"));
}

TEST_F(TlsRelayTest, AConnectionThatItsClientLeftIsClosedAtTheLimit) {
  Relay relay(io_.at(0), tls_route(), {.connections = 1, .half_closed = base::Duration(20), .tick = base::Duration(5)});
  http::RawClient client(relay.port());
  client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(client.read_answer(), HasSubstr("200 OK"));
  client.finish();
  EXPECT_EQ(client.read_to_end(), "");
}

}  // namespace
}  // namespace agent
