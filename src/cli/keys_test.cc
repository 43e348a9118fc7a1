// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <unistd.h>

#include <sstream>

#include "cli/fake_server.h"
#include "cli/profile.h"

namespace cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Keys : public FakeServer {
 protected:
  // Imports the text. Returns the error, or "".
  std::string import(const std::string& text, const std::optional<std::string>& account = std::nullopt) {
    std::istringstream in(text);
    try {
      EXPECT_EQ(key_import(options_, account, in, out_), 0);
      return "";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }

  std::ostringstream out_;
};

constexpr char kCreated[] =
    R"({"key":{"id":"AKIANEW","secret":"hush","account":"123456789012","createdAt":1000,"root":false}})";

TEST_F(Keys, ACreatedKeyIsPrintedAsAProfile) {
  reply("CreateKey", kCreated);
  EXPECT_EQ(key_create(options_, "123456789012", out_), 0);
  EXPECT_EQ(out_.str(), "account 123456789012\naws_access_key_id = AKIANEW\naws_secret_access_key = hush\n");
  EXPECT_THAT(requests("CreateKey"), ElementsAre(R"({"account":"123456789012"})"));
}

TEST_F(Keys, ACreatedKeyIsPrintedAsJson) {
  reply("CreateKey", kCreated);
  options_.json = true;
  EXPECT_EQ(key_create(options_, std::nullopt, out_), 0);
  EXPECT_THAT(out_.str(), HasSubstr(R"("id":"AKIANEW","secret":"hush")"));
  EXPECT_THAT(requests("CreateKey"), ElementsAre("{}"));
}

TEST_F(Keys, ImportAcceptsSeveralSeparatorsAndComments) {
  reply("ImportKeys", R"({"keys":[{"id":"A","account":"000000000000","createdAt":0,"root":false}]})");
  EXPECT_EQ(import("# keys\n\nA one\n B,two \nC:three # note\nD = four\r\n", "000000000000"), "");
  EXPECT_EQ(out_.str(), "imported A into account 000000000000\n");
  EXPECT_THAT(requests("ImportKeys"),
              ElementsAre(R"({"account":"000000000000","keys":[{"id":"A","secret":"one"},{"id":"B","secret":"two"},)"
                          R"({"id":"C","secret":"three"},{"id":"D","secret":"four"}]})"));
}

TEST_F(Keys, ImportTakesSecretsAsTheyAreAndAnAccountForEach) {
  reply("ImportKeys", R"({"keys":[]})");
  EXPECT_EQ(import("A se#cr=et: 123456789012\nB=x=y#z,210987654321 # the second\n\t# nothing\n"), "");
  EXPECT_THAT(requests("ImportKeys"),
              ElementsAre(R"({"keys":[{"id":"A","secret":"se#cr=et:","account":"123456789012"},)"
                          R"({"id":"B","secret":"x=y#z","account":"210987654321"}]})"));
}

TEST_F(Keys, ASecretMayBeginWithASeparatorOrAHash) {
  reply("ImportKeys", R"({"keys":[]})");
  EXPECT_EQ(import("A =secret\nB: :secret\nC,,secret\nD #secret # note\nE = =secret\n"), "");
  EXPECT_THAT(requests("ImportKeys"),
              ElementsAre(R"({"keys":[{"id":"A","secret":"secret"},{"id":"B","secret":":secret"},)"
                          R"({"id":"C","secret":",secret"},{"id":"D","secret":"#secret"},{"id":"E","secret":"=secret"}]})"));
}

TEST_F(Keys, ImportNamesAnInvalidLineAndImportsNothing) {
  EXPECT_EQ(import("A one\n\nB\n"), "line 3 is not `ID SECRET` or `ID SECRET ACCOUNT`; nothing was imported");
  EXPECT_EQ(import("A # note\n"), "line 1 is not `ID SECRET` or `ID SECRET ACCOUNT`; nothing was imported");
  EXPECT_EQ(import("A one\nB =\n"), "line 2 is not `ID SECRET` or `ID SECRET ACCOUNT`; nothing was imported");
  EXPECT_EQ(import("# only a comment\n"), "no keys on standard input: expected lines of `ID SECRET` or `ID SECRET ACCOUNT`");
  EXPECT_THAT(requests("ImportKeys"), IsEmpty());
}

TEST_F(Keys, KeysAreListedWithoutSecrets) {
  reply("ListKeys", R"({"keys":[{"id":"AKIAROOT","account":"000000000000","createdAt":0,"root":true},
      {"id":"AKIATWO","account":"123456789012","createdAt":1700000000.123,"root":false},
      {"id":"AKIABOX","account":"123456789012","createdAt":1700000000,"root":false,"machine":"box-a"},
      {"id":"AKIANEW","account":"123456789012","createdAt":1700000000,"root":false,"machine":""}]})");
  EXPECT_EQ(key_list(options_, out_), 0);
  EXPECT_EQ(out_.str(),
            "ACCESS KEY  ACCOUNT       CREATED               KIND\n"
            "AKIAROOT    000000000000  1970-01-01T00:00:00Z  root\n"
            "AKIATWO     123456789012  2023-11-14T22:13:20Z  account\n"
            "AKIABOX     123456789012  2023-11-14T22:13:20Z  machine box-a\n"
            "AKIANEW     123456789012  2023-11-14T22:13:20Z  machine, unregistered\n");
}

TEST_F(Keys, ADeletedKeyIsConfirmed) {
  reply("DeleteKey", "{}");
  EXPECT_EQ(key_delete(options_, "AKIATWO", out_), 0);
  EXPECT_EQ(out_.str(), "deleted AKIATWO\n");
  options_.json = true;
  out_.str("");
  EXPECT_EQ(key_delete(options_, "AKIATWO", out_), 0);
  EXPECT_EQ(out_.str(), "{\"id\":\"AKIATWO\"}\n");
  EXPECT_THAT(requests("DeleteKey"), ElementsAre(R"({"id":"AKIATWO"})", R"({"id":"AKIATWO"})"));
}

constexpr char kToken[] = R"({"joinToken":{"id":"abc","token":"stk1.abc.secret","account":"123456789012",
    "createdAt":1000,"expiresAt":4600,"uses":1,"used":0,"status":"ACTIVE"}})";

