// SPDX-License-Identifier: Apache-2.0
#include "services/s3/buckets/policy_operations.h"
#include "services/s3/object_fixture.h"
#include "services/s3/objects/delete_objects.h"
#include "services/s3/objects/get_object.h"
#include "wire/timestamp.h"

namespace services::s3 {
namespace {

using GetObject = ObjectTest;
using GetRequest = shape::GetObjectRequest;

constexpr char kEtag[] = "\"5d41402abc4b2a76b9719d911017c592\"";  // of "hello"

TEST_F(GetObject, ARangeIsAnsweredWith206) {
  put_bytes("k", "hello");
  Got got = get(GetRequest{.Bucket = "bucket", .Key = "k", .Range = "bytes=1-3"});
  EXPECT_EQ(got.bytes, "ell");
  EXPECT_EQ(got.status, 206);
  EXPECT_EQ(got.output.ContentRange, "bytes 1-3/5");
  EXPECT_EQ(got.output.ContentLength, 3);
  EXPECT_EQ(get(GetRequest{.Bucket = "bucket", .Key = "k", .Range = "bytes=3-"}).bytes, "lo");
  EXPECT_EQ(get(GetRequest{.Bucket = "bucket", .Key = "k", .Range = "bytes=-2"}).bytes, "lo");
  EXPECT_EQ(get(GetRequest{.Bucket = "bucket", .Key = "k", .Range = "bytes=0-100"}).bytes, "hello");
}

TEST_F(GetObject, DamagedBytesAreNotDelivered) {
  put_bytes("k", "hello");
  for (const char* damaged : {"hallo", "hell", "hello!", ""}) {
    store_->write_now([&](store::Tx& tx) { tx.exec("UPDATE s3_blobs SET bytes = $1", store::BlobView{damaged}); });
    EXPECT_EQ(error_of([&] { get(GetRequest{.Bucket = "bucket", .Key = "k"}); }), "InternalError") << damaged;
    EXPECT_EQ(error_of([&] { get(GetRequest{.Bucket = "bucket", .Key = "k", .Range = "bytes=0-0"}); }), "InternalError");
  }
  store_->write_now([&](store::Tx& tx) { tx.exec("UPDATE s3_blobs SET bytes = $1", store::BlobView{"hello"}); });
  EXPECT_EQ(get(GetRequest{.Bucket = "bucket", .Key = "k"}).bytes, "hello");
}

TEST_F(GetObject, AnInvalidRangeReturnsTheWholeObject) {
  put_bytes("k", "hello");
  for (const char* range : {"bytes=0-1,3-4", "lines=1-2", "bytes=3-1", "bytes=x-", "bytes", "bytes=-"}) {
    Got got = get(GetRequest{.Bucket = "bucket", .Key = "k", .Range = range});
    EXPECT_EQ(got.bytes, "hello") << range;
    EXPECT_EQ(got.status, 200) << range;
  }
}

TEST_F(GetObject, ARangeBeyondTheEndIs416) {
  put_bytes("k", "hello");
  put_bytes("empty", "");
  EXPECT_EQ(error_of([&] { get(GetRequest{.Bucket = "bucket", .Key = "k", .Range = "bytes=5-9"}); }), "InvalidRange");
  EXPECT_EQ(detail("ActualObjectSize"), "5");
  EXPECT_EQ(detail("RangeRequested"), "bytes=5-9");
  EXPECT_EQ(error_of([&] { get(GetRequest{.Bucket = "bucket", .Key = "k", .Range = "bytes=-0"}); }), "InvalidRange");
  EXPECT_EQ(error_of([&] { get(GetRequest{.Bucket = "bucket", .Key = "empty", .Range = "bytes=0-"}); }), "InvalidRange");
  EXPECT_EQ(error_of([&] { get(GetRequest{.Bucket = "bucket", .Key = "empty", .Range = "bytes=-1"}); }), "InvalidRange");
}

TEST_F(GetObject, HeadHasTheSameHeadersWithoutBytes) {
  put_bytes("k", "hello");
  auto output = run(&head_object, {.Bucket = "bucket", .Key = "k", .Range = "bytes=1-3"});
  EXPECT_EQ(status_, 206);
  EXPECT_EQ(output.ContentLength, 3);
  EXPECT_EQ(output.ContentRange, "bytes 1-3/5");
  EXPECT_EQ(output.ETag, kEtag);
}

TEST_F(GetObject, AnUnchangedObjectIsNotSentAgain) {
  put_bytes(shape::PutObjectRequest{.Bucket = "bucket", .CacheControl = "max-age=1", .Key = "k"}, "hello");
  EXPECT_EQ(error_of([&] { get(GetRequest{.Bucket = "bucket", .IfNoneMatch = kEtag, .Key = "k"}); }), "NotModified");
  EXPECT_EQ(header("ETag"), kEtag);
  EXPECT_EQ(header("Last-Modified"), wire::to_rfc822(now_));
  EXPECT_EQ(header("Cache-Control"), "max-age=1");
  EXPECT_EQ(error_of([&] { get(GetRequest{.Bucket = "bucket", .IfNoneMatch = "\"x\", W/" + std::string(kEtag), .Key = "k"}); }),
            "NotModified");
  EXPECT_EQ(error_of([&] { get(GetRequest{.Bucket = "bucket", .IfModifiedSince = now_, .Key = "k"}); }), "NotModified");
  EXPECT_EQ(get(GetRequest{.Bucket = "bucket", .IfNoneMatch = "\"x\"", .Key = "k"}).bytes, "hello");
  EXPECT_EQ(get(GetRequest{.Bucket = "bucket", .IfModifiedSince = now_ - std::chrono::seconds(1), .Key = "k"}).bytes,
            "hello");
}

TEST_F(GetObject, AFailedIfMatchIsPreconditionFailed) {
  put_bytes("k", "hello");
  EXPECT_EQ(error_of([&] { get(GetRequest{.Bucket = "bucket", .IfMatch = "\"x\"", .Key = "k"}); }), "PreconditionFailed");
  EXPECT_EQ(detail("Condition"), "If-Match");
  const base::Time before = now_ - std::chrono::seconds(1);
  EXPECT_EQ(error_of([&] { get(GetRequest{.Bucket = "bucket", .IfUnmodifiedSince = before, .Key = "k"}); }),
            "PreconditionFailed");
  EXPECT_EQ(detail("Condition"), "If-Unmodified-Since");
  EXPECT_EQ(get(GetRequest{.Bucket = "bucket", .IfUnmodifiedSince = now_, .Key = "k"}).bytes, "hello");
  EXPECT_EQ(get(GetRequest{.Bucket = "bucket", .IfMatch = "*", .Key = "k"}).bytes, "hello");
}

TEST_F(GetObject, EtagsTakePrecedenceOverDates) {
  put_bytes("k", "hello");
  const base::Time before = now_ - std::chrono::seconds(1);
  EXPECT_EQ(get(GetRequest{.Bucket = "bucket", .IfMatch = kEtag, .IfUnmodifiedSince = before, .Key = "k"}).bytes, "hello");
  EXPECT_EQ(error_of([&] {
              get(GetRequest{.Bucket = "bucket", .IfModifiedSince = before, .IfNoneMatch = kEtag, .Key = "k"});
            }),
            "NotModified");
  EXPECT_EQ(get(GetRequest{.Bucket = "bucket", .IfModifiedSince = now_, .IfNoneMatch = "\"x\"", .Key = "k"}).bytes, "hello");
}

TEST_F(GetObject, DatesAreComparedInWholeSeconds) {
  now_ += std::chrono::milliseconds(300);
  put_bytes("k", "hello");
  const base::Time second = base::from_seconds(base::to_seconds(now_));
  EXPECT_EQ(error_of([&] { get(GetRequest{.Bucket = "bucket", .IfModifiedSince = second, .Key = "k"}); }), "NotModified");
  EXPECT_EQ(get(GetRequest{.Bucket = "bucket", .IfUnmodifiedSince = second, .Key = "k"}).bytes, "hello");
}

TEST_F(GetObject, ATimeInTheFutureIsIgnored) {
  put_bytes("k", "hello");
  const base::Time later = now_ + std::chrono::hours(1);
  EXPECT_EQ(get(GetRequest{.Bucket = "bucket", .IfModifiedSince = later, .Key = "k"}).bytes, "hello");
  EXPECT_EQ(get(GetRequest{.Bucket = "bucket", .IfUnmodifiedSince = later, .Key = "k"}).bytes, "hello");
}

TEST_F(GetObject, ASignedRequestMayOverrideResponseHeaders) {
  put_bytes("k", "hello");
  GetRequest request{.Bucket = "bucket", .Key = "k", .ResponseCacheControl = "a", .ResponseContentDisposition = "b",
                  .ResponseContentEncoding = "c", .ResponseContentLanguage = "d", .ResponseContentType = "e",
                  .ResponseExpires = "one day"};
  auto output = get(request).output;
  EXPECT_EQ(output.CacheControl, "a");
  EXPECT_EQ(output.ContentDisposition, "b");
  EXPECT_EQ(output.ContentEncoding, "c");
  EXPECT_EQ(output.ContentLanguage, "d");
  EXPECT_EQ(output.ContentType, "e");
  EXPECT_EQ(output.Expires, "one day");
  caller_.account = "";
  EXPECT_EQ(error_of([&] { get(request); }), "InvalidRequest");
}

TEST_F(GetObject, PartOneOfAnObjectWithoutPartsIsTheWholeObject) {
  put_bytes("k", "hello");
  Got got = get(GetRequest{.Bucket = "bucket", .Key = "k", .PartNumber = 1});
  EXPECT_EQ(got.bytes, "hello");
  EXPECT_EQ(got.status, 206);
  EXPECT_FALSE(got.output.PartsCount);
  EXPECT_EQ(error_of([&] { get(GetRequest{.Bucket = "bucket", .Key = "k", .PartNumber = 2}); }), "InvalidPartNumber");
  EXPECT_EQ(error_of([&] { get(GetRequest{.Bucket = "bucket", .Key = "k", .PartNumber = 0}); }), "InvalidArgument");
  EXPECT_EQ(error_of([&] { get(GetRequest{.Bucket = "bucket", .Key = "k", .Range = "bytes=0-", .PartNumber = 1}); }),
            "InvalidRequest");
}

TEST_F(GetObject, APartHasAChecksumWhereTheObjectsIsComposite) {
  const std::string first(5 << 20, 'x');
  auto part = [&](const std::string& key, std::int32_t number) {
    return get(GetRequest{.Bucket = "bucket", .Key = key, .PartNumber = number, .ChecksumMode = "ENABLED"}).output;
  };
  put_in_parts("made", "SHA256", {first, "end"});
  EXPECT_EQ(part("made", 2).ChecksumSHA256, base::to_base64(base::sha256("end")));
  EXPECT_EQ(part("made", 2).ChecksumType, "COMPOSITE");
  put_in_parts("one", "SHA256", {"end"});
  EXPECT_EQ(part("one", 1).ChecksumSHA256, base::to_base64(base::sha256("end")));
  put_in_parts("whole", std::nullopt, {first, "end"});
  EXPECT_FALSE(part("whole", 2).ChecksumCRC64NVME);
  EXPECT_FALSE(part("whole", 2).ChecksumType);
  put_in_parts("alone", std::nullopt, {"end"});
  EXPECT_TRUE(part("alone", 1).ChecksumCRC64NVME);
}

TEST_F(GetObject, WithoutListAccessAMissingKeyIsAccessDenied) {
  put_bytes("there", "x");
  EXPECT_EQ(error_of([&] { get("missing"); }), "NoSuchKey");
  EXPECT_EQ(detail("Key"), "missing");
  run(&put_bucket_policy, {.Bucket = "bucket", .Policy = R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow",
      "Principal":{"AWS":"222222222222"},"Action":"s3:GetObject","Resource":"arn:aws:s3:::bucket/*"}]})"});
  caller_.account = "222222222222";
  EXPECT_EQ(get("there").bytes, "x");
  EXPECT_EQ(error_of([&] { get("missing"); }), "AccessDenied");
  EXPECT_EQ(error_of([&] { head("missing"); }), "AccessDenied");
}

