// SPDX-License-Identifier: Apache-2.0
#include "services/s3/buckets/bucket_operations.h"
#include "services/s3/buckets/policy_operations.h"
#include "services/s3/objects/list_objects.h"
#include "services/s3/s3_fixture.h"

namespace services::s3 {
namespace {

class BucketAccess : public S3Test {
 protected:
  BucketAccess() { make_bucket(); }

  static std::string statement(const std::string& effect, const std::string& principal, const std::string& action,
                               const std::string& resource = "arn:aws:s3:::bucket/*", const std::string& more = "") {
    return R"({"Effect":")" + effect + R"(","Principal":)" + principal + R"(,"Action":")" + action +
           R"(","Resource":")" + resource + "\"" + more + "}";
  }
  static std::string policy(const std::string& statements) {
    return R"({"Version":"2012-10-17","Statement":[)" + statements + "]}";
  }
  std::string set(const std::string& text) { return error_of(&put_bucket_policy, {.Bucket = "bucket", .Policy = text}); }
  void open_to_public() {
    run(&put_public_access_block, {.Bucket = "bucket", .PublicAccessBlockConfiguration = {}});
  }
  bool may(const std::string& account, const std::string& action, const std::string& key = "",
           std::map<std::string, std::string> context = {}) {
    caller_.account = account;
    const bool answer = with_call([&](Call& call) {
      return allowed(call, *load_bucket(call.tx, "bucket"), {.action = action, .key = key, .context = context});
    });
    caller_.account = kOwner;
    return answer;
  }

  const std::string kOwner = "111111111111", kOther = "222222222222", kNobody = "";
  const std::string kEverybody = "\"*\"";
};

TEST_F(BucketAccess, WithoutAPolicyABucketIsItsOwners) {
  EXPECT_TRUE(may(kOwner, "s3:GetObject", "k"));
  EXPECT_FALSE(may(kOther, "s3:GetObject", "k"));
  EXPECT_FALSE(may(kNobody, "s3:GetObject", "k"));
}

TEST_F(BucketAccess, APolicyLetsInWhomItNames) {
  EXPECT_EQ(set(policy(statement("Allow", R"({"AWS":"222222222222"})", "s3:GetObject", "arn:aws:s3:::bucket/open/*"))), "");
  EXPECT_TRUE(may(kOther, "s3:GetObject", "open/k"));
  EXPECT_FALSE(may(kOther, "s3:GetObject", "closed/k"));
  EXPECT_FALSE(may(kOther, "s3:PutObject", "open/k"));
  EXPECT_FALSE(may("333333333333", "s3:GetObject", "open/k"));
  EXPECT_FALSE(may(kNobody, "s3:GetObject", "open/k"));
  EXPECT_TRUE(may(kOwner, "s3:PutObject", "k"));
}

TEST_F(BucketAccess, ACanonicalIdNamesAnAccount) {
  EXPECT_EQ(set(policy(statement("Allow", R"({"CanonicalUser":")" + canonical_id(kOther) + "\"}", "s3:*"))), "");
  EXPECT_TRUE(may(kOther, "s3:GetObject", "k"));
  EXPECT_FALSE(may(kNobody, "s3:GetObject", "k"));
}

TEST_F(BucketAccess, ADenyIsForTheOwnerTooButThePolicyStaysTheirs) {
  EXPECT_EQ(set(policy(statement("Deny", kEverybody, "s3:*", "arn:aws:s3:::bucket*"))), "");
  EXPECT_FALSE(may(kOwner, "s3:GetObject", "k"));
  EXPECT_EQ(error_of(&list_objects_v2, {.Bucket = "bucket"}), "AccessDenied");
  EXPECT_EQ(error_of(&get_bucket_policy, {.Bucket = "bucket"}), "");
  EXPECT_EQ(error_of(&delete_bucket_policy, {.Bucket = "bucket"}), "");
  EXPECT_TRUE(may(kOwner, "s3:GetObject", "k"));
}

