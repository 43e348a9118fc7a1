// SPDX-License-Identifier: Apache-2.0
#include "services/s3/buckets/bucket_settings.h"
#include "services/s3/buckets/bucket_tagging.h"
#include "services/s3/buckets/policy_operations.h"
#include "services/s3/buckets/unset_settings.h"
#include "services/s3/s3_fixture.h"

namespace services::s3 {
namespace {

class BucketSettings : public S3Test {
 protected:
  BucketSettings() { make_bucket(); }
};

TEST_F(BucketSettings, TagsAreReplacedAndDeleted) {
  EXPECT_EQ(error_of(&get_bucket_tagging, {.Bucket = "bucket"}), "NoSuchTagSet");
  EXPECT_EQ(message(), "The TagSet does not exist");
  EXPECT_EQ(detail("BucketName"), "bucket");
  run(&put_bucket_tagging, {.Bucket = "bucket", .Tagging = {{{"a", "1"}, {"b", ""}}}});
  EXPECT_EQ(run(&get_bucket_tagging, {.Bucket = "bucket"}).TagSet, (std::vector<shape::Tag>{{"a", "1"}, {"b", ""}}));
  run(&put_bucket_tagging, {.Bucket = "bucket", .Tagging = {{{"c", "3"}}}});
  EXPECT_EQ(run(&get_bucket_tagging, {.Bucket = "bucket"}).TagSet, (std::vector<shape::Tag>{{"c", "3"}}));
  run(&delete_bucket_tagging, {.Bucket = "bucket"});
  EXPECT_EQ(error_of(&get_bucket_tagging, {.Bucket = "bucket"}), "NoSuchTagSet");
}

TEST_F(BucketSettings, TagsFollowAmazonsRules) {
  auto put_tags = [&](std::vector<shape::Tag> tags) {
    return error_of(&put_bucket_tagging, {.Bucket = "bucket", .Tagging = {std::move(tags)}});
  };
  EXPECT_EQ(put_tags({{"a", "1"}, {"a", "2"}}), "InvalidTag");
  EXPECT_EQ(message(), "Cannot provide multiple Tags with the same key");
  EXPECT_EQ(put_tags({{"a,b", "1"}}), "InvalidTag");
  EXPECT_EQ(detail("TagKey"), "a,b");
  EXPECT_EQ(put_tags({{"a", "1,2"}}), "InvalidTag");
  EXPECT_EQ(message(), "The TagValue you have provided is invalid");
  EXPECT_EQ(put_tags({{"aws:a", "1"}}), "InvalidTag");
  EXPECT_EQ(message(), "System tags cannot be added/updated by requester");
  EXPECT_EQ(put_tags({{std::string(129, 'a'), ""}}), "InvalidTag");
  EXPECT_EQ(put_tags({{"a", std::string(257, 'a')}}), "InvalidTag");
  EXPECT_EQ(put_tags({{"gr\xc3\xbc\xc3\x9f" "e", "a+b-c=d.e_f:g/h@i j"}}), "");
  std::vector<shape::Tag> many;
  for (int i = 0; i < 51; ++i) many.push_back({"k" + std::to_string(i), ""});
  EXPECT_EQ(put_tags(many), "BadRequest");
  many.pop_back();
  EXPECT_EQ(put_tags(many), "");
}

TEST_F(BucketSettings, VersioningIsEnabledAndSuspended) {
  EXPECT_FALSE(run(&get_bucket_versioning, {.Bucket = "bucket"}).Status);
  version("Enabled");
  EXPECT_EQ(run(&get_bucket_versioning, {.Bucket = "bucket"}).Status, "Enabled");
  EXPECT_TRUE(bucket().versioned());
  version("Suspended");
  EXPECT_EQ(run(&get_bucket_versioning, {.Bucket = "bucket"}).Status, "Suspended");
  EXPECT_EQ(error_of(&put_bucket_versioning, {.Bucket = "bucket"}), "IllegalVersioningConfigurationException");
  shape::VersioningConfiguration mfa{.MFADelete = "Enabled", .Status = "Enabled"};
  EXPECT_EQ(error_of(&put_bucket_versioning, {.Bucket = "bucket", .VersioningConfiguration = mfa}), "NotImplemented");
}

TEST_F(BucketSettings, EncryptionIsTheDefaultOrTheConfiguredOne) {
  auto algorithm = [&] {
    auto rules = run(&get_bucket_encryption, {.Bucket = "bucket"}).ServerSideEncryptionConfiguration->Rules;
    return rules.at(0).ApplyServerSideEncryptionByDefault->SSEAlgorithm;
  };
  auto set = [&](const std::string& name, const std::optional<std::string>& key = {}) {
    shape::ServerSideEncryptionRule rule{.ApplyServerSideEncryptionByDefault =
                                             shape::ServerSideEncryptionByDefault{name, key}};
    return error_of(&put_bucket_encryption, {.Bucket = "bucket", .ServerSideEncryptionConfiguration = {{rule}}});
  };
  EXPECT_EQ(algorithm(), "AES256");
  EXPECT_EQ(set("AES256"), "");
  EXPECT_EQ(algorithm(), "AES256");
  EXPECT_EQ(set("AES256", "key"), "InvalidArgument");
  EXPECT_EQ(set("ROT13"), "MalformedXML");
  EXPECT_EQ(algorithm(), "AES256");
  EXPECT_EQ(set("aws:kms"), "");
  EXPECT_EQ(set("aws:kms:dsse", "key"), "");
  EXPECT_EQ(algorithm(), "aws:kms:dsse");
  EXPECT_EQ(error_of(&put_bucket_encryption, {.Bucket = "bucket"}), "MalformedXML");
  run(&delete_bucket_encryption, {.Bucket = "bucket"});
  EXPECT_EQ(algorithm(), "AES256");
}

TEST_F(BucketSettings, ObjectsBelongToTheBucketOwner) {
  auto rules = run(&get_bucket_ownership_controls, {.Bucket = "bucket"}).OwnershipControls->Rules;
  EXPECT_EQ(rules.at(0).ObjectOwnership, "BucketOwnerEnforced");
  auto set = [&](const std::string& ownership) {
    return error_of(&put_bucket_ownership_controls, {.Bucket = "bucket", .OwnershipControls = {{{ownership}}}});
  };
  EXPECT_EQ(set("ObjectWriter"), "NotImplemented");
  EXPECT_EQ(set("BucketOwnerPreferred"), "NotImplemented");
  run(&delete_bucket_ownership_controls, {.Bucket = "bucket"});
  EXPECT_EQ(error_of(&get_bucket_ownership_controls, {.Bucket = "bucket"}), "OwnershipControlsNotFoundError");
  EXPECT_EQ(set("BucketOwnerEnforced"), "");
  EXPECT_EQ(error_of(&get_bucket_ownership_controls, {.Bucket = "bucket"}), "");
}

TEST_F(BucketSettings, UnsetSettingsHaveAmazonsResponses) {
  EXPECT_EQ(run(&get_bucket_logging, {.Bucket = "bucket"}), shape::GetBucketLoggingOutput());
  EXPECT_EQ(run(&get_bucket_accelerate_configuration, {.Bucket = "bucket"}),
            shape::GetBucketAccelerateConfigurationOutput());
  EXPECT_EQ(run(&get_bucket_request_payment, {.Bucket = "bucket"}).Payer, "BucketOwner");
  EXPECT_EQ(error_of(&get_bucket_website, {.Bucket = "bucket"}), "NoSuchWebsiteConfiguration");
  EXPECT_EQ(error_of(&get_bucket_replication, {.Bucket = "bucket"}), "ReplicationConfigurationNotFoundError");
  EXPECT_EQ(error_.status(), 404);
}

TEST_F(BucketSettings, TheAclIsTheOwnersAndCannotBeChanged) {
  auto acl = run(&get_bucket_acl, {.Bucket = "bucket"});
  ASSERT_EQ(acl.Grants->size(), 1u);
  EXPECT_EQ((*acl.Grants)[0].Permission, "FULL_CONTROL");
  EXPECT_EQ((*acl.Grants)[0].Grantee->ID, acl.Owner->ID);
  EXPECT_EQ(acl.Owner->ID, canonical_id("111111111111"));
  EXPECT_EQ(error_of(&put_bucket_acl, {.ACL = "private", .Bucket = "bucket"}), "AccessControlListNotSupported");
}

TEST_F(BucketSettings, OtherAccountsCannotReadOrChangeSettings) {
  caller_.account = "222222222222";
  EXPECT_EQ(error_of(&get_bucket_tagging, {.Bucket = "bucket"}), "AccessDenied");
  EXPECT_EQ(error_of(&get_bucket_versioning, {.Bucket = "bucket"}), "AccessDenied");
  EXPECT_EQ(error_of(&put_bucket_versioning, {.Bucket = "bucket", .VersioningConfiguration = {.Status = "Enabled"}}),
            "AccessDenied");
  EXPECT_EQ(error_of(&get_bucket_versioning, {.Bucket = "nowhere"}), "NoSuchBucket");
}

}  // namespace
}  // namespace services::s3
