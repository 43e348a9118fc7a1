// SPDX-License-Identifier: Apache-2.0
// stoker context
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/random.h"
#include "cli/commands.h"
#include "cli/contexts.h"
#include "cli/usage_error.h"

namespace cli {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class ContextCommands : public testing::Test {
 protected:
  ContextCommands() {
    if (const char* before = std::getenv("XDG_CONFIG_HOME")) before_ = before;
    ::setenv("XDG_CONFIG_HOME", folder_.c_str(), 1);
  }
  ~ContextCommands() override {
    before_ ? ::setenv("XDG_CONFIG_HOME", before_->c_str(), 1) : ::unsetenv("XDG_CONFIG_HOME");
    fs::remove_all(folder_);
  }

  std::string file() const { return folder_ + "/stoker/contexts"; }
  std::string add(const std::string& name, const std::string& access_key = "") {
    std::ostringstream out;
    EXPECT_EQ(context_add(options_, name, access_key, in_, out), 0);
    return out.str();
  }
  std::string list() {
    std::ostringstream out;
    EXPECT_EQ(context_list(options_, out), 0);
    return out.str();
  }
  template <class Command>
  std::string error_of(Command command) {
    std::ostringstream out;
    try {
      command(out);
      return "";
    } catch (const std::exception& error) {
      return error.what();
    }
  }

  const std::string folder_ = testing::TempDir() + "contexts_" + base::random_uuid();
  std::optional<std::string> before_;
  std::istringstream in_{"s3cret\n"};
  Options options_{.endpoint = "https://gpus.example:4566"};
};

TEST_F(ContextCommands, TheFirstOneIsUsedAndOthersOnRequest) {
  EXPECT_EQ(add("lab"), "added context lab; commands use it\n");
  EXPECT_EQ(add("office"), "added context office; to use it: stoker context use office\n");
  std::ostringstream out;
  EXPECT_EQ(context_use(options_, "office", out), 0);
  EXPECT_EQ(context_use(options_, "local", out), 0);
  EXPECT_EQ(out.str(), "commands use office\ncommands use the server of this machine\n");
  EXPECT_EQ(read_contexts(file()).current, "");
  EXPECT_THAT(list(), HasSubstr("local *"));
}

TEST_F(ContextCommands, TheListHasNoSecrets) {
  options_.region = "eu-west-1";
  options_.region_is_given = true;
  add("lab", "AKIALAB");
  options_.region_is_given = false;
  options_.profile = "work";
  add("office");
  EXPECT_EQ(list(),
            "CONTEXT  ENDPOINT                    REGION     CLUSTER  KEY\n"
            "local    the server of this machine  -          -        -\n"
            "lab *    https://gpus.example:4566   eu-west-1  -        AKIALAB\n"
            "office   https://gpus.example:4566   -          -        profile work\n");
  options_.json = true;
  EXPECT_THAT(list(), HasSubstr(R"("accessKeyId":"AKIALAB")"));
  EXPECT_THAT(list(), Not(HasSubstr("s3cret")));
}

TEST_F(ContextCommands, ASecretIsReadFromStandardInputAndStoredForItsOwnerOnly) {
  add("lab", "AKIALAB");
  EXPECT_EQ(read_contexts(file()).find("lab")->secret_key, "s3cret");
  EXPECT_EQ(fs::status(file()).permissions() & fs::perms::mask, fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_THAT(error_of([&](std::ostream& out) { context_add(options_, "other", "AKIAOTHER", in_, out); }),
              HasSubstr("standard input, which has none"));
  EXPECT_FALSE(read_contexts(file()).find("other"));
}

TEST_F(ContextCommands, ACertificateIsFoundFromEveryFolder) {
  options_.ca_file = "lab.pem";
  add("lab");
  EXPECT_EQ(read_contexts(file()).find("lab")->ca_file, fs::absolute("lab.pem").string());
}

TEST_F(ContextCommands, AnotherOneOfTheSameNameReplacesIt) {
  add("lab");
  options_.endpoint = "http://far:1";
  EXPECT_EQ(add("lab"), "replaced context lab; commands use it\n");
  ASSERT_EQ(read_contexts(file()).all.size(), 1u);
  EXPECT_EQ(read_contexts(file()).all[0].endpoint, "http://far:1");
}

TEST_F(ContextCommands, ARemovedOneIsUsedNoLonger) {
  add("lab");
  std::ostringstream out;
  EXPECT_EQ(context_remove(options_, "lab", out), 0);
  EXPECT_EQ(out.str(), "removed context lab\n");
  EXPECT_EQ(read_contexts(file()).current, "");
  EXPECT_TRUE(read_contexts(file()).all.empty());
}

TEST_F(ContextCommands, MissingOnesAndInvalidEndpointsAreRejected) {
  EXPECT_EQ(error_of([&](std::ostream& out) { context_use(options_, "lab", out); }), "no such context: lab");
  EXPECT_EQ(error_of([&](std::ostream& out) { context_remove(options_, "lab", out); }), "no such context: lab");
  options_.endpoint = "gpus.example";
  std::ostringstream out;
  EXPECT_THROW(context_add(options_, "lab", "", in_, out), UsageError);
  EXPECT_FALSE(fs::exists(file()));
}

}  // namespace
}  // namespace cli
