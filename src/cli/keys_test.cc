// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <sstream>

#include "cli/fake_server.h"
#include "cli/token.h"

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

TEST_F(Keys, ImportNamesAnInvalidLineAndImportsNothing) {
  EXPECT_EQ(import("A one\n\nB\n"), "line 3 is not `ID SECRET` or `ID SECRET ACCOUNT`; nothing was imported");
  EXPECT_EQ(import("A one\nB =\n"), "line 2 is not `ID SECRET` or `ID SECRET ACCOUNT`; nothing was imported");
  EXPECT_EQ(import("# only a comment\n"), "no keys on standard input: expected lines of `ID SECRET` or `ID SECRET ACCOUNT`");
  EXPECT_THAT(requests("ImportKeys"), IsEmpty());
}

TEST_F(Keys, KeysAreListedWithoutSecrets) {
  reply("ListKeys", R"({"keys":[{"id":"AKIAROOT","account":"000000000000","createdAt":0,"root":true},
      {"id":"AKIATWO","account":"123456789012","createdAt":1700000000,"root":false}]})");
  EXPECT_EQ(key_list(options_, out_), 0);
  EXPECT_EQ(out_.str(),
            "ACCESS KEY  ACCOUNT       CREATED\n"
            "AKIAROOT    000000000000  1970-01-01T00:00:00Z  root\n"
            "AKIATWO     123456789012  2023-11-14T22:13:20Z\n");
}

TEST_F(Keys, ADeletedKeyIsConfirmedExceptAsJson) {
  reply("DeleteKey", "{}");
  EXPECT_EQ(key_delete(options_, "AKIATWO", out_), 0);
  EXPECT_EQ(out_.str(), "deleted AKIATWO\n");
  options_.json = true;
  EXPECT_EQ(key_delete(options_, "AKIATWO", out_), 0);
  EXPECT_EQ(out_.str(), "deleted AKIATWO\n");
  EXPECT_THAT(requests("DeleteKey"), ElementsAre(R"({"id":"AKIATWO"})", R"({"id":"AKIATWO"})"));
}

TEST_F(Keys, AJoinTokenIsPrintedWithTheCommandThatUsesIt) {
  reply("CreateKey", kCreated);
  std::ofstream(options_.data + "/endpoint") << endpoint() << '\n';
  EXPECT_EQ(token(options_, out_), 0);
  const std::string word = encode_token({"AKIANEW", "hush"});
  EXPECT_THAT(out_.str(), testing::StartsWith(word + "\n\nOn the machine that joins:\n  stoker agent --join http://"));
  EXPECT_THAT(out_.str(), HasSubstr(" --token " + word + "\n"));
  EXPECT_THAT(out_.str(), HasSubstr("To revoke the token: stoker key delete AKIANEW\n"));
  EXPECT_THAT(out_.str(), HasSubstr("The server was started on " + endpoint())) << "loopback is unreachable";
  EXPECT_THAT(out_.str(), Not(HasSubstr("--cluster")));
}

TEST_F(Keys, AJoinTokenNamesAClusterAndRegionThatAreNotTheDefault) {
  reply("CreateKey", kCreated);
  options_.cluster = "blue";
  options_.region = "eu-west-1";
  options_.json = true;
  EXPECT_EQ(token(options_, out_), 0);
  EXPECT_THAT(out_.str(), HasSubstr(R"("accessKeyId":"AKIANEW")"));
  EXPECT_THAT(out_.str(), HasSubstr("--cluster blue --region eu-west-1\"}\n"));
}

}  // namespace
}  // namespace cli
