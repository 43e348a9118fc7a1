// SPDX-License-Identifier: Apache-2.0
#include "services/s3/object_fixture.h"
#include "services/s3/uploads/create_upload.h"
#include "services/s3/uploads/list_parts.h"
#include "services/s3/uploads/list_uploads.h"

namespace services::s3 {
namespace {

class ListUploads : public ObjectTest {
 protected:
  using Request = shape::ListMultipartUploadsRequest;

  std::vector<std::string> keys(const shape::ListMultipartUploadsOutput& output) {
    std::vector<std::string> keys;
    if (!output.Uploads) return keys;
    for (const shape::MultipartUpload& upload : *output.Uploads) keys.push_back(*upload.Key);
    return keys;
  }
  using Keys = std::vector<std::string>;
};

TEST_F(ListUploads, PartsAreListedInPages) {
  const std::string upload = create("k");
  for (int number : {1, 5, 9}) part("k", upload, number, "part" + std::to_string(number));
  shape::ListPartsRequest request{.Bucket = "bucket", .Key = "k", .MaxParts = 2, .UploadId = upload};
  auto page = run(&list_parts, request);
  EXPECT_EQ(page.IsTruncated, true);
  EXPECT_EQ(page.NextPartNumberMarker, 5);
  EXPECT_EQ(page.MaxParts, 2);
  ASSERT_EQ(page.Parts->size(), 2u);
  EXPECT_EQ(page.Parts->at(0).PartNumber, 1);
  EXPECT_EQ(page.Parts->at(0).Size, 5);
  EXPECT_EQ(page.Parts->at(0).ETag, '"' + base::to_hex(base::md5("part1")) + '"');
  EXPECT_FALSE(page.Parts->at(0).ChecksumCRC64NVME);
  EXPECT_EQ(page.Initiator->ID, canonical_id("111111111111"));
  EXPECT_EQ(page.Owner->ID, canonical_id("111111111111"));
  EXPECT_EQ(page.StorageClass, "STANDARD");
  EXPECT_EQ(page.ChecksumAlgorithm, std::nullopt);
  EXPECT_EQ(page.ChecksumType, std::nullopt);
  request.PartNumberMarker = 5;
  page = run(&list_parts, request);
  EXPECT_EQ(page.IsTruncated, false);
  EXPECT_EQ(page.Parts->at(0).PartNumber, 9);
  request.MaxParts = -1;
  EXPECT_EQ(error_of(&list_parts, request), "InvalidArgument");
  request.MaxParts = 0;
  EXPECT_FALSE(run(&list_parts, request).Parts);
}

TEST_F(ListUploads, UploadsAreListedByKeyAndTimeOfCreation) {
  const std::string b1 = create("b");
  advance(std::chrono::seconds(1));
  const std::string a = create("a");
  advance(std::chrono::seconds(1));
  const std::string b2 = create("b");
  auto output = run(&list_multipart_uploads, {.Bucket = "bucket"});
  ASSERT_EQ(keys(output), (Keys{"a", "b", "b"}));
  EXPECT_EQ(output.Uploads->at(0).UploadId, a);
  EXPECT_EQ(output.Uploads->at(1).UploadId, b1);
  EXPECT_EQ(output.Uploads->at(2).UploadId, b2);
  EXPECT_EQ(output.Uploads->at(2).Initiated, now_);
  EXPECT_EQ(output.Uploads->at(0).Owner->ID, canonical_id("111111111111"));
  EXPECT_EQ(output.MaxUploads, 1000);
  EXPECT_EQ(output.IsTruncated, false);
}

TEST_F(ListUploads, APageContinuesWhereTheLastOneEnded) {
  std::set<std::string> made;
  for (int i = 0; i < 9; ++i) made.insert(create("key" + std::to_string(i / 4)));
  for (std::int32_t size : {1, 2, 4}) {
    std::set<std::string> seen;
    Request request{.Bucket = "bucket", .MaxUploads = size};
    while (true) {
      auto page = run(&list_multipart_uploads, request);
      for (const auto& upload : *page.Uploads) EXPECT_TRUE(seen.insert(*upload.UploadId).second);
      if (!*page.IsTruncated) break;
      EXPECT_EQ(std::ssize(*page.Uploads), size);
      request.KeyMarker = page.NextKeyMarker;
      request.UploadIdMarker = page.NextUploadIdMarker;
    }
    EXPECT_EQ(seen, made);
  }
  // A key marker alone skips all uploads of its key.
  EXPECT_EQ(keys(run(&list_multipart_uploads, {.Bucket = "bucket", .KeyMarker = "key0"})).size(), 5u);
}

TEST_F(ListUploads, MissingParametersAreOmittedExceptForMarkers) {
  auto empty = run(&list_multipart_uploads, {.Bucket = "bucket"});
  EXPECT_FALSE(empty.Prefix);
  EXPECT_EQ(empty.NextKeyMarker, "");
  EXPECT_EQ(empty.NextUploadIdMarker, "");
  const std::string a = create("a"), b = create("b");
  auto all = run(&list_multipart_uploads, {.Bucket = "bucket", .UploadIdMarker = a});
  EXPECT_EQ(keys(all), (Keys{"a", "b"}));  // an upload marker without a key marker is ignored
  EXPECT_EQ(all.UploadIdMarker, "");
  EXPECT_EQ(all.NextKeyMarker, "b");
  EXPECT_EQ(all.NextUploadIdMarker, b);
  auto folded = run(&list_multipart_uploads, {.Bucket = "bucket", .Delimiter = "b", .Prefix = ""});
  EXPECT_EQ(folded.NextKeyMarker, "");
}

TEST_F(ListUploads, AnUploadMarkerMustBelongToItsKey) {
  const std::string a = create("a"), b = create("b");
  EXPECT_EQ(error_of(&list_multipart_uploads, {.Bucket = "bucket", .KeyMarker = "a", .UploadIdMarker = b}), "InvalidArgument");
  EXPECT_EQ(message(), "Invalid uploadId marker");
  EXPECT_EQ(detail("ArgumentValue"), b);
  run(&abort_multipart_upload, {.Bucket = "bucket", .Key = "a", .UploadId = a});
  EXPECT_EQ(keys(run(&list_multipart_uploads, {.Bucket = "bucket", .KeyMarker = "a", .UploadIdMarker = a})), (Keys{"b"}));
}

TEST_F(ListUploads, CommonPrefixesAreOneItemAndKeysAreEncoded) {
  for (const char* key : {"a/1", "a/2", "b c", "d/3", "e"}) create(key);
  Request request{.Bucket = "bucket", .Delimiter = "/", .EncodingType = "url"};
  auto output = run(&list_multipart_uploads, request);
  EXPECT_EQ(keys(output), (Keys{"b+c", "e"}));
  ASSERT_EQ(output.CommonPrefixes->size(), 2u);
  EXPECT_EQ(output.CommonPrefixes->at(0).Prefix, "a/");
  request.MaxUploads = 1;
  output = run(&list_multipart_uploads, request);
  EXPECT_EQ(output.NextKeyMarker, "a/");
  request.KeyMarker = "a/";
  output = run(&list_multipart_uploads, request);
  EXPECT_EQ(keys(output), (Keys{"b+c"}));
  EXPECT_EQ(keys(run(&list_multipart_uploads, {.Bucket = "bucket", .Prefix = "a/"})), (Keys{"a/1", "a/2"}));
}

TEST_F(ListUploads, InvalidParametersAreRejected) {
  EXPECT_EQ(error_of(&list_multipart_uploads, {.Bucket = "bucket", .MaxUploads = -1}), "InvalidArgument");
  EXPECT_EQ(error_of(&list_multipart_uploads, {.Bucket = "bucket", .KeyMarker = "k", .UploadIdMarker = "x"}), "InvalidArgument");
  EXPECT_EQ(error_of(&list_multipart_uploads, {.Bucket = "nowhere"}), "NoSuchBucket");
}

}  // namespace
}  // namespace services::s3
