// SPDX-License-Identifier: Apache-2.0
#include "services/s3/buckets/bucket_settings.h"
#include "services/s3/buckets/policy_operations.h"
#include "services/s3/object_fixture.h"
#include "services/s3/objects/copy_object.h"
#include "services/s3/objects/copy_source.h"
#include "services/s3/objects/delete_objects.h"
#include "services/s3/objects/get_object.h"
#include "services/s3/objects/object_tagging.h"

namespace services::s3 {
namespace {

class CopyObject : public ObjectTest {
 protected:
  using Request = shape::CopyObjectRequest;

  shape::CopyObjectOutput copy(const Request& request, const std::function<void()>& between = {}) {
    return send(&prepare_copy_object, &copy_object, request, "", {}, between);
  }
  std::string copy_error(const Request& request) {
    return error_of([&] { copy(request); });
  }
  // An object that came in two parts.
  std::string put_in_parts(const std::string& key) {
    const std::string first(5 << 20, 'p'), second = "end";
    const std::string upload = create(key);
    complete(key, upload, {part(key, upload, 1, first), part(key, upload, 2, second)});
    return first + second;
  }
};

TEST_F(CopyObject, BytesAreSharedNotCopied) {
  const std::string bytes(100000, 'x');
  put_bytes(shape::PutObjectRequest{.Bucket = "bucket", .ContentType = "text/plain", .Key = "a", .Metadata = {{{"m", "1"}}},
                                    .StorageClass = "STANDARD_IA", .WebsiteRedirectLocation = "/x", .Tagging = "t=1"},
            bytes);
  make_bucket("other");
  advance(std::chrono::seconds(5));
  auto output = copy({.Bucket = "other", .CopySource = "/bucket/a", .Key = "b"});
  EXPECT_EQ(output.CopyObjectResult->ETag, head("a").ETag);
  EXPECT_EQ(output.CopyObjectResult->LastModified, now_);
  EXPECT_TRUE(output.CopyObjectResult->ChecksumCRC64NVME);
  EXPECT_EQ(output.CopyObjectResult->ChecksumType, "FULL_OBJECT");
  EXPECT_EQ(files_.size(), 1u);
  run(&delete_object, {.Bucket = "bucket", .Key = "a"});
  Got got = get(shape::GetObjectRequest{.Bucket = "other", .Key = "b"});
  EXPECT_EQ(got.bytes, bytes);
  EXPECT_EQ(got.output.ContentType, "text/plain");
  EXPECT_EQ(got.output.Metadata->at("m"), "1");
  EXPECT_EQ(got.output.TagCount, 1);
  // These two are not copied.
  EXPECT_FALSE(got.output.StorageClass);
  EXPECT_FALSE(got.output.WebsiteRedirectLocation);
}

TEST_F(CopyObject, WhatIsSaidOfItMayBeReplaced) {
  put_bytes(shape::PutObjectRequest{.Bucket = "bucket", .ContentType = "text/plain", .Key = "a", .Metadata = {{{"m", "1"}}},
                                    .Tagging = "t=1"},
            "x");
  copy({.Bucket = "bucket", .CopySource = "bucket/a", .Key = "b", .Metadata = {{{"n", "2"}}}, .MetadataDirective = "REPLACE",
        .TaggingDirective = "REPLACE", .Tagging = "u=2&v="});
  EXPECT_EQ(head("b").ContentType, "binary/octet-stream");
  EXPECT_EQ(head("b").Metadata, (std::map<std::string, std::string>{{"n", "2"}}));
  EXPECT_EQ(run(&get_object_tagging, {.Bucket = "bucket", .Key = "b"}).TagSet,
            (std::vector<shape::Tag>{{"u", "2"}, {"v", ""}}));
}

TEST_F(CopyObject, OntoItselfSomethingHasToChange) {
  put_bytes("a", "x");
  EXPECT_EQ(copy_error({.Bucket = "bucket", .CopySource = "bucket/a", .Key = "a"}), "InvalidRequest");
  EXPECT_NE(message().find("trying to copy an object to itself"), std::string::npos);
  // Whatever it was before.
  EXPECT_EQ(copy_error({.Bucket = "bucket", .CopySource = "bucket/a", .Key = "a", .StorageClass = "STANDARD"}), "");
  EXPECT_EQ(copy_error({.Bucket = "bucket", .CopySource = "bucket/a", .Key = "a", .StorageClass = "ONEZONE_IA"}), "");
  EXPECT_EQ(head("a").StorageClass, "ONEZONE_IA");
  EXPECT_EQ(copy_error({.Bucket = "bucket", .CopySource = "bucket/a", .Key = "a", .Metadata = {{{"n", "2"}}},
                        .MetadataDirective = "REPLACE"}),
            "");
  EXPECT_EQ(head("a").Metadata->at("n"), "2");
  EXPECT_EQ(get("a").bytes, "x");
}

TEST_F(CopyObject, OntoItselfABucketsEncryptionIsChangeEnough) {
  put_bytes("a", "x");
  const shape::ServerSideEncryptionRule rule{.ApplyServerSideEncryptionByDefault = shape::ServerSideEncryptionByDefault{"AES256"}};
  run(&put_bucket_encryption, {.Bucket = "bucket", .ServerSideEncryptionConfiguration = {{rule}}});
  EXPECT_EQ(copy_error({.Bucket = "bucket", .CopySource = "bucket/a", .Key = "a"}), "");
}

TEST_F(CopyObject, ANullVersionIsToldOfTheCopyAndNotOfItsSource) {
  put_bytes("a", "x");
  version("Suspended");
  auto output = copy({.Bucket = "bucket", .CopySource = "bucket/a", .Key = "b"});
  EXPECT_EQ(output.VersionId, "null");
  EXPECT_FALSE(output.CopySourceVersionId);
  version("Enabled");
  output = copy({.Bucket = "bucket", .CopySource = "bucket/a", .Key = "b"});
  EXPECT_NE(output.VersionId.value_or("null"), "null");
  EXPECT_FALSE(output.CopySourceVersionId);
}

TEST_F(CopyObject, AnOlderVersionMayBecomeTheLatest) {
  version("Enabled");
  const std::string first = *put_bytes("a", "first").VersionId;
  put_bytes("a", "second");
  auto output = copy({.Bucket = "bucket", .CopySource = "bucket/a?versionId=" + first, .Key = "a"});
  EXPECT_EQ(output.CopySourceVersionId, first);
  EXPECT_NE(output.VersionId, first);
  EXPECT_EQ(get("a").bytes, "first");
}

TEST_F(CopyObject, OneThatCameInPartsGetsAnEtagOfItsOwn) {
  const std::string bytes = put_in_parts("a");
  EXPECT_TRUE(head("a").ETag->ends_with("-2\""));
  auto output = copy({.Bucket = "bucket", .CopySource = "bucket/a", .Key = "b"});
  EXPECT_EQ(output.CopyObjectResult->ETag, '"' + base::to_hex(base::md5(bytes)) + '"');
  EXPECT_EQ(get("b").bytes, bytes);
  EXPECT_EQ(output.CopyObjectResult->ChecksumCRC64NVME,
            run(&head_object, {.Bucket = "bucket", .Key = "a", .ChecksumMode = "ENABLED"}).ChecksumCRC64NVME);
}

TEST_F(CopyObject, ASourceThatChangedMeanwhileMakesTheClientComeAgain) {
  const std::string bytes = put_in_parts("a");
  EXPECT_EQ(error_of([&] {
              copy({.Bucket = "bucket", .CopySource = "bucket/a", .Key = "b"}, [&] { put_in_parts("a"); });
            }),
            "SlowDown");
  // From parts to one, whose bytes would not be needed, and back.
  EXPECT_EQ(error_of([&] {
              copy({.Bucket = "bucket", .CopySource = "bucket/a", .Key = "b"}, [&] { put_bytes("a", "small"); });
            }),
            "SlowDown");
  EXPECT_EQ(error_of([&] {
              copy({.Bucket = "bucket", .CopySource = "bucket/a", .Key = "b"}, [&] { put_in_parts("a"); });
            }),
            "SlowDown");
  EXPECT_EQ(error_of([&] { get("b"); }), "NoSuchKey");
}

TEST_F(CopyObject, AnotherChecksumIsComputed) {
  put_bytes("a", "hello");
  auto output = copy({.Bucket = "bucket", .ChecksumAlgorithm = "SHA1", .CopySource = "bucket/a", .Key = "b"});
  EXPECT_EQ(output.CopyObjectResult->ChecksumSHA1, base::to_base64(base::sha1("hello")));
  EXPECT_FALSE(output.CopyObjectResult->ChecksumCRC64NVME);
  EXPECT_EQ(get("b").bytes, "hello");
}

TEST_F(CopyObject, ConditionsAreOfTheSourceAndOfTheDestination) {
  put_bytes("a", "hello");
  const std::string etag = *head("a").ETag;
  Request request{.Bucket = "bucket", .CopySource = "bucket/a", .CopySourceIfMatch = "\"x\"", .Key = "b"};
  EXPECT_EQ(copy_error(request), "PreconditionFailed");
  EXPECT_EQ(detail("Condition"), "x-amz-copy-source-If-Match");
  request.CopySourceIfMatch = etag;
  request.CopySourceIfUnmodifiedSince = now_ - std::chrono::hours(1);
  EXPECT_EQ(copy_error(request), "");
  EXPECT_EQ(copy_error({.Bucket = "bucket", .CopySource = "bucket/a", .CopySourceIfNoneMatch = etag, .Key = "b"}), "PreconditionFailed");
  EXPECT_EQ(copy_error({.Bucket = "bucket", .CopySource = "bucket/a", .CopySourceIfModifiedSince = now_, .Key = "b"}), "PreconditionFailed");
  EXPECT_EQ(copy_error({.Bucket = "bucket", .CopySource = "bucket/a", .IfNoneMatch = "*", .Key = "b"}), "PreconditionFailed");
  EXPECT_EQ(copy_error({.Bucket = "bucket", .CopySource = "bucket/a", .IfMatch = "\"x\"", .Key = "b"}), "PreconditionFailed");
  EXPECT_EQ(copy_error({.Bucket = "bucket", .CopySource = "bucket/a", .IfMatch = etag, .Key = "b"}), "");
}

TEST_F(CopyObject, BothEndsAreForThoseWhoMay) {
  put_bytes("a", "x");
  caller_.account = "222222222222";
  make_bucket("theirs");
  EXPECT_EQ(copy_error({.Bucket = "theirs", .CopySource = "bucket/a", .Key = "b"}), "AccessDenied");
  caller_.account = "111111111111";
  EXPECT_EQ(copy_error({.Bucket = "theirs", .CopySource = "bucket/a", .Key = "b"}), "AccessDenied");
  run(&put_bucket_policy, {.Bucket = "bucket", .Policy = R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow",
      "Principal":{"AWS":"222222222222"},"Action":"s3:GetObject","Resource":"arn:aws:s3:::bucket/*"}]})"});
  caller_.account = "222222222222";
  EXPECT_EQ(copy_error({.Bucket = "theirs", .CopySource = "bucket/a", .Key = "b"}), "");
  EXPECT_EQ(copy_error({.Bucket = "theirs", .CopySource = "bucket/a", .Key = "b", .ExpectedSourceBucketOwner = "222222222222"}),
            "AccessDenied");
}

