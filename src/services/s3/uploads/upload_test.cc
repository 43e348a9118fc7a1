// SPDX-License-Identifier: Apache-2.0
#include "services/s3/uploads/upload_row.h"

#include "services/s3/buckets/policy_operations.h"
#include "services/s3/object_fixture.h"
#include "services/s3/uploads/complete_upload.h"
#include "services/s3/uploads/create_upload.h"
#include "services/s3/uploads/list_parts.h"
#include "services/s3/uploads/list_uploads.h"
#include "services/s3/uploads/upload_part.h"
#include "services/s3/uploads/upload_part_copy.h"

namespace services::s3 {
namespace {

const std::string kFull(5 << 20, 'f');  // the least that a part but the last may be

class Uploads : public ObjectTest {
 protected:
  using Create = shape::CreateMultipartUploadRequest;
  using Part = shape::UploadPartRequest;
  using Complete = shape::CompleteMultipartUploadRequest;

  std::string complete_error(const Complete& request) { return error_of(&complete_multipart_upload, request); }
  shape::UploadPartOutput send_part(const Part& request, const std::string& bytes, base::Headers trailers = {}) {
    return send(&prepare_upload_part, &upload_part, request, bytes, std::move(trailers));
  }
};

TEST_F(Uploads, PartsBecomeAnObjectWithoutBeingCopied) {
  Create request{.Bucket = "bucket", .ContentType = "text/plain", .Key = "k", .Metadata = {{{"m", "1"}}}, .Tagging = "t=1"};
  auto created = run(&create_multipart_upload, request);
  EXPECT_EQ(created.Bucket, "bucket");
  EXPECT_EQ(created.Key, "k");
  EXPECT_EQ(created.ChecksumAlgorithm, std::nullopt);
  EXPECT_EQ(created.ChecksumType, std::nullopt);
  const std::string upload = *created.UploadId;
  auto two = part("k", upload, 2, "end"), one = part("k", upload, 1, kFull);
  EXPECT_EQ(error_of([&] { get("k"); }), "NoSuchKey");
  const auto files = files_;
  advance(std::chrono::seconds(9));
  auto output = complete("k", upload, {one, two});
  EXPECT_EQ(files_, files);
  EXPECT_EQ(output.Location, "http://localhost:4566/bucket/k");
  EXPECT_EQ(output.ETag, '"' + base::to_hex(base::md5(base::md5(kFull) + base::md5("end"))) + "-2\"");
  EXPECT_EQ(output.ChecksumType, "FULL_OBJECT");
  EXPECT_TRUE(output.ChecksumCRC64NVME);
  Got got = get("k");
  EXPECT_EQ(got.bytes, kFull + "end");
  EXPECT_EQ(got.output.ContentType, "text/plain");
  EXPECT_EQ(got.output.Metadata->at("m"), "1");
  EXPECT_EQ(got.output.TagCount, 1);
  EXPECT_EQ(got.output.LastModified, now_);
  EXPECT_EQ(count("SELECT count(*) FROM s3_uploads"), 0);
  EXPECT_EQ(count("SELECT count(*) FROM s3_parts"), 0);
}

TEST_F(Uploads, WhoHasNoKeyBeginsNone) {
  run(&put_public_access_block, {.Bucket = "bucket", .PublicAccessBlockConfiguration = {}});
  run(&put_bucket_policy, {.Bucket = "bucket", .Policy = R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow",
      "Principal":"*","Action":"s3:PutObject","Resource":"arn:aws:s3:::bucket/*"}]})"});
  caller_.account = "";
  EXPECT_EQ(error_of([&] { put_bytes("k", "whole"); }), "");
  EXPECT_EQ(error_of(&create_multipart_upload, {.Bucket = "bucket", .Key = "k"}), "AccessDenied");
  EXPECT_EQ(message(), "Anonymous users cannot initiate multipart uploads.  Please authenticate.");
}

