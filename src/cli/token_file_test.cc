// SPDX-License-Identifier: Apache-2.0
#include "cli/token_file.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "cli/usage_error.h"

namespace cli {
namespace {

constexpr char kOutput[] = R"(stk1.id.secret

On the machine that joins, until 2026-11-18T12:00:00Z:
  STOKER_TOKEN=stk1.id.secret stoker agent --join https://box:4566 --ca '/etc/stoker/the ca.pem' --cluster lab --region eu-west-1

The token is for 1 machine. To revoke it: stoker token revoke id
The server was started on http://127.0.0.1:4566: if that machine cannot reach it, restart it with
)";

class TokenFiles : public testing::Test {
 protected:
  ~TokenFiles() override { std::filesystem::remove(path_); }

  AgentArguments use(const std::string& text, AgentArguments agent = {}) {
    std::ofstream(path_) << text;
    agent.token_file = path_;
    use_token_file(agent);
    return agent;
  }

  const std::string path_ = testing::TempDir() + "token_file_test";
};

TEST_F(TokenFiles, TheOutputOfStokerTokenIsAllThatAnAgentNeeds) {
  const AgentArguments agent = use(kOutput);
  EXPECT_EQ(agent.token, "stk1.id.secret");
  EXPECT_EQ(agent.join, "https://box:4566");
  EXPECT_EQ(agent.ca_file, "/etc/stoker/the ca.pem");
  EXPECT_EQ(agent.cluster, "lab");
  EXPECT_EQ(agent.region, "eu-west-1");
}

TEST_F(TokenFiles, TheCommandLineCountsMore) {
  AgentArguments given;
  given.join = "http://other:1";
  given.ca_file = "own.pem";
  given.cluster = "default";
  given.cluster_is_given = given.region_is_given = true;
  const AgentArguments agent = use(kOutput, given);
  EXPECT_EQ(agent.token, "stk1.id.secret");
  EXPECT_EQ(agent.join, "http://other:1");
  EXPECT_EQ(agent.ca_file, "own.pem");
  EXPECT_EQ(agent.cluster, "default");
  EXPECT_EQ(agent.region, "us-east-1");
}

TEST_F(TokenFiles, ATokenAloneNeedsTheAddressOfTheServer) {
  AgentArguments given;
  given.join = "http://server:4566";
  EXPECT_EQ(use(" stk1.id.secret\n", given).token, "stk1.id.secret");
  EXPECT_THROW(use("stk1.id.secret\n"), UsageError);
  EXPECT_THROW(use(""), UsageError);
  AgentArguments without;
  EXPECT_THROW(use_token_file(without), UsageError);
}

TEST_F(TokenFiles, WithoutAFileTheTokenOfTheEnvironmentStays) {
  AgentArguments agent;
  agent.join = "http://server:4566";
  agent.token = "stk1.of.environment";
  use_token_file(agent);
  EXPECT_EQ(agent.token, "stk1.of.environment");
}

}  // namespace
}  // namespace cli
