// SPDX-License-Identifier: Apache-2.0
#include "services/policy.h"

#include <gtest/gtest.h>

namespace services::policy {
namespace {

constexpr char kArn[] = "arn:aws:sqs:us-east-1:111111111111:q";

std::string statement(const std::string& effect, const std::string& principal, const std::string& more = "") {
  return R"({"Version":"2012-10-17","Statement":[{"Effect":")" + effect + R"(","Principal":)" + principal +
         R"(,"Action":"SQS:SendMessage","Resource":")" + kArn + "\"" + more + "}]}";
}

Question question(const std::string& account = "222222222222") {
  return {.principal_account = account, .action = "sqs:SendMessage", .resource = kArn};
}

TEST(Policy, AllowsThePrincipalThatItNames) {
  std::string policy = statement("Allow", R"({"AWS":"arn:aws:iam::222222222222:root"})");
  EXPECT_EQ(evaluate(policy, question()), Answer::Allowed);
  EXPECT_EQ(evaluate(policy, question("333333333333")), Answer::NoMatch);
}

TEST(Policy, AnAccountIsAPrincipalByItsNumber) {
  EXPECT_EQ(evaluate(statement("Allow", R"({"AWS":["222222222222","333333333333"]})"), question()), Answer::Allowed);
}

TEST(Policy, ADenyWins) {
  std::string policy = R"({"Statement":[
    {"Effect":"Allow","Principal":"*","Action":"sqs:*","Resource":"*"},
    {"Effect":"Deny","Principal":"*","Action":"sqs:Send*","Resource":"*"}]})";
  EXPECT_EQ(evaluate(policy, question()), Answer::Denied);
  Question receive = question();
  receive.action = "sqs:ReceiveMessage";
  EXPECT_EQ(evaluate(policy, receive), Answer::Allowed);
}

TEST(Policy, AServiceIsAllowedForItsSourceOnly) {
  std::string policy = statement("Allow", R"({"Service":"s3.amazonaws.com"})",
                                 R"(,"Condition":{"ArnLike":{"aws:SourceArn":"arn:aws:s3:*:*:in-*"}})");
  Question asked{.principal_service = "s3.amazonaws.com", .action = "sqs:SendMessage", .resource = kArn};
  asked.context["aws:SourceArn"] = "arn:aws:s3:::in-box";
  EXPECT_EQ(evaluate(policy, asked), Answer::Allowed);
  asked.context["aws:SourceArn"] = "arn:aws:s3:::out-box";
  EXPECT_EQ(evaluate(policy, asked), Answer::NoMatch);
  asked.context.clear();
  EXPECT_EQ(evaluate(policy, asked), Answer::NoMatch);
}

TEST(Policy, AConditionThatIsNotKnownClosesTheDoor) {
  const std::string unknown = R"(,"Condition":{"IpAddress":{"aws:SourceIp":"10.0.0.0/8"}})";
  EXPECT_EQ(evaluate(statement("Allow", "\"*\"", unknown), question()), Answer::NoMatch);
  EXPECT_EQ(evaluate(statement("Deny", "\"*\"", unknown), question()), Answer::Denied);
}

TEST(Policy, WithoutAPrincipalNobodyIsMeant) {
  EXPECT_EQ(evaluate(R"({"Statement":{"Effect":"Allow","Action":"*","Resource":"*"}})", question()), Answer::NoMatch);
}

TEST(Policy, SaysWhatIsWrongWithOne) {
  EXPECT_EQ(problem(statement("Allow", "\"*\"")), "");
  EXPECT_NE(problem("{"), "");
  EXPECT_NE(problem("[]"), "");
  EXPECT_NE(problem("{}"), "");
  EXPECT_NE(problem(statement("Perhaps", "\"*\"")), "");
}

TEST(Policy, WildcardsMatchAsInShells) {
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("a*c?", "abbcd"));
  EXPECT_TRUE(matches("arn:*:q", "arn:aws:sqs:q"));
  EXPECT_FALSE(matches("a?", "a"));
  EXPECT_FALSE(matches("a*b", "acbc"));
  EXPECT_FALSE(matches("", "a"));
}

}  // namespace
}  // namespace services::policy