TEST_F(Keys, AJoinTokenIsPrintedWithTheCommandThatUsesIt) {
  reply("CreateJoinToken", kToken);
  std::ofstream(options_.data + "/endpoint") << endpoint() << '\n';
  EXPECT_EQ(token_create(options_, {}, out_), 0);
  EXPECT_THAT(out_.str(), testing::StartsWith("stk1.abc.secret\n\nOn the machine that joins, until 1970-01-01T01:16:40Z:\n"
                                              "  STOKER_TOKEN=stk1.abc.secret stoker agent --join http://"));
  EXPECT_THAT(out_.str(), HasSubstr("The token is for 1 machine. To revoke it: stoker token revoke abc\n"));
  EXPECT_THAT(out_.str(), HasSubstr("The server was started on " + endpoint())) << "loopback is unreachable";
  EXPECT_THAT(out_.str(), Not(HasSubstr("--token")));
  EXPECT_THAT(out_.str(), Not(HasSubstr("--cluster")));
  EXPECT_THAT(requests("CreateJoinToken"), ElementsAre(R"({"ttlSeconds":3600,"uses":1})"));
}

TEST_F(Keys, AJoinTokenNamesAClusterAndRegionThatAreNotTheDefault) {
  reply("CreateJoinToken", kToken);
  options_.region = "eu-west-1";
  options_.json = true;
  TokenArguments arguments;
  arguments.cluster = "blue";
  arguments.uses = 3;
  arguments.ttl = std::chrono::minutes(5);
  EXPECT_EQ(token_create(options_, arguments, out_), 0);
  EXPECT_THAT(out_.str(), HasSubstr(R"("id":"abc")"));
  EXPECT_THAT(out_.str(), HasSubstr("--cluster blue --region eu-west-1\"}\n"));
  EXPECT_THAT(requests("CreateJoinToken"), ElementsAre(R"({"cluster":"blue","ttlSeconds":300,"uses":3})"));
}

