// SPDX-License-Identifier: Apache-2.0
#include "client/key_source.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/log.h"
#include "client/object_client.h"
#include "client/settings.h"
#include "http/block_on.h"
#include "http/server.h"
#include "wire/timestamp.h"

namespace client {
namespace {

namespace asio = boost::asio;

// A container's credentials endpoint, which is also an S3.
class KeyTest : public ::testing::Test {
 protected:
  KeyTest() {
    base::set_log_level(base::LogLevel::Off);
    server_.listen_tcp("127.0.0.1", 0);
    url_ = "http://127.0.0.1:" + std::to_string(server_.port());
  }
  ~KeyTest() override { base::set_log_level(base::LogLevel::Info); }

  std::string key_of(KeySource& keys) { return http::block_on(io_.at(0), keys.get()).access_key; }
  std::string key_body(std::chrono::minutes valid) {
    return R"({"AccessKeyId":"AKID)" + std::to_string(requests_) + R"(","SecretAccessKey":"s","Token":"t","Expiration":")" +
           wire::to_iso8601(base::SystemClock().now() + valid) + "\"}";
  }

  http::IoThreads io_{1}, server_io_{1};
  std::string url_;
  std::chrono::minutes valid_{60};
  int requests_ = 0;  // for credentials
  int status_ = 200;
  http::RequestHead last_;
  http::Server server_{server_io_, [this](http::Exchange& exchange) { return serve(*this, exchange); }};