TEST_F(BucketAccess, NobodyElseReadsThePolicyWhateverItSays) {
  set(policy(statement("Allow", R"({"AWS":"222222222222"})", "s3:*", "arn:aws:s3:::bucket")));
  caller_.account = kOther;
  EXPECT_EQ(error_of(&get_bucket_policy, {.Bucket = "bucket"}), "AccessDenied");
  EXPECT_EQ(error_of(&delete_bucket_policy, {.Bucket = "bucket"}), "AccessDenied");
  EXPECT_EQ(error_of(&head_bucket, {.Bucket = "bucket"}), "");
}

TEST_F(BucketAccess, ConditionsSeeTheCallerAndTheRequest) {
  open_to_public();
  const std::string list = statement("Allow", kEverybody, "s3:ListBucket", "arn:aws:s3:::bucket",
                                     R"(,"Condition":{"StringLike":{"s3:prefix":"open/*"},"NumericLessThan":{"s3:max-keys":"11"}})");
  const std::string get = statement("Allow", kEverybody, "s3:GetObject", "arn:aws:s3:::bucket/*",
                                    R"(,"Condition":{"IpAddress":{"aws:SourceIp":"10.0.0.0/24"}})");
  EXPECT_EQ(set(policy(list + "," + get)), "");
  caller_.account = kNobody;
  EXPECT_EQ(error_of(&list_objects_v2, {.Bucket = "bucket", .MaxKeys = 10, .Prefix = "open/a"}), "");
  EXPECT_EQ(error_of(&list_objects_v2, {.Bucket = "bucket", .MaxKeys = 11, .Prefix = "open/a"}), "AccessDenied");
  EXPECT_EQ(error_of(&list_objects_v2, {.Bucket = "bucket", .MaxKeys = 10}), "AccessDenied");
  EXPECT_TRUE(may(kNobody, "s3:GetObject", "k"));
  caller_.address = "10.0.1.9";
  EXPECT_FALSE(may(kNobody, "s3:GetObject", "k"));
}

TEST_F(BucketAccess, TagsOfObjectsAreConditions) {
  set(policy(statement("Allow", R"({"AWS":"222222222222"})", "s3:GetObject", "arn:aws:s3:::bucket/*",
                       R"(,"Condition":{"StringEquals":{"s3:ExistingObjectTag/share":"yes"}})")));
  EXPECT_TRUE(may(kOther, "s3:GetObject", "k", {{"s3:ExistingObjectTag/share", "yes"}}));
  EXPECT_FALSE(may(kOther, "s3:GetObject", "k", {{"s3:ExistingObjectTag/share", "no"}}));
  EXPECT_FALSE(may(kOther, "s3:GetObject", "k"));
}

TEST_F(BucketAccess, ANewBucketTakesNoPublicPolicy) {
  const std::string open = policy(statement("Allow", kEverybody, "s3:GetObject"));
  auto block = run(&get_public_access_block, {.Bucket = "bucket"}).PublicAccessBlockConfiguration;
  EXPECT_EQ(*block, (shape::PublicAccessBlockConfiguration{true, true, true, true}));
  EXPECT_EQ(set(open), "AccessDenied");
  EXPECT_EQ(message(), "User: arn:aws:iam::111111111111:root is not authorized to perform: s3:PutBucketPolicy on resource: "
                       "\"arn:aws:s3:::bucket\" because public policies are blocked by the BlockPublicPolicy block public "
                       "access setting.");
  open_to_public();
  EXPECT_EQ(set(open), "");
  EXPECT_TRUE(may(kNobody, "s3:GetObject", "k"));
  EXPECT_FALSE(may(kNobody, "s3:PutObject", "k"));
}

TEST_F(BucketAccess, ARestrictedBucketsPublicPolicyCountsForNobodyOutside) {
  open_to_public();
  set(policy(statement("Allow", kEverybody, "s3:GetObject") + "," +
             statement("Allow", R"({"AWS":"222222222222"})", "s3:PutObject")));
  EXPECT_TRUE(may(kOther, "s3:PutObject", "k"));
  run(&put_public_access_block,
      {.Bucket = "bucket", .PublicAccessBlockConfiguration = {.RestrictPublicBuckets = true}});
  EXPECT_FALSE(may(kNobody, "s3:GetObject", "k"));
  EXPECT_FALSE(may(kOther, "s3:PutObject", "k"));
  EXPECT_TRUE(may(kOwner, "s3:PutObject", "k"));
  run(&delete_public_access_block, {.Bucket = "bucket"});
  EXPECT_TRUE(may(kNobody, "s3:GetObject", "k"));
  EXPECT_EQ(error_of(&get_public_access_block, {.Bucket = "bucket"}), "NoSuchPublicAccessBlockConfiguration");
}

TEST_F(BucketAccess, WhatIsPublic) {
  open_to_public();
  auto is_public = [&](const std::string& statement) {
    EXPECT_EQ(set(policy(statement)), "") << statement << message();
    return *run(&get_bucket_policy_status, {.Bucket = "bucket"}).PolicyStatus->IsPublic;
  };
  auto with = [&](const std::string& condition) {
    return statement("Allow", kEverybody, "s3:GetObject", "arn:aws:s3:::bucket/*", ",\"Condition\":" + condition);
  };
  EXPECT_TRUE(is_public(statement("Allow", kEverybody, "s3:GetObject")));
  EXPECT_TRUE(is_public(statement("Allow", R"({"AWS":"*"})", "s3:GetObject")));
  EXPECT_FALSE(is_public(statement("Allow", R"({"AWS":"222222222222"})", "s3:GetObject")));
  EXPECT_FALSE(is_public(statement("Deny", kEverybody, "s3:GetObject")));
  EXPECT_FALSE(is_public(with(R"({"IpAddress":{"aws:SourceIp":["10.0.0.0/8","8.8.8.0/24"]}})")));
  EXPECT_TRUE(is_public(with(R"({"IpAddress":{"aws:SourceIp":"0.0.0.0/1"}})")));
  EXPECT_TRUE(is_public(with(R"({"IpAddress":{"aws:SourceIp":"2001::/16"}})")));
  EXPECT_TRUE(is_public(with(R"({"NotIpAddress":{"aws:SourceIp":"10.0.0.0/8"}})")));
  EXPECT_FALSE(is_public(with(R"({"StringEquals":{"aws:SourceVpc":"vpc-1"}})")));
  EXPECT_TRUE(is_public(with(R"({"StringLike":{"aws:SourceVpc":"vpc-*"}})")));
  EXPECT_TRUE(is_public(with(R"({"Bool":{"aws:SecureTransport":"true"}})")));
}

TEST_F(BucketAccess, APolicyIsKeptAsItWasWritten) {
  const std::string text = "{ \"Version\":\"2008-10-17\",\n \"Id\":\"x\", \"Statement\" : " +
                           statement("Deny", R"({"AWS":"arn:aws:iam::222222222222:root"})", "s3:PutObject") + "}";
  EXPECT_EQ(error_of(&get_bucket_policy, {.Bucket = "bucket"}), "NoSuchBucketPolicy");
  EXPECT_EQ(error_of(&get_bucket_policy_status, {.Bucket = "bucket"}), "NoSuchBucketPolicy");
  EXPECT_EQ(set(text), "");
  EXPECT_EQ(run(&get_bucket_policy, {.Bucket = "bucket"}).Policy, text);
}

TEST_F(BucketAccess, WhatIsWrongWithAPolicyIsSaidInAmazonsWords) {
  const std::string everything = statement("Deny", kEverybody, "s3:GetObject");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "Policies must be valid JSON and the first byte must be '{'"},
      {" {}", "Policies must be valid JSON and the first byte must be '{'"},
      {"{\"a\"", "This policy contains invalid Json"},
      {"{}", "Missing required field Statement"},
      {R"({"Statement":[]})", "Could not parse the policy: Statement is empty!"},
      {R"({"Version":"2013-01-01","Statement":[)" + everything + "]}", "The policy must contain a valid version string"},
      {policy(R"({"Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::bucket/*"})"),
       "Missing required field Effect"},
      {policy(R"({"Effect":"Deny","Action":"s3:GetObject","Resource":"arn:aws:s3:::bucket/*"})"),
       "Missing required field Principal"},
      {policy(R"({"Effect":"Deny","Principal":"*","Resource":"arn:aws:s3:::bucket/*"})"), "Missing required field Action"},
      {policy(R"({"Effect":"Deny","Principal":"*","Action":"s3:GetObject"})"), "Missing required field Resource"},
      {policy(statement("Maybe", kEverybody, "s3:GetObject")), "Invalid effect: Maybe"},
      {policy(statement("Deny", "\"me\"", "s3:GetObject")), "Invalid principal in policy"},
      {policy(statement("Deny", R"({"AWS":"arn:aws:iam::222222222222:user/bob"})", "s3:GetObject")),
       "Invalid principal in policy"},
      {policy(statement("Deny", R"({"Federated":"x"})", "s3:GetObject")), "Invalid principal in policy"},
      {policy(statement("Deny", kEverybody, "s3:Fly")), "Policy has invalid action"},
      {policy(statement("Deny", kEverybody, "sqs:SendMessage")), "Policy has invalid action"},
      {policy(statement("Deny", kEverybody, "s3:GetObject", "arn:aws:s3:::other/*")), "Policy has invalid resource"},
      {policy(statement("Deny", kEverybody, "s3:GetObject", "*")), "Policy has invalid resource"},
      {policy(statement("Deny", kEverybody, "s3:GetObject", "arn:aws:s3:::bucket")),
       "Action does not apply to any resource(s) in statement"},
      {policy(statement("Deny", kEverybody, "s3:ListBucket")), "Action does not apply to any resource(s) in statement"},
      {policy(statement("Deny", kEverybody, "s3:GetObject", "arn:aws:s3:::bucket/*",
                        R"(,"Condition":{"StringEquals":{"s3:prefix":"a"}})")),
       "Conditions do not apply to combination of actions and resources in statement"},
      {policy(statement("Deny", kEverybody, "s3:GetObject", "arn:aws:s3:::bucket/*",
                        R"(,"Condition":{"StringEquals":{"colour":"red"}})")),
       "Policy has an invalid condition key"},
      {policy(statement("Deny", kEverybody, "s3:GetObject", "arn:aws:s3:::bucket/*", R"(,"Resources":[])")),
       "Unknown field Resources"},
      {policy(statement("Deny", kEverybody, "s3:GetObject", "arn:aws:s3:::bucket/*", R"(,"NotAction":"s3:PutObject")")),
       "Statement/policy already has instance of NotAction"},
      {policy(statement("Deny", kEverybody, "s3:GetObject", "arn:aws:s3:::bucket/*", R"(,"NotPrincipal":"*")")),
       "Statement/policy already has instance of NotPrincipal"},
      {policy(statement("Deny", kEverybody, "s3:GetObject", "arn:aws:s3:::bucket/*",
                        R"(,"NotResource":"arn:aws:s3:::bucket/open/*")")),
       "Statement/policy already has instance of NotResource"},
      {"{\"Id\":\"" + std::string(20480, 'a') + "\"}", "Policy exceeds the maximum allowed document size."},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(set(text), "MalformedPolicy") << text;
    EXPECT_EQ(message(), expected) << text;
  }
}

TEST_F(BucketAccess, WhatCouldNotBeKeptToIsRefusedByName) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"StringEquals":{"s3:signatureversion":"AWS4-HMAC-SHA256"}})", "s3:signatureversion"},
      {R"({"StringEquals":{"s3:TlsVersion":"1.2"}})", "s3:TlsVersion"},
      {R"({"BinaryEquals":{"aws:userid":"QQ=="}})", "BinaryEquals"},
      {R"({"StringEquals":{"aws:userid":"${aws:username}"}})", "${...}"}};
  for (const auto& [condition, name] : cases) {
    EXPECT_EQ(set(policy(statement("Deny", kEverybody, "s3:GetObject", "arn:aws:s3:::bucket/*", ",\"Condition\":" + condition))),
              "NotImplemented");
    EXPECT_NE(message().find(name), std::string::npos) << message();
  }
  EXPECT_EQ(set(policy(statement("Deny", kEverybody, "s3:GetObject", "arn:aws:s3:::bucket/${aws:userid}/*"))), "NotImplemented");
  EXPECT_EQ(set(policy(statement("Deny", kEverybody, "s3:GetObject", "arn:aws:s3:::bucket/*",
                                 R"(,"Condition":{"IpAddress":{"aws:SourceIp":"here"}})"))),
            "MalformedPolicy");
}

}  // namespace
}  // namespace services::s3
