// SPDX-License-Identifier: Apache-2.0
#include "services/s3/buckets/bucket_name.h"
#include "services/s3/buckets/bucket_operations.h"
#include "services/s3/buckets/bucket_tagging.h"
#include "services/s3/s3_fixture.h"

namespace services::s3 {
namespace {

class Buckets : public S3Test {
 protected:
  std::vector<std::string> names(const shape::ListBucketsRequest& request = {}) {
    listed_ = run(&list_buckets, request);
    std::vector<std::string> names;
    for (const shape::Bucket& bucket : *listed_.Buckets) names.push_back(*bucket.Name);
    return names;
  }
  std::string create_in(const std::string& region, const std::optional<std::string>& constraint) {
    caller_.region = region;
    shape::CreateBucketRequest request{.Bucket = "b-" + base::random_uuid()};
    if (constraint) request.CreateBucketConfiguration = shape::CreateBucketConfiguration{.LocationConstraint = constraint};
    std::string error = error_of(&create_bucket, request);
    return error.empty() ? bucket(request.Bucket).region : error;
  }

  shape::ListBucketsOutput listed_;
};

TEST_F(Buckets, BucketNamesFollowAmazonsRules) {
  for (const char* name : {"abc", "a.b-c.1", "0a0", "a-very-good-name", "1.2.3.a"}) EXPECT_TRUE(is_bucket_name(name)) << name;
  for (const std::string& name :
       {std::string("ab"), std::string(64, 'a'), std::string("Abc"), std::string("a_b"), std::string("-abc"),
        std::string("abc-"), std::string("abc."), std::string("a..b"), std::string("a.-b"), std::string("a-.b"), std::string("192.168.5.4"),
        std::string("xn--abc"), std::string("sthree-abc"), std::string("amzn-s3-demo-x"), std::string("abc-s3alias"),
        std::string("abc--ol-s3"), std::string("abc.mrap"), std::string("abc--x-s3"), std::string("abc--table-s3")}) {
    EXPECT_EQ(error_of(&create_bucket, {.Bucket = name}), "InvalidBucketName") << name;
  }
  EXPECT_EQ(message(), "The specified bucket is not valid.");
}

TEST_F(Buckets, AnEmptyConfigurationRequestsNothing) {
  run(&create_bucket, {.Bucket = "bucket", .CreateBucketConfiguration = shape::CreateBucketConfiguration{}});
  EXPECT_EQ(run(&head_bucket, {.Bucket = "bucket"}).BucketRegion, "us-east-1");
}

TEST_F(Buckets, ANameIsUniqueOverAllAccounts) {
  EXPECT_EQ(run(&create_bucket, {.Bucket = "bucket"}).Location, "/bucket");
  EXPECT_EQ(run(&create_bucket, {.Bucket = "bucket"}).BucketArn, "arn:aws:s3:::bucket");
  EXPECT_EQ(run(&head_bucket, {.Bucket = "bucket"}).BucketArn, "arn:aws:s3:::bucket");
  EXPECT_EQ(run(&list_buckets, {.Prefix = "b"}).Buckets->at(0).BucketArn, "arn:aws:s3:::bucket");
  EXPECT_EQ(error_of(&create_bucket, {.Bucket = "bucket"}), "");  // the caller's own bucket again, in us-east-1
  caller_.account = "222222222222";
  EXPECT_EQ(error_of(&create_bucket, {.Bucket = "bucket"}), "BucketAlreadyExists");
  EXPECT_EQ(detail("BucketName"), "bucket");
}

TEST_F(Buckets, OutsideUsEast1ARepeatedCreationIsAnError) {
  caller_.region = "eu-west-1";
  const shape::CreateBucketRequest request{
      .Bucket = "bucket", .CreateBucketConfiguration = shape::CreateBucketConfiguration{.LocationConstraint = "eu-west-1"}};
  run(&create_bucket, request);
  EXPECT_EQ(error_of(&create_bucket, request), "BucketAlreadyOwnedByYou");
}

TEST_F(Buckets, TheLocationConstraintMustFitTheEndpoint) {
  EXPECT_EQ(create_in("us-east-1", std::nullopt), "us-east-1");
  EXPECT_EQ(create_in("us-east-1", "eu-west-1"), "eu-west-1");
  EXPECT_EQ(create_in("us-east-1", "EU"), "eu-west-1");
  EXPECT_EQ(create_in("us-east-1", "us-east-1"), "InvalidLocationConstraint");
  EXPECT_EQ(create_in("us-east-1", "moon-1"), "InvalidLocationConstraint");
  EXPECT_EQ(create_in("eu-west-1", "eu-west-1"), "eu-west-1");
  EXPECT_EQ(create_in("eu-west-1", std::nullopt), "IllegalLocationConstraintException");
  EXPECT_EQ(message(), "The unspecified location constraint is incompatible for the region specific endpoint this request "
                       "was sent to.");
  EXPECT_EQ(create_in("eu-west-1", "us-west-2"), "IllegalLocationConstraintException");
  EXPECT_EQ(create_in("eu-west-1", "bar"), "IllegalLocationConstraintException");
  EXPECT_EQ(message(), "The bar location constraint is incompatible for the region specific endpoint this request was sent to.");
  EXPECT_EQ(create_in("home-1", std::nullopt), "home-1");  // a region that Amazon does not have
}

TEST_F(Buckets, UnsupportedFeaturesAreRejectedByName) {
  EXPECT_EQ(error_of(&create_bucket, {.Bucket = "bucket", .ObjectOwnership = "ObjectWriter"}), "NotImplemented");
  EXPECT_EQ(error_of(&create_bucket, {.Bucket = "bucket", .BucketNamespace = "account-regional"}), "NotImplemented");
  EXPECT_EQ(error_of(&create_bucket, {.ACL = "public-read", .Bucket = "bucket"}), "InvalidBucketAclWithObjectOwnership");
  EXPECT_EQ(error_of(&create_bucket, {.Bucket = "bucket", .GrantRead = "id=x"}), "InvalidBucketAclWithObjectOwnership");
  shape::CreateBucketConfiguration directory{.Bucket = shape::BucketInfo{.Type = "Directory"}};
  EXPECT_EQ(error_of(&create_bucket, {.Bucket = "bucket", .CreateBucketConfiguration = directory}), "NotImplemented");
  EXPECT_EQ(error_of(&create_bucket, {.ACL = "private", .Bucket = "bucket"}), "");
}

TEST_F(Buckets, CreateBucketMaySetTags) {
  shape::CreateBucketConfiguration tagged{.Tags = {{{"team", "ml"}}}};
  run(&create_bucket, {.Bucket = "bucket", .CreateBucketConfiguration = tagged});
  EXPECT_EQ(run(&get_bucket_tagging, {.Bucket = "bucket"}).TagSet, (std::vector<shape::Tag>{{"team", "ml"}}));
  tagged.Tags = {{{"a,b", "c"}}};
  EXPECT_EQ(error_of(&create_bucket, {.Bucket = "other", .CreateBucketConfiguration = tagged}), "InvalidTag");
  EXPECT_EQ(error_of(&head_bucket, {.Bucket = "other"}), "NoSuchBucket");  // the failed request left no bucket
}

TEST_F(Buckets, AnonymousCallersHaveNoBuckets) {
  caller_.account = "";
  EXPECT_EQ(error_of(&create_bucket, {.Bucket = "bucket"}), "AccessDenied");
  EXPECT_EQ(error_of(&list_buckets, {}), "AccessDenied");
}

TEST_F(Buckets, AListShowsTheAccountsBucketsInOrderAndInPages) {
  for (const char* name : {"c-1", "a-1", "b-1", "a-2"}) make_bucket(name);
  caller_.account = "222222222222";
  make_bucket("d-1");
  caller_.account = "111111111111";
  EXPECT_EQ(names(), (std::vector<std::string>{"a-1", "a-2", "b-1", "c-1"}));
  EXPECT_FALSE((*listed_.Buckets)[0].BucketRegion);
  EXPECT_EQ(listed_.Owner->ID->size(), 64u);
  EXPECT_EQ((*listed_.Buckets)[0].CreationDate, now_);
  EXPECT_EQ(names({.Prefix = "a-"}), (std::vector<std::string>{"a-1", "a-2"}));
  EXPECT_EQ((*listed_.Buckets)[0].BucketRegion, "us-east-1");
  EXPECT_EQ(names({.MaxBuckets = 3}), (std::vector<std::string>{"a-1", "a-2", "b-1"}));
  EXPECT_EQ(names({.MaxBuckets = 3, .ContinuationToken = listed_.ContinuationToken}), std::vector<std::string>{"c-1"});
  EXPECT_FALSE(listed_.ContinuationToken);
  EXPECT_EQ(names({.BucketRegion = "eu-west-1"}), std::vector<std::string>());
  EXPECT_EQ(error_of(&list_buckets, {.BucketRegion = "eu-east-1"}), "InvalidArgument");
  EXPECT_EQ(error_of(&list_buckets, {.ContinuationToken = "?"}), "InvalidArgument");
}

TEST_F(Buckets, AnAccountHasAtMostTenThousandBuckets) {
  with_call([](Call& call) {
    for (int i = 0; i < 10000; ++i) {
      call.tx.exec("INSERT INTO s3_buckets (name, account, region, created_at) VALUES ($1, $2, 'us-east-1', 0)",
                   "b" + std::to_string(i), "111111111111");
    }
  });
  EXPECT_EQ(error_of(&create_bucket, {.Bucket = "one-more"}), "TooManyBuckets");
  EXPECT_EQ(names().size(), 10000u);
  EXPECT_FALSE(listed_.ContinuationToken);
}

TEST_F(Buckets, OnlyAnEmptyBucketCanBeDeleted) {
  make_bucket();
  version("Enabled");
  put("k");
  remove("k");
  EXPECT_EQ(error_of(&delete_bucket, {.Bucket = "bucket"}), "BucketNotEmpty");
  EXPECT_EQ(message(), "The bucket you tried to delete is not empty. You must delete all versions in the bucket.");
  make_bucket("plain");
  put("k", "plain");
  EXPECT_EQ(error_of(&delete_bucket, {.Bucket = "plain"}), "BucketNotEmpty");
  EXPECT_EQ(message(), "The bucket you tried to delete is not empty");
  remove("k", "plain");
  EXPECT_EQ(error_of(&delete_bucket, {.Bucket = "plain"}), "");
  EXPECT_EQ(error_of(&delete_bucket, {.Bucket = "plain"}), "NoSuchBucket");
}

TEST_F(Buckets, UnfinishedUploadsAreDeletedWithTheirBucket) {
  make_bucket();
  const std::int64_t id = bucket().id;
  with_call([&](Call& call) {
    call.tx.exec("INSERT INTO s3_uploads (id, bucket, key, tag, initiated_at, account, headers, tags)"
                 " VALUES (7, $1, $2, 1, 0, '', '{}', '')", id, base::Blob{"k"});
    add_usage(call.tx, caller_.account, {.objects = 1});
  });
  run(&delete_bucket, {.Bucket = "bucket"});
  EXPECT_EQ(with_call([](Call& call) { return call.tx.query("SELECT count(*) FROM s3_uploads").integer(); }), 0);
}

TEST_F(Buckets, HeadBucketShowsTheRegionEvenWhereAccessIsDenied) {
  make_bucket();
  EXPECT_EQ(run(&head_bucket, {.Bucket = "bucket"}).BucketRegion, "us-east-1");
  caller_.account = "222222222222";
  EXPECT_EQ(error_of(&head_bucket, {.Bucket = "bucket"}), "AccessDenied");
  EXPECT_EQ(error_.headers().get("x-amz-bucket-region"), "us-east-1");
  EXPECT_EQ(error_of(&head_bucket, {.Bucket = "nowhere"}), "NoSuchBucket");
}

TEST_F(Buckets, TheExpectedOwnerMustBeTheOwner) {
  make_bucket();
  EXPECT_EQ(error_of(&head_bucket, {"bucket", "222222222222"}), "AccessDenied");
  EXPECT_EQ(error_of(&get_bucket_location, {"bucket", "222222222222"}), "AccessDenied");
  EXPECT_EQ(error_of(&get_bucket_location, {"bucket", "111111111111"}), "");
  EXPECT_EQ(error_of(&get_bucket_location, {"bucket", "me"}), "InvalidBucketOwnerAWSAccountID");
}

TEST_F(Buckets, TheLocationIsEmptyInUsEast1) {
  make_bucket();
  EXPECT_FALSE(run(&get_bucket_location, {.Bucket = "bucket"}).LocationConstraint);
  run(&create_bucket, {.Bucket = "west", .CreateBucketConfiguration =
                                             shape::CreateBucketConfiguration{.LocationConstraint = "us-west-2"}});
  EXPECT_EQ(run(&get_bucket_location, {.Bucket = "west"}).LocationConstraint, "us-west-2");
}

}  // namespace
}  // namespace services::s3