TEST_F(CopyObject, WhatIsNotThereCanNotBeCopied) {
  EXPECT_EQ(copy_error({.Bucket = "bucket", .CopySource = "bucket/a", .Key = "b"}), "NoSuchKey");
  EXPECT_EQ(copy_error({.Bucket = "bucket", .CopySource = "nowhere/a", .Key = "b"}), "NoSuchBucket");
  version("Enabled");
  put_bytes("a", "x");
  const std::string marker = *run(&delete_object, {.Bucket = "bucket", .Key = "a"}).VersionId;
  EXPECT_EQ(copy_error({.Bucket = "bucket", .CopySource = "bucket/a", .Key = "b"}), "NoSuchKey");
  EXPECT_EQ(copy_error({.Bucket = "bucket", .CopySource = "bucket/a?versionId=" + marker, .Key = "b"}), "InvalidRequest");
  EXPECT_EQ(copy_error({.Bucket = "bucket", .CopySource = "bucket/a?versionId=" + std::string(32, '0'), .Key = "b"}),
            "NoSuchVersion");
}

TEST_F(CopyObject, FiveGibibytesAreTheMost) {
  put("huge", "bucket", (5ll << 30) + 1);
  EXPECT_EQ(copy_error({.Bucket = "bucket", .CopySource = "bucket/huge", .Key = "b"}), "InvalidRequest");
  EXPECT_NE(message().find("5368709120"), std::string::npos);
}