 private:
  static asio::awaitable<http::Response> serve(KeyTest& self, http::Exchange& exchange) {
    self.last_ = exchange.head();
    http::Response response;
    if (exchange.head().path() == "/keys") {
      ++self.requests_;
      response.status = self.status_;
      response.body = self.key_body(self.valid_);
    } else if (exchange.head().headers.get("Authorization").find("AKID1/") != std::string_view::npos) {
      response.status = 400;
      response.body = "<Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>";
    } else {
      response.body = std::string(300'000, 'x');
    }
    co_return response;
  }
};

TEST_F(KeyTest, OfAContainerIsRequestedOnce) {
  KeySource keys(io_, {url_ + "/keys", "secret"});
  EXPECT_EQ(key_of(keys), "AKID1");
  EXPECT_EQ(key_of(keys), "AKID1");
  EXPECT_EQ(requests_, 1);
  EXPECT_EQ(last_.headers.get("Authorization"), "secret");
}

TEST_F(KeyTest, ThatExpiresSoonIsUsedUntilItsRenewalSucceeds) {
  valid_ = std::chrono::minutes(2);
  KeySource keys(io_, {url_ + "/keys"});
  EXPECT_EQ(key_of(keys), "AKID1");
  // Not at once again: an endpoint that only has this key would be asked with every request.
  EXPECT_EQ(key_of(keys), "AKID1");
  EXPECT_EQ(requests_, 1);
}

TEST_F(KeyTest, ThatIsMissingIsAnErrorThatNamesTheEndpoint) {
  status_ = 404;
  KeySource keys(io_, {url_ + "/keys"});
  try {
    key_of(keys);
    FAIL() << "no exception";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find(url_ + "/keys has no credentials: status 404"), std::string::npos)
        << error.what();
  }
}

TEST_F(KeyTest, TheAuthorizationMayComeFromAFile) {
  const std::string path = testing::TempDir() + "key_source_token";
  std::ofstream(path) << "from-file\n";
  ContainerKeys container{url_ + "/keys"};
  container.authorization_file = path;
  KeySource keys(io_, container);
  key_of(keys);
  EXPECT_EQ(last_.headers.get("Authorization"), "from-file");
  std::filesystem::remove(path);
}

TEST_F(KeyTest, ThatAServiceCallsExpiredIsRetryable) {
  KeySource keys(io_, {url_ + "/keys"});
  Profile profile;
  profile.endpoint = url_;
  profile.region = "us-east-1";
  ObjectClient objects(io_, profile, keys);
  ObjectReply reply = http::block_on(io_.at(0), objects.head({"bucket", "key"}));
  // A response to HEAD has no body, so S3's code is unknown.
  EXPECT_EQ(reply.status, 400);
  reply = http::block_on(io_.at(0), objects.put({"bucket", "key"}, {}, "x"));
  EXPECT_EQ(reply.code, "ExpiredToken");
  EXPECT_TRUE(reply.retryable());
  reply = http::block_on(io_.at(0), objects.put({"bucket", "key"}, {}, "x"));
  EXPECT_TRUE(reply.ok()) << reply.code;
  EXPECT_EQ(requests_, 2);
}

TEST_F(KeyTest, ObjectsAreDownloadedToFiles) {
  KeySource keys({"AKID", "secret", ""});
  Profile profile;
  profile.endpoint = url_ + "/below/";
  profile.region = "us-east-1";
  ObjectClient objects(io_, profile, keys);
  const std::string path = testing::TempDir() + "object_client_file";
  for (int i = 0; i < 2; ++i) {  // an older file is replaced
    ObjectReply reply = http::block_on(io_.at(0), objects.get_to_file({"bucket", "a b"}, path));
    EXPECT_TRUE(reply.ok()) << reply.message;
  }
  EXPECT_EQ(last_.target, "/below/bucket/a%20b");
  EXPECT_EQ(std::filesystem::file_size(path), 300'000u);
  std::filesystem::remove(path);
}

Environment environment_of(std::map<std::string, std::string> variables) {
  return [variables](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

TEST(SettingsTest, EndpointsAreOfTheServiceOrOfAllOrAmazons) {
  Settings settings = read_settings(environment_of({{"AWS_REGION", "eu-west-1"}, {"AWS_ENDPOINT_URL_SQS", "http://q:1/"}}));
  EXPECT_EQ(settings.endpoint_for("sqs"), "http://q:1");
  EXPECT_EQ(settings.endpoint_for("s3"), "https://s3.eu-west-1.amazonaws.com");
  EXPECT_EQ(settings.endpoint_for("cloudwatch"), "https://monitoring.eu-west-1.amazonaws.com");
  EXPECT_TRUE(settings.is_amazon("s3"));
  settings = read_settings(environment_of({{"AWS_ENDPOINT_URL", "http://127.0.0.1:4566"}}));
  EXPECT_EQ(settings.endpoint_for("s3"), "http://127.0.0.1:4566");
  EXPECT_FALSE(settings.is_amazon("s3"));
  EXPECT_EQ(settings.region, "us-east-1");
}

TEST(SettingsTest, KeysAreOfTheEnvironmentOrTheSharedFilesOrTheContainer) {
  const std::string path = testing::TempDir() + "settings_credentials";
  std::ofstream(path) << "# mine\n[default]\naws_access_key_id = A\naws_secret_access_key=B\n[other]\n"
                         "aws_access_key_id = C\naws_secret_access_key = D\naws_session_token = E\n";
  Settings settings = read_settings(environment_of({{"AWS_SHARED_CREDENTIALS_FILE", path}}));
  ASSERT_TRUE(settings.key);
  EXPECT_EQ(settings.key->access_key + settings.key->secret_key, "AB");
  settings = read_settings(environment_of({{"AWS_SHARED_CREDENTIALS_FILE", path}, {"AWS_PROFILE", "other"}}));
  EXPECT_EQ(settings.key->access_key + settings.key->secret_key + settings.key->session_token, "CDE");
  settings = read_settings(environment_of({{"AWS_ACCESS_KEY_ID", "X"}, {"AWS_SECRET_ACCESS_KEY", "Y"},
                                           {"AWS_SHARED_CREDENTIALS_FILE", path}}));
  EXPECT_EQ(settings.key->access_key, "X");
  settings = read_settings(environment_of({{"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/v2/credentials/1"}}));
  EXPECT_FALSE(settings.key);
  ASSERT_TRUE(settings.container);
  EXPECT_EQ(settings.container->url, "http://169.254.170.2/v2/credentials/1");
  std::filesystem::remove(path);
}

TEST(SettingsTest, WithoutAnyKeyTheErrorNamesTheVariables) {
  http::IoThreads io(1);
  EXPECT_THROW(read_settings(environment_of({})).open_keys(io), std::runtime_error);
}

}  // namespace
}  // namespace client