TEST_F(Uploads, APartCanBeReadByItsNumber) {
  const std::string upload = create("k");
  complete("k", upload, {part("k", upload, 1, kFull), part("k", upload, 2, "end")});
  Got got = get(shape::GetObjectRequest{.Bucket = "bucket", .Key = "k", .PartNumber = 2, .ChecksumMode = "ENABLED"});
  EXPECT_EQ(got.bytes, "end");
  EXPECT_EQ(got.status, 206);
  EXPECT_EQ(got.output.PartsCount, 2);
  EXPECT_EQ(got.output.ContentRange, "bytes 5242880-5242882/5242883");
  EXPECT_FALSE(got.output.ChecksumCRC64NVME);  // the whole's alone is known
  EXPECT_EQ(error_of([&] { get(shape::GetObjectRequest{.Bucket = "bucket", .Key = "k", .PartNumber = 3}); }),
            "InvalidPartNumber");
  EXPECT_EQ(detail("ActualPartCount"), "2");
}

TEST_F(Uploads, ThePartThatCameLastCounts) {
  const std::string upload = create("k");
  auto before = part("k", upload, 1, std::string(100000, 'a'));
  auto after = part("k", upload, 1, std::string(100000, 'b'));
  EXPECT_EQ(count("SELECT count(*) FROM s3_blobs WHERE refs = 0"), 1);
  EXPECT_EQ(complete_error(completion("k", upload, {before})), "InvalidPart");
  EXPECT_EQ(detail("PartNumber"), "1");
  complete("k", upload, {after});
  EXPECT_EQ(get("k").bytes, std::string(100000, 'b'));
}

TEST_F(Uploads, PartsThatAreNotNamedAreReleased) {
  const std::string upload = create("k");
  auto one = part("k", upload, 1, "small");
  part("k", upload, 2, std::string(100000, 'x'));
  part("k", upload, 3, "tiny");
  complete("k", upload, {one});
  EXPECT_EQ(get("k").bytes, "small");
  EXPECT_EQ(count("SELECT count(*) FROM s3_blobs WHERE refs > 0"), 1);
}

TEST_F(Uploads, TheListHasToBeInOrderAndRight) {
  const std::string upload = create("k");
  auto one = part("k", upload, 1, kFull), two = part("k", upload, 2, "end");
  EXPECT_EQ(complete_error(completion("k", upload, {two, one})), "InvalidPartOrder");
  EXPECT_EQ(complete_error(completion("k", upload, {one, one})), "InvalidPartOrder");
  EXPECT_EQ(complete_error(completion("k", upload, {})), "MalformedXML");
  EXPECT_EQ(complete_error(completion("k", upload, {{.PartNumber = 1}})), "MalformedXML");
  EXPECT_EQ(complete_error({.Bucket = "bucket", .Key = "k", .UploadId = upload}), "InvalidRequest");
  EXPECT_EQ(complete_error(completion("k", upload, {one, {.ETag = two.ETag, .PartNumber = 3}})), "InvalidPart");
  EXPECT_EQ(detail("UploadId"), upload);
  EXPECT_EQ(complete_error(completion("k", upload, {one, {.ETag = "x", .PartNumber = 2}})), "InvalidPart");
  // Without quotes is also right.
  one.ETag = one.ETag->substr(1, 32);
  EXPECT_EQ(complete_error(completion("k", upload, {one, two})), "");
}

TEST_F(Uploads, PartsButTheLastAreFiveMebibytesAtLeast) {
  const std::string upload = create("k");
  auto one = part("k", upload, 1, kFull.substr(1)), two = part("k", upload, 2, "end");
  EXPECT_EQ(complete_error(completion("k", upload, {one, two})), "EntityTooSmall");
  EXPECT_EQ(detail("ProposedSize"), "5242879");
  EXPECT_EQ(detail("MinSizeAllowed"), "5242880");
  EXPECT_EQ(detail("PartNumber"), "1");
  EXPECT_EQ(detail("ETag"), one.ETag->substr(1, 32));
}

TEST_F(Uploads, NumbersGoFromOneToTenThousand) {
  const std::string upload = create("k");
  EXPECT_EQ(error_of([&] { part("k", upload, 0, "x"); }), "InvalidArgument");
  EXPECT_EQ(error_of([&] { part("k", upload, 10001, "x"); }), "InvalidArgument");
  EXPECT_EQ(message(), "Part number must be an integer between 1 and 10000, inclusive");
  complete("k", upload, {part("k", upload, 10000, "x")});
  EXPECT_EQ(get("k").bytes, "x");
}

