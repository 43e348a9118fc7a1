// SPDX-License-Identifier: Apache-2.0
#include "cli/connection.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "base/random.h"
#include "cli/contexts.h"
#include "cli/profile.h"

namespace cli {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class Connection : public testing::Test {
 protected:
  Connection() {
    fs::create_directories(home_ + "/.aws");
    options_.data = home_ + "/.stoker";
    variables_["HOME"] = home_;
  }
  ~Connection() override { fs::remove_all(home_); }

  Options connect() {
    return connected(options_, [this](const std::string& name) -> std::optional<std::string> {
      const auto found = variables_.find(name);
      return found == variables_.end() ? std::nullopt : std::optional(found->second);
    });
  }
  std::string error() {
    try {
      connect();
      return "";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }
  void add_server_here(const std::string& endpoint = "http://127.0.0.1:4566") {
    fs::create_directories(options_.data);
    std::ofstream(options_.data + "/credentials") << "aws_access_key_id = ROOT\naws_secret_access_key = r\n";
    std::ofstream(options_.data + "/endpoint") << endpoint << "\n";
  }
  void add_key() {
    variables_["AWS_ACCESS_KEY_ID"] = "AKIAENV";
    variables_["AWS_SECRET_ACCESS_KEY"] = "e";
  }
  void write(const std::string& file, const std::string& text) { std::ofstream(home_ + "/.aws/" + file) << text; }

  const std::string home_ = testing::TempDir() + "connection_" + base::random_uuid();
  std::map<std::string, std::string> variables_;
  Options options_;
};

TEST_F(Connection, OnTheServersOwnMachineNothingIsRemote) {
  add_server_here();
  EXPECT_FALSE(connect().remote);
  variables_["AWS_REGION"] = "eu-west-1";
  variables_["AWS_PROFILE"] = "absent";
  EXPECT_FALSE(connect().remote);
  EXPECT_EQ(connect().region, "us-east-1");
  variables_.erase("AWS_PROFILE");
  add_key();
  variables_["AWS_ENDPOINT_URL"] = "http://127.0.0.1:4566/";  // as `stoker env` prints it
  EXPECT_FALSE(connect().remote);
}

TEST_F(Connection, AnEndpointNeedsAKeyInTheOrderOfTheAwsCli) {
  options_.endpoint = "http://far:4566/";
  EXPECT_THAT(error(), HasSubstr("AWS_ACCESS_KEY_ID"));
  write("credentials", "[default]\naws_access_key_id = AKIAFILE\naws_secret_access_key = f\n[lab]\naws_access_key_id = "
                       "AKIALAB\naws_secret_access_key = l\naws_session_token = t\n");
  EXPECT_EQ(connect().remote->credentials.access_key, "AKIAFILE");
  EXPECT_EQ(connect().remote->endpoint, "http://far:4566");
  add_key();
  EXPECT_EQ(connect().remote->credentials.access_key, "AKIAENV");
  variables_["AWS_PROFILE"] = "lab";
  EXPECT_EQ(connect().remote->credentials.access_key, "AKIAENV") << "the environment's key counts more than AWS_PROFILE";
  options_.profile = "lab";
  EXPECT_EQ(connect().remote->credentials.access_key, "AKIALAB") << "and less than --profile";
  EXPECT_EQ(connect().remote->credentials.session_token, "t");
  options_.profile = "absent";
  EXPECT_EQ(error(), "The config profile (absent) could not be found");
}

TEST_F(Connection, TheEnvironmentsEndpointCountsMoreThanTheDataFolder) {
  add_server_here();
  add_key();
  variables_["AWS_ENDPOINT_URL"] = "http://far:4566";
  variables_["AWS_DEFAULT_REGION"] = "eu-west-1";
  EXPECT_EQ(connect().remote->endpoint, "http://far:4566");
  EXPECT_EQ(connect().region, "eu-west-1");
  EXPECT_EQ(read_profile(connect()).region, "eu-west-1");
  options_.region = "eu-north-1";
  options_.region_is_given = true;
  EXPECT_EQ(connect().region, "eu-north-1");
  options_.data_is_given = true;
  EXPECT_FALSE(connect().remote);
  options_.data_is_given = false;
  variables_["STOKER_DATA"] = options_.data;
  EXPECT_FALSE(connect().remote);
}

TEST_F(Connection, AProfilesEndpointMayBeOfTheServiceOrOfAll) {
  write("config", "[profile lab]\nregion = eu-west-1\nservices = lab\naws_access_key_id = A\naws_secret_access_key = B\n"
                  "ca_bundle = /ca.pem\n[services lab]\necs =\n  endpoint_url = https://ecs.lab\n"
                  "[profile plain]\nendpoint_url = http://plain\nrole_arn = arn:x\n[profile none]\nregion = x\n"
                  "[profile broken]\nservices = absent\n");
  options_.profile = "lab";
  EXPECT_EQ(connect().remote->endpoint, "https://ecs.lab");
  EXPECT_EQ(connect().remote->ca_file, "/ca.pem");
  EXPECT_EQ(connect().region, "eu-west-1");
  variables_["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"] = "true";
  EXPECT_THAT(error(), HasSubstr("has no endpoint_url"));
  variables_.erase("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS");
  options_.profile = "plain";
  EXPECT_THAT(error(), HasSubstr("role_arn, which Stoker does not support"));
  options_.profile = "none";
  EXPECT_THAT(error(), HasSubstr("has no endpoint_url"));
  options_.profile = "broken";
  EXPECT_THAT(error(), HasSubstr("services configuration does not exist"));
}

TEST_F(Connection, TheDefaultProfilesEndpointIsTheLast) {
  write("config", "[default]\nendpoint_url = http://far\naws_access_key_id = A\naws_secret_access_key = B\n");
  EXPECT_EQ(connect().remote->endpoint, "http://far");
  add_server_here();
  EXPECT_FALSE(connect().remote);
}

TEST_F(Connection, AContextHasAServerAndItsDefaults) {
  Contexts contexts;
  contexts.all = {{.name = "lab", .endpoint = "http://lab", .region = "eu-west-1", .cluster = "blue", .access_key = "K",
                   .secret_key = "S", .ca_file = "/ca"},
                  {.name = "other", .endpoint = "http://other"}};
  const std::string path = home_ + "/.config/stoker/contexts";
  write_contexts(path, contexts);
  EXPECT_EQ(fs::status(path).permissions() & fs::perms::all, fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_FALSE(connect().remote) << "no context is chosen";
  options_.context = "lab";
  const Options lab = connect();
  EXPECT_EQ(lab.remote->endpoint + lab.remote->credentials.access_key + lab.remote->ca_file, "http://labK/ca");
  EXPECT_EQ(lab.region + " " + lab.cluster, "eu-west-1 blue");
  options_.context = "absent";
  EXPECT_THAT(error(), HasSubstr("no such context: absent"));
  options_.context = "";
  contexts.current = "other";
  write_contexts(path, contexts);
  add_server_here();
  EXPECT_THAT(error(), HasSubstr("no key for the server"));
  add_key();
  EXPECT_EQ(connect().remote->endpoint, "http://other");
  variables_["STOKER_CONTEXT"] = "lab";
  EXPECT_EQ(connect().remote->endpoint, "http://lab");
  variables_["STOKER_CONTEXT"] = "local";
  EXPECT_FALSE(connect().remote) << "the server of this machine";
  variables_["STOKER_CONTEXT"] = "lab";
  options_.context = "local";
  EXPECT_FALSE(connect().remote);
}

TEST(Contexts, NamesAndValuesAreChecked) {
  EXPECT_EQ(check_context_name("lab-1.eu_x"), "");
  for (const char* invalid : {"", "a b", "a]", "local"}) EXPECT_NE(check_context_name(invalid), "") << invalid;
  Contexts contexts;
  contexts.all = {{.name = "x", .endpoint = "http://a\n[stoker]"}};
  EXPECT_THROW(write_contexts(testing::TempDir() + "contexts_invalid", contexts), std::runtime_error);
}

}  // namespace
}  // namespace cli