TEST_F(Keys, TheCommandForATokenNamesThisMachineAlsoWithoutAPort) {
  char name[256] = {};
  ASSERT_EQ(::gethostname(name, sizeof name - 1), 0);
  for (const std::string host : {"localhost", "127.0.0.1", "[::1]"}) {
    for (const std::string rest : {"", "/", ":4566", ":4566/below"}) {
      EXPECT_EQ(reachable_url("http://" + host + rest), "http://" + std::string(name) + rest) << host << rest;
    }
  }
  for (const std::string url : {"https://stoker", "http://[2001:db8::1]:4566", "http://localhost.example:80"}) {
    EXPECT_EQ(reachable_url(url), url);
  }
}

TEST_F(Keys, TheCommandForATokenTrustsTheSameCertificatesAndIsForAShell) {
  reply("CreateJoinToken", kToken);
  client::Profile server = read_profile(options_);
  server.ca_file = "my ca.pem";
  options_.remote = server;
  TokenArguments arguments;
  arguments.cluster = "it's";
  EXPECT_EQ(token_create(options_, arguments, out_), 0);
  EXPECT_THAT(out_.str(), HasSubstr(R"( --ca 'my ca.pem' --cluster 'it'\''s')"));
}

TEST_F(Keys, WithoutTokensTheListNamesTheCommandThatCreatesOne) {
  reply("ListJoinTokens", R"({"joinTokens":[]})");
  EXPECT_EQ(token_list(options_, out_), 0);
  EXPECT_EQ(out_.str(), "no join tokens: `stoker token` creates one\n");
}

TEST_F(Keys, TokensAreListedPageByPageAndRevoked) {
  reply("ListJoinTokens", R"({"joinTokens":[{"id":"abc","account":"123456789012","createdAt":1000,"expiresAt":4600,
      "uses":2,"used":1,"status":"ACTIVE","cluster":"us-east-1/blue"}],"nextToken":"abc"})");
  reply("ListJoinTokens", R"({"joinTokens":[{"id":"xyz","account":"123456789012","createdAt":1000,"expiresAt":4600,
      "uses":1,"used":1,"status":"USED"}]})");
  EXPECT_EQ(token_list(options_, out_), 0);
  EXPECT_EQ(out_.str(),
            "TOKEN  STATUS  USED  EXPIRES               CLUSTER\n"
            "abc    ACTIVE  1/2   1970-01-01T01:16:40Z  us-east-1/blue\n"
            "xyz    USED    1/1   1970-01-01T01:16:40Z  any\n");
  reply("RevokeJoinToken", "{}");
  EXPECT_EQ(token_revoke(options_, "abc", out_), 0);
  EXPECT_THAT(requests("RevokeJoinToken"), ElementsAre(R"({"id":"abc"})"));
}

TEST_F(Keys, AKeyForAmazonsAgentIsPrintedAsItsConfiguration) {
  reply("CreateMachineKey",
        R"({"key":{"id":"AKIABOX","secret":"hush","account":"123456789012","createdAt":1000,"root":false,"machine":""}})");
  EXPECT_EQ(key_create_for_agent(options_, std::nullopt, "blue", out_), 0);
  EXPECT_EQ(out_.str(), "AWS_ACCESS_KEY_ID=AKIABOX\nAWS_SECRET_ACCESS_KEY=hush\n");
  EXPECT_THAT(requests("CreateMachineKey"), ElementsAre(R"({"cluster":"blue"})"));
}

TEST_F(Keys, UsageShowsTheQuotasThatThereAre) {
  reply("ListAccounts", R"({"accounts":[{"account":"111111111111","bytes":1536,"queues":1,"objects":2,"maxBytes":2097152}]})");
  EXPECT_EQ(account_usage(options_, out_), 0);
  EXPECT_THAT(out_.str(), testing::ContainsRegex("111111111111 +1.5 KiB of 2.0 MiB +1 +2"));
}

}  // namespace
}  // namespace cli