TEST_F(Uploads, OneThatIsOverIsNotThere) {
  const std::string upload = create("k");
  part("k", upload, 1, std::string(100000, 'x'));
  EXPECT_EQ(error_of([&] { part("other", upload, 1, "x"); }), "NoSuchUpload");
  run(&abort_multipart_upload, {.Bucket = "bucket", .Key = "k", .UploadId = upload});
  EXPECT_EQ(error_of([&] { part("k", upload, 1, "x"); }), "NoSuchUpload");
  EXPECT_EQ(error_of(&abort_multipart_upload, {.Bucket = "bucket", .Key = "k", .UploadId = upload}), "NoSuchUpload");
  EXPECT_EQ(error_of(&list_parts, {.Bucket = "bucket", .Key = "k", .UploadId = "nonsense"}), "NoSuchUpload");
  EXPECT_EQ(count("SELECT count(*) FROM s3_parts"), 0);
}

TEST_F(Uploads, AnAbortedUploadIsGoneThoughAPartWasUnderWay) {
  const std::string upload = create("k");
  Part request{.Bucket = "bucket", .Key = "k", .PartNumber = 1, .UploadId = upload};
  EXPECT_EQ(error_of([&] {
              send(&prepare_upload_part, &upload_part, request, std::string(100000, 'x'), {},
                   [&] { run(&abort_multipart_upload, {.Bucket = "bucket", .Key = "k", .UploadId = upload}); });
            }),
            "NoSuchUpload");
}

// A client that did not get the answer asks again.
TEST_F(Uploads, CompletingTwiceSaysTheSameTwice) {
  const std::string upload = create("k");
  auto parts = std::vector{part("k", upload, 1, "x")};
  auto first = complete("k", upload, parts), second = complete("k", upload, parts);
  EXPECT_EQ(first, second);
  EXPECT_EQ(count("SELECT count(*) FROM s3_objects"), 1);
  put_bytes("k", "another");
  EXPECT_EQ(complete_error(completion("k", upload, parts)), "NoSuchUpload");
  EXPECT_EQ(get("k").bytes, "another");
}

TEST_F(Uploads, ConditionsAreThoseOfTheEnd) {
  const std::string upload = create("k");
  auto request = completion("k", upload, {part("k", upload, 1, "x")});
  put_bytes("k", "first");
  request.IfNoneMatch = "*";
  EXPECT_EQ(complete_error(request), "PreconditionFailed");
  request.IfNoneMatch.reset();
  request.IfMatch = "\"y\"";
  EXPECT_EQ(complete_error(request), "PreconditionFailed");
  request.IfMatch = head("k").ETag;
  EXPECT_EQ(complete_error(request), "");
  EXPECT_EQ(get("k").bytes, "x");
}

TEST_F(Uploads, AConditionDoesNotHoldWhereSomebodyWroteMeanwhile) {
  put_bytes("k", "first");
  const std::string upload = create("k");
  auto request = completion("k", upload, {part("k", upload, 1, "x")});
  request.IfMatch = head("k").ETag;
  advance(std::chrono::seconds(1));
  put_bytes("k", "first");
  EXPECT_EQ(complete_error(request), "ConditionalRequestConflict");
  EXPECT_EQ(detail("Condition"), "If-Match");
  request.IfMatch.reset();
  EXPECT_EQ(complete_error(request), "");
}

TEST_F(Uploads, KindsAndTypesOfChecksumsGoTogetherAsAmazonsDo) {
  auto type = [&](const std::string& kind, std::optional<std::string> wanted = {}) {
    Create request{.Bucket = "bucket", .Key = "k", .ChecksumAlgorithm = kind, .ChecksumType = wanted};
    return *run(&create_multipart_upload, request).ChecksumType;
  };
  EXPECT_EQ(type("CRC32"), "COMPOSITE");
  EXPECT_EQ(type("CRC32C"), "COMPOSITE");
  EXPECT_EQ(type("CRC64NVME"), "FULL_OBJECT");
  EXPECT_EQ(type("SHA1"), "COMPOSITE");
  EXPECT_EQ(type("SHA256"), "COMPOSITE");
  EXPECT_EQ(type("CRC32", "FULL_OBJECT"), "FULL_OBJECT");
  EXPECT_EQ(error_of([&] { type("SHA256", "FULL_OBJECT"); }), "InvalidRequest");
  EXPECT_EQ(message(), "The FULL_OBJECT checksum type cannot be used with the sha256 checksum algorithm.");
  EXPECT_EQ(error_of([&] { type("CRC64NVME", "COMPOSITE"); }), "InvalidRequest");
  EXPECT_EQ(error_of([&] { type("XXHASH64"); }), "NotImplemented");
  EXPECT_EQ(error_of(&create_multipart_upload, {.Bucket = "bucket", .Key = "k", .ChecksumType = "COMPOSITE"}), "InvalidRequest");
}

