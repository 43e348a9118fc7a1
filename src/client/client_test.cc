// SPDX-License-Identifier: Apache-2.0
#include "client/client.h"

#include <gtest/gtest.h>

namespace client {
namespace {

TEST(Endpoint, IsParsedFromAUrl) {
  auto plain = parse_endpoint("http://127.0.0.1:4566");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->host, "127.0.0.1");
  EXPECT_EQ(plain->port, 4566);
  auto tls = parse_endpoint("https://[::1]/");
  ASSERT_TRUE(tls);
  EXPECT_EQ(tls->host, "::1");
  EXPECT_EQ(tls->port, 443);
  EXPECT_EQ(tls->kind, http::Endpoint::Kind::Tls);
}

TEST(Endpoint, RejectsAnInvalidUrl) {
  for (std::string url : {"", "127.0.0.1:4566", "ftp://x", "http://", "http://x:y", "http://x:99999"}) {
    EXPECT_FALSE(parse_endpoint(url)) << url;
  }
}

TEST(Client, NamesTheEndpointThatDoesNotRespond) {
  Client client({"http://127.0.0.1:1", "", {"id", "secret", ""}, "us-east-1"});
  auto response = client.get("/health");
  EXPECT_FALSE(response);
}

}  // namespace
}  // namespace client
