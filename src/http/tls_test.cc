// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/client.h"
#include "http/raw_client.h"
#include "http/self_signed.h"
#include "http/server.h"

namespace http {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using testing::HasSubstr;

asio::awaitable<Response> echo(Exchange& exchange) {
  Response response;
  response.headers.add("X-Secure", exchange.secure() ? "yes" : "no");
  response.body = co_await exchange.read_body(4 * 1024 * 1024);
  co_return response;
}

class TlsTest : public testing::Test {
 protected:
  TlsTest() { server_.listen_tls("127.0.0.1", 0, files_.certificate_file, files_.key_file); }

  static Request post(std::string body) {
    Request request;
    request.head.method = "POST";
    request.head.target = "/";
    request.body = std::move(body);
    return request;
  }

  SelfSigned files_;
  IoThreads io_{2};
  Server server_{io_, echo};
};

TEST_F(TlsTest, ServesARequest) {
  Client client(io_, Endpoint::tls("localhost", server_.port(), files_.certificate_file));
  for (std::size_t size : {0u, 5u, 3'000'000u}) {
    auto response = client.send_now(post(std::string(size, 'x')), kTestDeadline);
    ASSERT_TRUE(response) << response.error();
    EXPECT_EQ(response->body.size(), size);
    EXPECT_EQ(response->headers.get("X-Secure"), "yes");
  }
}

TEST_F(TlsTest, RejectsAnUntrustedCertificate) {
  Client client(io_, Endpoint::tls("localhost", server_.port()));
  EXPECT_FALSE(client.send_now(post(""), kTestDeadline));
}

TEST_F(TlsTest, RejectsACertificateOfAnotherHost) {
  Client client(io_, Endpoint::tls("127.0.0.1", server_.port(), files_.certificate_file));
  EXPECT_FALSE(client.send_now(post(""), kTestDeadline));
}

TEST_F(TlsTest, AcceptsAnyCertificateWithoutVerification) {
  Endpoint endpoint = Endpoint::tls("127.0.0.1", server_.port());
  endpoint.verify_peer = false;
  Client client(io_, endpoint);
  EXPECT_TRUE(client.send_now(post(""), kTestDeadline));
}

TEST_F(TlsTest, DisconnectsAPlainHttpClient) {
  RawClient client(server_.port());
  client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(client.read_to_end(), testing::Not(HasSubstr("200 OK")));
}

TEST_F(TlsTest, NamesAMissingFile) {
  Server other(io_, echo);
  try {
    other.listen_tls("127.0.0.1", 0, "/nonexistent.crt", files_.key_file);
    FAIL() << "listened without a certificate";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot use the certificate /nonexistent.crt"));
  }
  Client client(io_, Endpoint::tls("localhost", server_.port(), "/nonexistent.crt"));
  auto response = client.send_now(post(""), kTestDeadline);
  ASSERT_FALSE(response);
  EXPECT_THAT(response.error(), HasSubstr("/nonexistent.crt"));
}

}  // namespace
}  // namespace http