TEST_F(Uploads, APartsChecksumIsOfTheUploadsKind) {
  Create create_request{.Bucket = "bucket", .Key = "k", .ChecksumAlgorithm = "SHA256"};
  const std::string upload = *run(&create_multipart_upload, create_request).UploadId;
  Part request{.Bucket = "bucket", .Key = "k", .PartNumber = 1, .UploadId = upload};
  EXPECT_EQ(error_of([&] { send_part(request, "hello"); }), "InvalidRequest");
  EXPECT_EQ(message(), "Checksum Type mismatch occurred, expected checksum Type: sha256, actual checksum Type: null");
  request.ChecksumCRC32 = "NhCmhg==";
  EXPECT_EQ(error_of([&] { send_part(request, "hello"); }), "InvalidRequest");
  EXPECT_EQ(message(), "Checksum Type mismatch occurred, expected checksum Type: sha256, actual checksum Type: crc32");
  request.ChecksumCRC32.reset();
  const std::string sum = base::to_base64(base::sha256("hello"));
  request.ChecksumSHA256 = sum;
  EXPECT_EQ(error_of([&] { send_part(request, "jello"); }), "BadDigest");
  auto sent = send_part(request, "hello");
  EXPECT_EQ(sent.ChecksumSHA256, sum);
  request.ChecksumSHA256.reset();
  EXPECT_EQ(send_part(request, "hello", {{"x-amz-checksum-sha256", sum}}).ChecksumSHA256, sum);

  // Which the list then names.
  EXPECT_EQ(complete_error(completion("k", upload, {{.ETag = sent.ETag, .PartNumber = 1}})), "InvalidRequest");
  EXPECT_NE(message().find("It was missing for part 1 in the request."), std::string::npos);
  EXPECT_EQ(complete_error(completion("k", upload, {{.ETag = sent.ETag, .ChecksumSHA256 = base::to_base64(base::sha256("x")),
                                                     .PartNumber = 1}})),
            "InvalidPart");
  EXPECT_EQ(complete_error(completion("k", upload, {{.ETag = sent.ETag, .ChecksumCRC32 = "NhCmhg==", .PartNumber = 1}})), "BadDigest");
  EXPECT_EQ(message(), "The crc32 you specified for part 1 did not match what we received.");
  auto request_of_all = completion("k", upload, {{.ETag = sent.ETag, .ChecksumSHA256 = sum, .PartNumber = 1}});
  request_of_all.ChecksumType = "FULL_OBJECT";
  EXPECT_EQ(complete_error(request_of_all), "InvalidRequest");
  request_of_all.ChecksumType = "COMPOSITE";
  const std::string whole = base::to_base64(base::sha256(base::sha256("hello"))) + "-1";
  request_of_all.ChecksumSHA256 = sum;
  EXPECT_EQ(complete_error(request_of_all), "BadDigest");
  request_of_all.ChecksumSHA256 = whole;
  EXPECT_EQ(run(&complete_multipart_upload, request_of_all).ChecksumSHA256, whole);
  auto got = get(shape::GetObjectRequest{.Bucket = "bucket", .Key = "k", .ChecksumMode = "ENABLED"}).output;
  EXPECT_EQ(got.ChecksumSHA256, whole);
  EXPECT_EQ(got.ChecksumType, "COMPOSITE");
}

