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

Request request(const std::string& account = "222222222222") {
  return {.principal_account = account, .action = "sqs:SendMessage", .resource = kArn};
}

TEST(Policy, AllowsThePrincipalThatItNames) {
  std::string policy = statement("Allow", R"({"AWS":"arn:aws:iam::222222222222:root"})");
  EXPECT_EQ(evaluate(policy, request()), Verdict::Allowed);
  EXPECT_EQ(evaluate(policy, request("333333333333")), Verdict::NoMatch);
}

TEST(Policy, AnAccountIsAPrincipalByItsNumber) {
  EXPECT_EQ(evaluate(statement("Allow", R"({"AWS":["222222222222","333333333333"]})"), request()), Verdict::Allowed);
}

TEST(Policy, ADenyWins) {
  std::string policy = R"({"Statement":[
    {"Effect":"Allow","Principal":"*","Action":"sqs:*","Resource":"*"},
    {"Effect":"Deny","Principal":"*","Action":"sqs:Send*","Resource":"*"}]})";
  EXPECT_EQ(evaluate(policy, request()), Verdict::Denied);
  Request receive = request();
  receive.action = "sqs:ReceiveMessage";
  EXPECT_EQ(evaluate(policy, receive), Verdict::Allowed);
}

TEST(Policy, AServiceIsAllowedForItsSourceOnly) {
  std::string policy = statement("Allow", R"({"Service":"s3.amazonaws.com"})",
                                 R"(,"Condition":{"ArnLike":{"aws:SourceArn":"arn:aws:s3:*:*:in-*"}})");
  Request sent{.principal_service = "s3.amazonaws.com", .action = "sqs:SendMessage", .resource = kArn};
  sent.context["aws:SourceArn"] = "arn:aws:s3:::in-box";
  EXPECT_EQ(evaluate(policy, sent), Verdict::Allowed);
  sent.context["aws:SourceArn"] = "arn:aws:s3:::out-box";
  EXPECT_EQ(evaluate(policy, sent), Verdict::NoMatch);
  sent.context.clear();
  EXPECT_EQ(evaluate(policy, sent), Verdict::NoMatch);
}

TEST(Policy, AnUnknownOperatorHoldsForNoAllowAndForEveryDeny) {
  const std::string unknown = R"(,"Condition":{"BinaryEquals":{"aws:SourceIp":"QmFy"}})";
  EXPECT_EQ(evaluate(statement("Allow", "\"*\"", unknown), request()), Verdict::NoMatch);
  EXPECT_EQ(evaluate(statement("Deny", "\"*\"", unknown), request()), Verdict::Denied);
}

// The verdict of a policy with this condition for a request with these keys.
Verdict with_condition(const std::string& condition, Context context) {
  Request sent = request();
  sent.context = std::move(context);
  return evaluate(statement("Allow", "\"*\"", ",\"Condition\":" + condition), sent);
}

TEST(Policy, AddressesAreComparedByNetwork) {
  const std::string in = R"({"IpAddress":{"aws:SourceIp":["10.1.0.0/20","2001:db8::/33"]}})";
  EXPECT_EQ(with_condition(in, {{"aws:SourceIp", "10.1.15.255"}}), Verdict::Allowed);
  EXPECT_EQ(with_condition(in, {{"aws:SourceIp", "10.1.16.0"}}), Verdict::NoMatch);
  EXPECT_EQ(with_condition(in, {{"aws:SourceIp", "2001:db8:7fff::1"}}), Verdict::Allowed);
  EXPECT_EQ(with_condition(in, {{"aws:SourceIp", "2001:db8:8000::1"}}), Verdict::NoMatch);
  EXPECT_EQ(with_condition(in, {}), Verdict::NoMatch);
  const std::string out = R"({"NotIpAddress":{"aws:SourceIp":"10.0.0.7"}})";
  EXPECT_EQ(with_condition(out, {{"aws:SourceIp", "10.0.0.7"}}), Verdict::NoMatch);
  EXPECT_EQ(with_condition(out, {{"aws:SourceIp", "10.0.0.8"}}), Verdict::Allowed);
}