TEST_F(CopyObject, SourcesAreReadAsClientsWriteThem) {
  auto source = parse_copy_source("bucket/a%20b%2Bc/d?versionId=null");
  EXPECT_EQ(source.bucket, "bucket");
  EXPECT_EQ(source.key, "a b+c/d");
  EXPECT_EQ(source.version, "null");
  EXPECT_EQ(parse_copy_source("%2Fbucket%2Fk").key, "k");
  EXPECT_EQ(parse_copy_source("/bucket//k").key, "/k");
  EXPECT_FALSE(parse_copy_source("bucket/k%3FversionId=x").version);
  for (const char* text : {"", "/", "bucket", "bucket/", "/bucket", "//key", "bucket/%zz", "bucket/%ff"}) {
    EXPECT_EQ(error_of([&] { parse_copy_source(text); }), "InvalidArgument") << text;
  }
  EXPECT_EQ(message(), "Invalid copy source object key");
  EXPECT_EQ(detail("ArgumentValue"), "x-amz-copy-source");
  EXPECT_EQ(error_of([&] { parse_copy_source("bucket/k?versionId="); }), "InvalidArgument");
  EXPECT_EQ(error_of([&] { parse_copy_source("arn:aws:s3:us-east-1:1:accesspoint/x/object/k"); }), "NotImplemented");
}

}  // namespace
}  // namespace services::s3