TEST_F(Uploads, PartsOfACompositeChecksumAreNumberedFromOneWithoutAGap) {
  Create create_request{.Bucket = "bucket", .Key = "k", .ChecksumAlgorithm = "SHA256"};
  const std::string upload = *run(&create_multipart_upload, create_request).UploadId;
  std::vector<shape::CompletedPart> parts;
  for (int number : {1, 3}) {
    const std::string sum = base::to_base64(base::sha256(kFull));
    Part request{.Bucket = "bucket", .ChecksumSHA256 = sum, .Key = "k", .PartNumber = number, .UploadId = upload};
    parts.push_back({.ETag = send_part(request, kFull).ETag, .ChecksumSHA256 = sum, .PartNumber = number});
  }
  EXPECT_EQ(complete_error(completion("k", upload, parts)), "InvalidPartOrder");
  EXPECT_EQ(complete_error(completion("k", upload, {parts[1]})), "InvalidPartOrder");
  EXPECT_EQ(complete_error(completion("k", upload, {parts[0]})), "");
}

TEST_F(Uploads, WithoutAKindPartsMayComeWithAny) {
  const std::string upload = create("k");
  Part request{.Bucket = "bucket", .ChecksumCRC32 = "NhCmhg==", .Key = "k", .PartNumber = 1, .UploadId = upload};
  EXPECT_EQ(error_of([&] { send_part(request, "jello"); }), "BadDigest");
  auto sent = send_part(request, "hello");
  EXPECT_EQ(sent.ChecksumCRC32, "NhCmhg==");
  // But are not known by it, and nothing is said of the whole's that would be looked at.
  auto named = completion("k", upload, {{.ETag = sent.ETag, .ChecksumCRC32 = sent.ChecksumCRC32, .PartNumber = 1}});
  EXPECT_EQ(complete_error(named), "InvalidPart");
  auto request_of_all = completion("k", upload, {{.ETag = sent.ETag, .PartNumber = 1}});
  request_of_all.ChecksumType = "FULL_OBJECT";
  EXPECT_EQ(complete_error(request_of_all), "InvalidRequest");
  EXPECT_NE(message().find("using the null checksum mode"), std::string::npos);
  request_of_all.ChecksumType.reset();
  request_of_all.ChecksumCRC32C = "AAAAAA==-2";
  auto output = run(&complete_multipart_upload, request_of_all);
  EXPECT_TRUE(output.ChecksumCRC64NVME);
  EXPECT_FALSE(output.ChecksumCRC32);
}

TEST_F(Uploads, TheWholesSizeAndChecksumAreChecked) {
  const std::string upload = create("k");
  auto request = completion("k", upload, {part("k", upload, 1, "hello")});
  request.MpuObjectSize = 4;
  EXPECT_EQ(complete_error(request), "InvalidRequest");
  EXPECT_NE(message().find("x-amz-mp-object-size"), std::string::npos);
  request.MpuObjectSize = 5;
  EXPECT_EQ(complete_error(request), "");
}

TEST_F(Uploads, AFullObjectsChecksumIsTakenWithItsTypeAndKind) {
  Create create_request{.Bucket = "bucket", .Key = "k", .ChecksumAlgorithm = "CRC32", .ChecksumType = "FULL_OBJECT"};
  const std::string upload = *run(&create_multipart_upload, create_request).UploadId;
  Part part_request{.Bucket = "bucket", .ChecksumCRC32 = "NhCmhg==", .Key = "k", .PartNumber = 1, .UploadId = upload};
  auto request = completion("k", upload, {{.ETag = send_part(part_request, "hello").ETag, .PartNumber = 1}});
  const std::string refusal = "The crc32 you specified did not match the calculated checksum.";
  request.ChecksumCRC32 = "NhCmhg==";
  EXPECT_EQ(complete_error(request), "BadDigest");
  EXPECT_EQ(message(), refusal);
  request.ChecksumType = "FULL_OBJECT";
  request.ChecksumCRC32 = "AAAAAA==";
  EXPECT_EQ(complete_error(request), "BadDigest");
  request.ChecksumCRC32.reset();
  request.ChecksumSHA1 = base::to_base64(base::sha1("hello"));
  EXPECT_EQ(complete_error(request), "BadDigest");
  EXPECT_EQ(message(), refusal);
  request.ChecksumSHA1.reset();
  request.ChecksumCRC32 = "NhCmhg==";
  EXPECT_EQ(run(&complete_multipart_upload, request).ChecksumCRC32, "NhCmhg==");
}