TEST(Policy, NumbersAndDatesAreComparedAsSuch) {
  const std::string pages = R"({"NumericLessThanEquals":{"s3:max-keys":10}})";
  EXPECT_EQ(with_condition(pages, {{"s3:max-keys", "9"}}), Verdict::Allowed);
  EXPECT_EQ(with_condition(pages, {{"s3:max-keys", "100"}}), Verdict::NoMatch);
  const std::string until = R"({"DateLessThan":{"aws:CurrentTime":"2030-01-01T00:00:00Z"}})";
  EXPECT_EQ(with_condition(until, {{"aws:CurrentTime", "2029-12-31T23:59:59Z"}}), Verdict::Allowed);
  EXPECT_EQ(with_condition(until, {{"aws:CurrentTime", "2030-01-01T00:00:00Z"}}), Verdict::NoMatch);
  EXPECT_EQ(with_condition(R"({"DateGreaterThan":{"aws:EpochTime":"1700000000"}})", {{"aws:EpochTime", "1700000001"}}),
            Verdict::Allowed);
}

TEST(Policy, AnInvalidValueHoldsForNoAllowAndForEveryDeny) {
  const std::string broken = R"(,"Condition":{"IpAddress":{"aws:SourceIp":"everywhere"}})";
  Request sent = request();
  sent.context = {{"aws:SourceIp", "10.0.0.1"}};
  EXPECT_EQ(evaluate(statement("Allow", "\"*\"", broken), sent), Verdict::NoMatch);
  EXPECT_EQ(evaluate(statement("Deny", "\"*\"", broken), sent), Verdict::Denied);
}

TEST(Policy, AMissingKeyHoldsForNegatedOperatorsOnly) {
  EXPECT_EQ(with_condition(R"({"StringEquals":{"s3:prefix":"a"}})", {}), Verdict::NoMatch);
  EXPECT_EQ(with_condition(R"({"StringNotEquals":{"s3:prefix":"a"}})", {}), Verdict::Allowed);
  EXPECT_EQ(with_condition(R"({"StringEqualsIfExists":{"s3:prefix":"a"}})", {}), Verdict::Allowed);
  EXPECT_EQ(with_condition(R"({"ForAllValues:StringEquals":{"s3:prefix":"a"}})", {}), Verdict::Allowed);
  EXPECT_EQ(with_condition(R"({"ForAnyValue:StringNotEquals":{"s3:prefix":"a"}})", {}), Verdict::NoMatch);
  EXPECT_EQ(with_condition(R"({"Null":{"s3:prefix":"true"}})", {}), Verdict::Allowed);
  EXPECT_EQ(with_condition(R"({"Null":{"s3:prefix":true}})", {{"s3:prefix", ""}}), Verdict::NoMatch);
  EXPECT_EQ(with_condition(R"({"Null":{"s3:prefix":"false"}})", {{"s3:prefix", ""}}), Verdict::Allowed);
}

