// SPDX-License-Identifier: Apache-2.0
#include "cli/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/random.h"
#include "http/listener.h"

namespace cli {
namespace {

using testing::HasSubstr;

class ProfileTest : public testing::Test {
 protected:
  ProfileTest() { std::filesystem::create_directories(folder_); }
  ~ProfileTest() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ + "/" + name) << text; }
  std::string error() {
    try {
      read_profile(folder_, "us-east-1");
      return "";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }

  // Short: the path of a unix socket has at most 107 bytes.
  const std::string folder_ = "/tmp/profile_" + base::random_uuid().substr(0, 8);
};

constexpr char kCredentials[] = "[default]\naws_access_key_id = AKIAROOT\naws_secret_access_key = a/b+c=\n";

TEST_F(ProfileTest, KeyAndEndpointComeFromTheDataFolder) {
  write("credentials", kCredentials);
  write("endpoint", "https://box-a:4567\n");
  const client::Profile profile = read_profile(folder_, "eu-west-1");
  EXPECT_EQ(profile.credentials.access_key, "AKIAROOT");
  EXPECT_EQ(profile.credentials.secret_key, "a/b+c=");
  EXPECT_EQ(profile.endpoint, "https://box-a:4567");
  EXPECT_EQ(profile.region, "eu-west-1");
  EXPECT_EQ(profile.socket, "");
}

TEST_F(ProfileTest, WithoutAnEndpointItIsTheDefaultAddress) {
  write("credentials", kCredentials);
  EXPECT_EQ(read_profile(folder_, "us-east-1").endpoint, "http://127.0.0.1:4566");
  write("endpoint", "");
  EXPECT_EQ(read_profile(folder_, "us-east-1").endpoint, "http://127.0.0.1:4566");
}

TEST_F(ProfileTest, ASocketInTheFolderIsUsed) {
  write("credentials", kCredentials);
  write("socket", "a plain file is not a socket");
  EXPECT_EQ(read_profile(folder_, "us-east-1").socket, "");
  std::filesystem::remove(folder_ + "/socket");
  const http::Descriptor listener = http::open_unix_listener(folder_ + "/socket");
  EXPECT_EQ(read_profile(folder_, "us-east-1").socket, folder_ + "/socket");
}

TEST_F(ProfileTest, OtherLinesOfTheCredentialsAreIgnored) {
  write("credentials", "# comment\naws_access_key_id=NOSPACES\n  aws_access_key_id = INDENTED\n" +
                           std::string(kCredentials) + "aws_session_token = x\n");
  EXPECT_EQ(read_profile(folder_, "us-east-1").credentials.access_key, "AKIAROOT");
}

TEST_F(ProfileTest, AFolderWithoutCredentialsIsAnErrorThatNamesItAndTheCommand) {
  EXPECT_THAT(error(), HasSubstr("no Stoker data in " + folder_));
  EXPECT_THAT(error(), HasSubstr("`stoker up --data " + folder_ + "`"));
  write("credentials", kCredentials);
  EXPECT_EQ(error(), "");
}

}  // namespace
}  // namespace cli
