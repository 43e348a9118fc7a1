// SPDX-License-Identifier: Apache-2.0
#include "agent/metadata/endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "agent/metadata/loopback_address.h"
#include "base/log.h"
#include "base/random.h"
#include "http/raw_client.h"
#include "http/self_signed.h"

namespace agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::StartsWith;

class MetadataEndpointTest : public testing::Test {
 protected:
  MetadataEndpointTest() {
    base::set_log_level(base::LogLevel::Off);
    std::filesystem::create_directories(folder_);
    registry_.set_task({.arn = "t", .containers = {{.endpoint_id = "e1", .name = "main"}}});
    registry_.set_credentials({"c1", std::nullopt, "AKID", "secret", "token", "2030-01-01T00:00:00Z"});
  }
  ~MetadataEndpointTest() override {
    std::filesystem::remove_all(folder_);
    base::set_log_level(base::LogLevel::Info);
  }

  // Like a machine where the agent may not add addresses. 127.0.0.2 stands for the bridge.
  MetadataSettings bridge_only() const {
    return {.server_url = "http://127.0.0.1:4566",
            .region = "eu-central-1",
            .folder = folder_,
            .link_address = "",
            .bridge_address = "127.0.0.2"};
  }
  // Like a machine with the link address. 127.0.0.1 stands for it, so that no address has to be added.
  MetadataSettings linked() const {
    MetadataSettings settings = bridge_only();
    settings.link_address = "127.0.0.1";
    settings.link_port = 0;
    return settings;
  }
  static std::string get(const std::string& url) {
    std::size_t path = url.find('/', 7);
    std::size_t colon = url.find(':', 7);
    http::RawClient client(static_cast<unsigned short>(std::stoi(url.substr(colon + 1))));
    client.send("GET " + url.substr(path) + " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    return client.read_to_end();
  }

  std::string folder_ = testing::TempDir() + "endpoint_" + base::random_uuid();
  MetadataRegistry registry_;
  http::IoThreads io_{1};
};

TEST_F(MetadataEndpointTest, OnTheHostNetworkEverythingIsOnLoopback) {
  MetadataEndpoint endpoint(io_, registry_, linked());
  auto variables = endpoint.environment_for("host", "e1", "c1");
  EXPECT_EQ(variables["AWS_REGION"], "eu-central-1");
  EXPECT_EQ(variables["AWS_DEFAULT_REGION"], "eu-central-1");
  EXPECT_EQ(variables["AWS_ENDPOINT_URL"], "http://127.0.0.1:4566");
  EXPECT_THAT(get(variables["ECS_CONTAINER_METADATA_URI_V4"]), HasSubstr(R"("Name":"main")"));
  EXPECT_THAT(get(variables["ECS_CONTAINER_METADATA_URI"]), HasSubstr(R"("Name":"main")"));
  EXPECT_THAT(get(variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"]), HasSubstr(R"("AccessKeyId":"AKID")"));
}

TEST_F(MetadataEndpointTest, ABridgedContainerReachesTheServerThroughTheRelay) {
  MetadataSettings settings = linked();
  http::Server server(io_, metadata_handler(registry_));
  server.listen_tcp("127.0.0.1", 0);
  settings.server_url = "http://localhost:" + std::to_string(server.port());
  MetadataEndpoint endpoint(io_, registry_, settings);
  auto variables = endpoint.environment_for("bridge", "e1", "c1");
  EXPECT_NE(variables["AWS_ENDPOINT_URL"], settings.server_url);
  EXPECT_THAT(get(variables["AWS_ENDPOINT_URL"] + "/v4/e1"), HasSubstr(R"("Name":"main")"));
  EXPECT_THAT(get(variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"]), HasSubstr(R"("AccessKeyId":"AKID")"));
}

TEST_F(MetadataEndpointTest, TheUrlOfARemoteServerIsPassedUnchanged) {
  MetadataSettings settings = linked();
  settings.server_url = "http://10.0.0.5:4566";
  MetadataEndpoint endpoint(io_, registry_, settings);
  EXPECT_EQ(endpoint.environment_for("awsvpc", "e1", "")["AWS_ENDPOINT_URL"], settings.server_url);
}

TEST_F(MetadataEndpointTest, AServerWithTlsIsReachedByPlainHttpWithinTheMachine) {
  const http::SelfSigned keys;
  http::Server server(io_, metadata_handler(registry_));
  server.listen_tls("127.0.0.1", 0, keys.certificate_file, keys.key_file);
  MetadataSettings settings = linked();
  settings.server_url = "https://localhost:" + std::to_string(server.port());
  settings.ca_file = keys.certificate_file;
  MetadataEndpoint endpoint(io_, registry_, settings);
  for (const char* mode : {"host", "bridge"}) {
    const std::string url = endpoint.environment_for(mode, "e1", "c1")["AWS_ENDPOINT_URL"];
    EXPECT_THAT(url, StartsWith("http://")) << mode;
    EXPECT_THAT(get(url + "/v4/e1"), HasSubstr(R"("Name":"main")")) << mode;
  }
}

TEST_F(MetadataEndpointTest, WithoutTheLinaddressCredentialsGoIntoTheEnvironment) {
  MetadataEndpoint endpoint(io_, registry_, bridge_only());
  auto variables = endpoint.environment_for("bridge", "e1", "c1");
  EXPECT_EQ(variables["AWS_ACCESS_KEY_ID"], "AKID");
  EXPECT_EQ(variables["AWS_SECRET_ACCESS_KEY"], "secret");
  EXPECT_EQ(variables["AWS_SESSION_TOKEN"], "token");
  EXPECT_FALSE(variables.contains("AWS_CONTAINER_CREDENTIALS_FULL_URI"));
  EXPECT_FALSE(variables.contains("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"));
  EXPECT_THAT(variables["ECS_CONTAINER_METADATA_URI_V4"], StartsWith("http://127.0.0.2:"));
  EXPECT_THAT(variables["AWS_ENDPOINT_URL"], StartsWith("http://127.0.0.2:"));
}

TEST_F(MetadataEndpointTest, WithoutARoleThereAreNoCredentials) {
  MetadataEndpoint endpoint(io_, registry_, linked());
  for (const char* mode : {"host", "bridge"}) {
    for (const auto& [name, value] : endpoint.environment_for(mode, "e1", "")) {
      EXPECT_THAT(name, testing::Not(HasSubstr("CREDENTIALS")));
      EXPECT_THAT(name, testing::Not(HasSubstr("ACCESS_KEY")));
    }
  }
}

TEST_F(MetadataEndpointTest, WithoutANetworkOnlyTheRegionIsSet) {
  MetadataEndpoint endpoint(io_, registry_, linked());
  EXPECT_THAT(endpoint.environment_for("none", "e1", "c1"),
              ElementsAre(Pair("AWS_DEFAULT_REGION", "eu-central-1"), Pair("AWS_REGION", "eu-central-1")));
}

TEST_F(MetadataEndpointTest, TheNextAgentListensOnTheSamePorts) {
  std::map<std::string, std::string> bridge, host;
  {
    MetadataEndpoint endpoint(io_, registry_, bridge_only());
    bridge = endpoint.environment_for("bridge", "e1", "");
    host = endpoint.environment_for("host", "e1", "c1");
  }
  MetadataEndpoint endpoint(io_, registry_, bridge_only());
  EXPECT_EQ(endpoint.environment_for("bridge", "e1", ""), bridge);
  EXPECT_EQ(endpoint.environment_for("host", "e1", "c1"), host);
}

TEST_F(MetadataEndpointTest, AnAddressIsAddedOnceAndRemoved) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may add addresses";
  // Of this process alone, because several test programs may run on the machine.
  const int process = ::getpid();
  const std::string address = "127.170." + std::to_string(process / 256 % 256) + "." + std::to_string(process % 256);
  auto added = add_loopback_address(address);
  if (!added) GTEST_SKIP() << added.error();
  EXPECT_TRUE(*added);
  auto again = add_loopback_address(address);
  ASSERT_TRUE(again);
  EXPECT_TRUE(*again) << "the next agent owns the address of a killed one";
  auto own = add_loopback_address("127.0.0.1");
  ASSERT_TRUE(own);
  EXPECT_FALSE(*own) << "the machine has this address of its own";
  EXPECT_FALSE(address_in_use(address));
  {
    http::Server server(io_, metadata_handler(registry_));
    server.listen_tcp(address, 0);
    EXPECT_TRUE(address_in_use(address));
  }
  EXPECT_TRUE(remove_loopback_address(address));
  EXPECT_FALSE(remove_loopback_address(address));
}

}  // namespace
}  // namespace agent