TEST(Policy, EveryKeyOfEveryOperatorMustHold) {
  const std::string both = R"({"StringLike":{"s3:prefix":["a/*","b/*"],"s3:delimiter":"/"},"Bool":{"aws:SecureTransport":true}})";
  EXPECT_EQ(with_condition(both, {{"s3:prefix", "b/c"}, {"s3:delimiter", "/"}, {"aws:SecureTransport", "true"}}),
            Verdict::Allowed);
  EXPECT_EQ(with_condition(both, {{"s3:prefix", "b/c"}, {"s3:delimiter", "/"}, {"aws:SecureTransport", "false"}}),
            Verdict::NoMatch);
  EXPECT_EQ(with_condition(both, {{"s3:prefix", "c"}, {"s3:delimiter", "/"}, {"aws:SecureTransport", "true"}}),
            Verdict::NoMatch);
}

TEST(Policy, AnAnonymousCallerMatchesOnlyTheWildcardPrincipal) {
  EXPECT_EQ(evaluate(statement("Allow", "\"*\""), request("")), Verdict::Allowed);
  EXPECT_EQ(evaluate(statement("Allow", R"({"AWS":"*"})"), request("")), Verdict::Allowed);
  EXPECT_EQ(evaluate(statement("Allow", R"({"AWS":"222222222222"})"), request("")), Verdict::NoMatch);
  EXPECT_EQ(evaluate(statement("Allow", R"({"CanonicalUser":""})"), request("")), Verdict::NoMatch);
}

TEST(Policy, NotElementsMatchWhatTheyDoNotName) {
  const std::string policy = R"({"Statement":[
    {"Effect":"Allow","Principal":"*","Action":"s3:*","Resource":"*"},
    {"Effect":"Deny","NotPrincipal":{"AWS":"222222222222"},"NotAction":"s3:Get*","NotResource":"arn:aws:s3:::b/open/*"}]})";
  Request sent{.principal_account = "333333333333", .action = "s3:PutObject", .resource = "arn:aws:s3:::b/k"};
  EXPECT_EQ(evaluate(policy, sent), Verdict::Denied);
  sent.resource = "arn:aws:s3:::b/open/k";
  EXPECT_EQ(evaluate(policy, sent), Verdict::Allowed);
  sent.resource = "arn:aws:s3:::b/k";
  sent.action = "s3:GetObject";
  EXPECT_EQ(evaluate(policy, sent), Verdict::Allowed);
  sent.action = "s3:PutObject";
  sent.principal_account = "222222222222";
  EXPECT_EQ(evaluate(policy, sent), Verdict::Allowed);
}

TEST(Policy, TheContextDescribesTheCaller) {
  Caller caller{.account = "111111111111", .endpoint = "https://s3", .address = "10.0.0.9",
                .conditions = {{"aws:Referer", "https://page"}, {"aws:UserAgent", "reader/1"}}};
  Context context = context_of(caller, base::from_seconds(1800000000));
  EXPECT_EQ(context["aws:CurrentTime"], "2027-01-15T08:00:00Z");
  EXPECT_EQ(context["aws:EpochTime"], "1800000000");
  EXPECT_EQ(context["aws:SecureTransport"], "true");
  EXPECT_EQ(context["aws:SourceIp"], "10.0.0.9");
  EXPECT_EQ(context["aws:Referer"], "https://page");
  EXPECT_EQ(context["aws:UserAgent"], "reader/1");
  EXPECT_EQ(context["aws:PrincipalArn"], "arn:aws:iam::111111111111:root");
  EXPECT_FALSE(context_of(Caller{}, base::from_seconds(0)).contains("aws:PrincipalAccount"));
  EXPECT_FALSE(context_of(Caller{}, base::from_seconds(0)).contains("aws:Referer"));
}

TEST(Policy, AServiceIsDescribedByItsSourceAndNotAsAnAccount) {
  Caller s3{.account = "222222222222", .endpoint = "http://s3", .service = "s3.amazonaws.com",
            .source_arn = "arn:aws:s3:::photos"};
  Context context = context_of(s3, base::from_seconds(1800000000));
  EXPECT_EQ(context["aws:SourceArn"], "arn:aws:s3:::photos");
  EXPECT_EQ(context["aws:SourceAccount"], "222222222222");
  EXPECT_EQ(context["aws:PrincipalIsAWSService"], "true");
  EXPECT_EQ(context["aws:PrincipalServiceName"], "s3.amazonaws.com");
  EXPECT_EQ(context["aws:SecureTransport"], "true");
  for (const char* key : {"aws:PrincipalType", "aws:PrincipalAccount", "aws:PrincipalArn", "aws:userid"}) {
    EXPECT_FALSE(context.contains(key)) << key;
  }
}

TEST(Policy, AStatementWithoutAPrincipalMatchesNobody) {
  EXPECT_EQ(evaluate(R"({"Statement":{"Effect":"Allow","Action":"*","Resource":"*"}})", request()), Verdict::NoMatch);
}

TEST(Policy, ReportsTheProblemOfAnInvalidPolicy) {
  EXPECT_EQ(problem(statement("Allow", "\"*\"")), "");
  EXPECT_NE(problem("{"), "");
  EXPECT_NE(problem("[]"), "");
  EXPECT_NE(problem("{}"), "");
  EXPECT_NE(problem(statement("Perhaps", "\"*\"")), "");
  EXPECT_EQ(problem(R"({"Statement":{"Effect":"Deny","Principal":"*","Action":"*","NotAction":"x","Resource":"*"}})"),
            "a statement has NotAction beside its opposite");
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