TEST_F(GetObject, PoliciesMayHaveConditionsOnTags) {
  put_bytes(shape::PutObjectRequest{.Bucket = "bucket", .Key = "open", .Tagging = "access=public"}, "x");
  put_bytes("closed", "x");
  run(&put_bucket_policy, {.Bucket = "bucket", .Policy = R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow",
      "Principal":{"AWS":"222222222222"},"Action":"s3:GetObject","Resource":"arn:aws:s3:::bucket/*",
      "Condition":{"StringEquals":{"s3:ExistingObjectTag/access":"public"}}}]})"});
  caller_.account = "222222222222";
  EXPECT_EQ(get("open").bytes, "x");
  EXPECT_FALSE(get("open").output.TagCount);  // needs access to the tags
  EXPECT_EQ(error_of([&] { get("closed"); }), "AccessDenied");
}

TEST_F(GetObject, ADeleteMarkerHasAmazonsErrors) {
  version("Enabled");
  put_bytes("k", "hello");
  auto deleted = run(&delete_object, {.Bucket = "bucket", .Key = "k"});
  EXPECT_EQ(error_of([&] { get("k"); }), "NoSuchKey");
  EXPECT_EQ(header("x-amz-delete-marker"), "true");
  EXPECT_EQ(header("x-amz-version-id"), *deleted.VersionId);
  EXPECT_EQ(error_of([&] { get_version("k", *deleted.VersionId); }), "MethodNotAllowed");
  EXPECT_EQ(header("x-amz-delete-marker"), "true");
  EXPECT_EQ(header("Allow"), "DELETE");
}

TEST_F(GetObject, InvalidAndMissingVersionsHaveDifferentErrors) {
  put_bytes("k", "hello");
  EXPECT_EQ(error_of([&] { get_version("k", "nonsense"); }), "InvalidArgument");
  EXPECT_EQ(message(), "Invalid version id specified");
  EXPECT_EQ(error_of([&] { get_version("k", ""); }), "InvalidArgument");
  EXPECT_EQ(error_of([&] { get_version("k", std::string(32, '0')); }), "NoSuchVersion");
  EXPECT_EQ(get_version("k", "null"), "hello");
  EXPECT_EQ(error_of([&] { get_version("other", "null"); }), "NoSuchVersion");
}

TEST_F(GetObject, CustomerProvidedKeysAreRejected) {
  put_bytes("k", "hello");
  EXPECT_EQ(error_of([&] { get(GetRequest{.Bucket = "bucket", .Key = "k", .SSECustomerAlgorithm = "AES256"}); }),
            "InvalidRequest");
}

}  // namespace
}  // namespace services::s3