TEST_F(Uploads, PartsMayBeCopiesOfOtherObjects) {
  const std::string bytes = kFull + "tail";
  put_bytes("source", bytes);
  const std::string upload = create("k");
  shape::UploadPartCopyRequest request{.Bucket = "bucket", .CopySource = "bucket/source", .CopySourceRange = "bytes=0-5242879",
                                       .Key = "k", .PartNumber = 1, .UploadId = upload};
  auto one = send(&prepare_upload_part_copy, &upload_part_copy, request);
  EXPECT_EQ(one.CopyPartResult->ETag, '"' + base::to_hex(base::md5(kFull)) + '"');
  EXPECT_FALSE(one.CopyPartResult->ChecksumCRC64NVME);
  EXPECT_EQ(one.CopyPartResult->LastModified, now_);
  request.CopySourceRange.reset();
  request.PartNumber = 2;
  auto two = send(&prepare_upload_part_copy, &upload_part_copy, request);
  complete("k", upload, {{.ETag = one.CopyPartResult->ETag, .PartNumber = 1}, {.ETag = two.CopyPartResult->ETag, .PartNumber = 2}});
  EXPECT_EQ(get("k").bytes, kFull + bytes);
  // Of an object in parts: across them.
  const std::string again = create("again");
  request = {.Bucket = "bucket", .CopySource = "bucket/k", .CopySourceRange = "bytes=5242870-5242889", .Key = "again",
             .PartNumber = 1, .UploadId = again};
  auto both = send(&prepare_upload_part_copy, &upload_part_copy, request);
  EXPECT_EQ(both.CopyPartResult->ETag, '"' + base::to_hex(base::md5(std::string(20, 'f'))) + '"');
}

TEST_F(Uploads, RangesOfCopiesLieWithinTheSource) {
  put_bytes("source", "hello");
  const std::string upload = create("k");
  auto error = [&](const std::string& range) {
    shape::UploadPartCopyRequest request{.Bucket = "bucket", .CopySource = "bucket/source", .CopySourceRange = range,
                                         .Key = "k", .PartNumber = 1, .UploadId = upload};
    return error_of([&] { send(&prepare_upload_part_copy, &upload_part_copy, request); });
  };
  EXPECT_EQ(error("bytes=0-5"), "InvalidArgument");
  EXPECT_EQ(message(), "Range specified is not valid for source object of size: 5");
  for (const char* range : {"bytes=1-", "bytes=-1", "0-1", "bytes=2-1", "bytes=0-1,2-3", ""}) {
    EXPECT_EQ(error(range), "InvalidArgument") << range;
    EXPECT_NE(message().find("must be of the form bytes=first-last"), std::string::npos);
  }
  EXPECT_EQ(error("bytes=5-9"), "InvalidRequest");
  EXPECT_EQ(error("bytes=4-4"), "");
}

TEST_F(Uploads, ASourceThatChangedMeanwhileMakesTheClientComeAgain) {
  put_bytes("source", "hello");
  const std::string upload = create("k");
  shape::UploadPartCopyRequest request{.Bucket = "bucket", .CopySource = "bucket/source", .Key = "k", .PartNumber = 1,
                                       .UploadId = upload};
  EXPECT_EQ(error_of([&] {
              send(&prepare_upload_part_copy, &upload_part_copy, request, "", {}, [&] { put_bytes("source", "jello"); });
            }),
            "SlowDown");
}

TEST_F(Uploads, StrangersMayOnlyWhatThePolicySays) {
  const std::string upload = create("k");
  caller_.account = "222222222222";
  EXPECT_EQ(error_of([&] { create("k"); }), "AccessDenied");
  EXPECT_EQ(error_of([&] { part("k", upload, 1, "x"); }), "AccessDenied");
  EXPECT_EQ(error_of(&abort_multipart_upload, {.Bucket = "bucket", .Key = "k", .UploadId = upload}), "AccessDenied");
  EXPECT_EQ(error_of(&list_parts, {.Bucket = "bucket", .Key = "k", .UploadId = upload}), "AccessDenied");
  EXPECT_EQ(error_of(&list_multipart_uploads, {.Bucket = "bucket"}), "AccessDenied");
  EXPECT_EQ(complete_error(completion("k", upload, {{.ETag = "x", .PartNumber = 1}})), "AccessDenied");
}

}  // namespace
}  // namespace services::s3
