// SPDX-License-Identifier: Apache-2.0
#include "services/s3/buckets/policy_operations.h"
#include "services/s3/object_fixture.h"
#include "services/s3/objects/put_object.h"

namespace services::s3 {
namespace {

using PutObject = ObjectTest;
using PutRequest = shape::PutObjectRequest;

TEST_F(PutObject, BytesComeBackWithWhatWasSaidOfThem) {
  PutRequest request{.Bucket = "bucket", .CacheControl = "no-cache", .ContentDisposition = "inline",
                  .ContentEncoding = "gzip", .ContentLanguage = "de", .ContentType = "text/plain",
                  .Expires = "some day", .Key = "a/b c", .Metadata = {{{"colour", "red"}}},
                  .StorageClass = "STANDARD_IA", .WebsiteRedirectLocation = "/elsewhere"};
  auto put = put_bytes(request, "hello");
  EXPECT_EQ(put.ETag, "\"5d41402abc4b2a76b9719d911017c592\"");
  EXPECT_EQ(put.ServerSideEncryption, "AES256");
  EXPECT_FALSE(put.VersionId);
  Got got = get("a/b c");
  EXPECT_EQ(got.bytes, "hello");
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.output.CacheControl, "no-cache");
  EXPECT_EQ(got.output.ContentDisposition, "inline");
  EXPECT_EQ(got.output.ContentEncoding, "gzip");
  EXPECT_EQ(got.output.ContentLanguage, "de");
  EXPECT_EQ(got.output.ContentType, "text/plain");
  EXPECT_EQ(got.output.Expires, "some day");
  EXPECT_EQ(got.output.Metadata->at("colour"), "red");
  EXPECT_EQ(got.output.StorageClass, "STANDARD_IA");
  EXPECT_EQ(got.output.WebsiteRedirectLocation, "/elsewhere");
  EXPECT_EQ(got.output.ContentLength, 5);
  EXPECT_EQ(got.output.LastModified, now_);
  EXPECT_EQ(got.output.ETag, put.ETag);
}

TEST_F(PutObject, WhatNobodySaidHasAmazonsDefaults) {
  put_bytes("k", "x");
  Got got = get("k");
  EXPECT_EQ(got.output.ContentType, "binary/octet-stream");
  EXPECT_EQ(got.output.AcceptRanges, "bytes");
  EXPECT_FALSE(got.output.StorageClass);
  EXPECT_FALSE(got.output.Metadata);
  EXPECT_FALSE(got.output.TagCount);
}

TEST_F(PutObject, SmallBytesAreARowAndLargeOnesAFile) {
  const std::string small(kInlineBytes, 's'), large(kInlineBytes + 1, 'l');
  put_bytes("small", small);
  put_bytes("large", large);
  put_bytes("empty", "");
  EXPECT_EQ(files_.size(), 1u);
  EXPECT_EQ(get("small").bytes, small);
  EXPECT_EQ(get("large").bytes, large);
  EXPECT_EQ(get("empty").bytes, "");
  EXPECT_EQ(get("empty").output.ETag, "\"d41d8cd98f00b204e9800998ecf8427e\"");
}

TEST_F(PutObject, AnotherTakesItsPlaceAndItsBytes) {
  put_bytes("k", std::string(100000, 'a'));
  put_bytes("k", std::string(100000, 'b'));
  EXPECT_EQ(wakes_.size(), 1u);
  EXPECT_EQ(wakes_.front().topic, kBlobSweepTopic);
  EXPECT_EQ(count("SELECT count(*) FROM s3_objects"), 1);
  EXPECT_EQ(count("SELECT count(*) FROM s3_blobs WHERE refs = 0"), 1);
  sweep();
  EXPECT_EQ(files_.size(), 1u);
  EXPECT_EQ(get("k").bytes[0], 'b');
}

TEST_F(PutObject, AwsChunkedIsNotAnObjectsEncoding) {
  put_bytes({.Bucket = "bucket", .ContentEncoding = "aws-chunked", .Key = "a"}, "x");
  put_bytes({.Bucket = "bucket", .ContentEncoding = "gzip, aws-chunked", .Key = "b"}, "x");
  EXPECT_FALSE(head("a").ContentEncoding);
  EXPECT_EQ(head("b").ContentEncoding, "gzip");
}

TEST_F(PutObject, LimitsAreAmazons) {
  EXPECT_EQ(error_of([&] { put_bytes(std::string(1025, 'k'), "x"); }), "KeyTooLongError");
  EXPECT_EQ(detail("Size"), "1025");
  EXPECT_EQ(detail("MaxSizeAllowed"), "1024");
  put_bytes(std::string(1024, 'k'), "x");
  PutRequest request{.Bucket = "bucket", .Key = "k", .Metadata = {{{"name", std::string(2044, 'v')}}}};
  put_bytes(request, "x");
  request.Metadata->at("name") += "v";
  EXPECT_EQ(error_of([&] { put_bytes(request, "x"); }), "MetadataTooLarge");
  EXPECT_EQ(detail("MaxSizeAllowed"), "2048");
  const Spool spool = spool_of([](ObjectCall& call) { prepare_put_object(call, {.Bucket = "bucket", .Key = "k"}); });
  EXPECT_EQ(spool.max_bytes, 5368709120u);
}

TEST_F(PutObject, WhatThereIsNotIsRefusedByName) {
  auto error = [&](auto change) {
    PutRequest request{.Bucket = "bucket", .Key = "k"};
    change(request);
    return error_of([&] { put_bytes(request, "x"); });
  };
  EXPECT_EQ(error([](PutRequest& r) { r.SSECustomerAlgorithm = "AES256"; }), "NotImplemented");
  EXPECT_NE(message().find("SSE-C"), std::string::npos);
  EXPECT_EQ(error([](PutRequest& r) { r.ServerSideEncryption = "aws:kms"; }), "NotImplemented");
  EXPECT_NE(message().find("aws:kms"), std::string::npos);
  EXPECT_EQ(error([](PutRequest& r) { r.ServerSideEncryption = "AES256"; }), "");
  EXPECT_EQ(error([](PutRequest& r) { r.SSEKMSKeyId = "key"; }), "InvalidArgument");
  EXPECT_EQ(error([](PutRequest& r) { r.BucketKeyEnabled = true; }), "NotImplemented");
  EXPECT_EQ(error([](PutRequest& r) { r.StorageClass = "GLACIER"; }), "InvalidStorageClass");
  EXPECT_EQ(detail("StorageClassRequested"), "GLACIER");
  EXPECT_EQ(error([](PutRequest& r) { r.StorageClass = "OUTPOSTS"; }), "InvalidStorageClass");
  EXPECT_EQ(message(), "The storage class you specified is not valid");
  EXPECT_EQ(error([](PutRequest& r) { r.ObjectLockMode = "GOVERNANCE"; }), "InvalidRequest");
  EXPECT_EQ(error([](PutRequest& r) { r.WriteOffsetBytes = 3; }), "NotImplemented");
  EXPECT_EQ(error([](PutRequest& r) { r.WebsiteRedirectLocation = "ftp://x"; }), "InvalidRedirectLocation");
  EXPECT_EQ(error([](PutRequest& r) { r.ChecksumXXHASH3 = "x"; }), "NotImplemented");
}

TEST_F(PutObject, AclsThatSayWhatIsSoAnywayAreFine) {
  auto error = [&](auto change) {
    PutRequest request{.Bucket = "bucket", .Key = "k"};
    change(request);
    return error_of([&] { put_bytes(request, "x"); });
  };
  EXPECT_EQ(error([](PutRequest& r) { r.ACL = "private"; }), "");
  EXPECT_EQ(error([](PutRequest& r) { r.ACL = "bucket-owner-full-control"; }), "");
  EXPECT_EQ(error([](PutRequest& r) { r.ACL = "public-read"; }), "AccessControlListNotSupported");
  EXPECT_EQ(message(), "The bucket does not allow ACLs");
  EXPECT_EQ(error([](PutRequest& r) { r.GrantRead = "id=x"; }), "AccessControlListNotSupported");
  EXPECT_EQ(error([](PutRequest& r) { r.GrantFullControl = "id=\"" + canonical_id("111111111111") + "\""; }), "");
  EXPECT_EQ(error([](PutRequest& r) { r.GrantFullControl = "id=x"; }), "AccessControlListNotSupported");
}

TEST_F(PutObject, OnlyWhereThereIsNone) {
  PutRequest request{.Bucket = "bucket", .IfNoneMatch = "*", .Key = "k"};
  put_bytes(request, "first");
  EXPECT_EQ(error_of([&] { put_bytes(request, "second"); }), "PreconditionFailed");
  EXPECT_EQ(detail("Condition"), "If-None-Match");
  EXPECT_EQ(get("k").bytes, "first");
  request.IfNoneMatch = "\"etag\"";
  EXPECT_EQ(error_of([&] { put_bytes(request, "x"); }), "NotImplemented");
}

TEST_F(PutObject, OnlyInTheStateOfTheObjectThatIsNamed) {
  PutRequest request{.Bucket = "bucket", .IfMatch = "\"5d41402abc4b2a76b9719d911017c592\"", .Key = "k"};
  EXPECT_EQ(error_of([&] { put_bytes(request, "x"); }), "NoSuchKey");
  put_bytes("k", "hello");
  put_bytes(request, "second");
  EXPECT_EQ(error_of([&] { put_bytes(request, "third"); }), "PreconditionFailed");
  EXPECT_EQ(detail("Condition"), "If-Match");
  EXPECT_EQ(get("k").bytes, "second");
  request.IfMatch = "a9f0e61a137d86aa9db53465e0801612\"";  // one quote of two, as Amazon takes it
  put_bytes(request, "fourth");
  EXPECT_EQ(get("k").bytes, "fourth");
  request.IfMatch = "*";
  EXPECT_EQ(error_of([&] { put_bytes(request, "x"); }), "NotImplemented");
}

// The condition is looked at again where it counts: after the body, in the transaction.
TEST_F(PutObject, OfTwoWritersOnlyOneIsTheFirst) {
  PutRequest request{.Bucket = "bucket", .IfNoneMatch = "*", .Key = "k"};
  EXPECT_EQ(error_of([&] {
              send(&prepare_put_object, &put_object, request, "late", {}, [&] { put_bytes(request, "early"); });
            }),
            "PreconditionFailed");
  EXPECT_EQ(get("k").bytes, "early");
}

TEST_F(PutObject, StrangersNeedTheBucketsPolicy) {
  caller_.account = "222222222222";
  EXPECT_EQ(error_of([&] { put_bytes("k", "x"); }), "AccessDenied");
  caller_.account = "111111111111";
  PutRequest request{.Bucket = "bucket", .Key = "k", .ExpectedBucketOwner = "222222222222"};
  EXPECT_EQ(error_of([&] { put_bytes(request, "x"); }), "AccessDenied");
  EXPECT_EQ(error_of([&] { put_bytes(PutRequest{.Bucket = "nowhere", .Key = "k"}, "x"); }), "NoSuchBucket");
  run(&put_bucket_policy, {.Bucket = "bucket", .Policy = R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow",
      "Principal":{"AWS":"222222222222"},"Action":"s3:PutObject","Resource":"arn:aws:s3:::bucket/in/*"}]})"});
  caller_.account = "222222222222";
  EXPECT_EQ(error_of([&] { put_bytes("out/k", "x"); }), "AccessDenied");
  EXPECT_EQ(error_of([&] { put_bytes("in/k", "x"); }), "");
  // Tags are another action.
  PutRequest tagged{.Bucket = "bucket", .Key = "in/k", .Tagging = "a=b"};
  EXPECT_EQ(error_of([&] { put_bytes(tagged, "x"); }), "AccessDenied");
}

TEST_F(PutObject, PoliciesSeeWhatTheRequestSays) {
  run(&put_bucket_policy, {.Bucket = "bucket", .Policy = R"({"Version":"2012-10-17","Statement":[{"Effect":"Deny",
      "Principal":"*","Action":"s3:PutObject","Resource":"arn:aws:s3:::bucket/*",
      "Condition":{"StringNotEquals":{"s3:x-amz-server-side-encryption":"AES256"}}}]})"});
  EXPECT_EQ(error_of([&] { put_bytes("k", "x"); }), "AccessDenied");
  PutRequest request{.Bucket = "bucket", .Key = "k", .ServerSideEncryption = "AES256"};
  EXPECT_EQ(error_of([&] { put_bytes(request, "x"); }), "");
}

}  // namespace
}  // namespace services::s3
